"""Tables of the form `bit-packing`, and the places of their mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.gallery import rows
from tests.support.pages import markdown_of

from byteloom_codegen.errors import SpecErrors
from byteloom_codegen.tables.forms import make_table

if TYPE_CHECKING:
    from pathlib import Path

TABLE = """\
meta: {id: packed, form: bit-packing, title: Packed, doc: Chunks., doc-ref: "https://example.com"}
integers: 1024
groups: [0, 4, 2, 6, 1, 5, 3, 7]
bits: [16, 64]
"""


def test_only_the_loops_that_are_asked_for_are_printed(tmp_path: Path) -> None:
    """A table gives the loops and the page rows of its widths only."""
    path = tmp_path / "packed.yaml"
    path.write_text(TABLE)
    made = make_table(path, "packed.yaml")
    assert [bits for bits in (8, 16, 32, 64) if f"def unpack_{bits}(" in made.module] == [16, 64]
    assert [bits for bits in (8, 16, 32, 64) if f"def pack_{bits}(" in made.module] == [16, 64]
    assert [bits for bits in (8, 16, 32, 64) if f"def pick_{bits}(" in made.module] == [16, 64]
    assert "| **16** | 64 | 0, 128, 256" in markdown_of(made)


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    rows("packing", "mistakes_are_named_where_they_are"),
)
def test_mistakes_are_named_where_they_are(old: str, new: str, wanted: str, tmp_path: Path) -> None:
    """A table with impossible numbers or unknown keys is refused with the place."""
    path = tmp_path / "packed.yaml"
    path.write_text(TABLE.replace(old, new))
    with pytest.raises(SpecErrors, match=wanted):
        make_table(path, "packed.yaml")
