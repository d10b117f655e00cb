"""Whether a loop over elements has to number them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from byteloom_codegen.python.statements import indented

if TYPE_CHECKING:
    from byteloom_codegen.python.statements import Statement

__all__ = ["is_numbered"]

_NUMBER: Final = re.compile(r"(?<![\w.])i\b")
"""The name of the variable for an element's index, in generated code."""


def is_numbered(body: list[Statement]) -> bool:
    """Whether *body*, the statements for each element, uses its number."""
    return any(_NUMBER.search(line) for _, line in indented(body))
