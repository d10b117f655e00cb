"""The page about filters agrees with the code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
from tests.support.iceberg_plans import metadata_table_kinds, table_of

from byteloom import iceberg

PAGE: Final = (Path(__file__).parents[2] / "docs" / "iceberg.md").read_text("utf-8")
CELLS: Final = re.findall(r"^\| (`.+) \| (`.+) \|$", PAGE, re.MULTILINE)
SAME: Final = [
    (text, code.replace("\\|", "|"))
    for cells in CELLS
    for text, code in zip(*(re.findall(r"`([^`]+)`", cell) for cell in cells), strict=False)
]


@pytest.mark.parametrize(("text", "code"), SAME)
def test_text_and_python_say_the_same(text: str, code: str) -> None:
    """Each pair of text and Python on the page gives the same expression."""
    assert iceberg.parse(text) == eval(code, vars(iceberg).copy())  # noqa: S307  our own page


def test_the_page_names_every_metadata_table(tmp_path: Path) -> None:
    """The page names every metadata table."""
    schema = {"type": "struct", "schema-id": 0, "fields": []}
    kinds = metadata_table_kinds(table_of(tmp_path, schema, {0: ()}, []))
    assert [kind for kind in kinds if f"`{kind}`" in PAGE] == kinds
    assert len(SAME) > 9
