"""Records of little specs are read, edited and written as the gallery of edits says."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.gallery import play, sections

EXAMPLES = [
    pytest.param(each, id=f"{topic}: {each['claim']}")
    for topic, examples in sections("editing").items()
    for each in examples
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_edit_is_read_back_or_refused(example: dict[str, Any]) -> None:
    """What the gallery of edits says of each little spec is so, step by step."""
    play(example)
