"""Lookups of rows, ranges and prefixes give the same cells that a scan gives, and no others."""

from __future__ import annotations

import pytest
from tests.support.hfile_files import GZ, NONE, Built, Given

from byteloom import hfile
from byteloom.hfile.lookup import after_prefix

ROWS = [b"a", b"ab", b"ab", b"ab", b"b", b"b\xff", b"c", b"c\x00"]
BLOCKS = [[Given(row=row) for row in ROWS[at : at + 2]] for at in range(0, 8, 2)]
ASKED = [b"", b"0", *ROWS, b"abc", b"b\xfe", b"d", b"\xff" * 40]


@pytest.fixture(scope="module", params=[NONE, GZ])
def file(request: pytest.FixtureRequest) -> hfile.HFile:
    """Open a file of eight cells in four blocks; equal keys are in two of them."""
    return hfile.open(Built(blocks=BLOCKS, codec=request.param).data())


@pytest.mark.parametrize("row", ASKED)
def test_a_row_has_all_its_cells(file: hfile.HFile, row: bytes) -> None:
    """`get` returns all cells of a row, across blocks too, and none for an absent row."""
    assert file.get(row, ["row"])["row"].to_pylist() == [each for each in ROWS if each == row]


@pytest.mark.parametrize("start", ASKED)
@pytest.mark.parametrize("stop", [None, *ASKED])
def test_a_range_has_its_start_and_not_its_stop(
    file: hfile.HFile, start: bytes, stop: bytes | None
) -> None:
    """A range has its start, the rows up to its stop in order, and not the stop."""
    found = [row for batch in file.range(start, stop, ["row"]) for row in batch["row"].to_pylist()]
    assert found == [row for row in ROWS if start <= row and (stop is None or row < stop)]


@pytest.mark.parametrize("reverse", [False, True])
def test_small_blocks_come_as_one_batch(file: hfile.HFile, reverse: bool) -> None:
    """The cells of several small blocks are gathered into one batch, in either direction."""
    (batch,) = file.range(b"", None, ["row"], reverse=reverse)
    assert batch["row"].to_pylist() == (ROWS[::-1] if reverse else ROWS)


@pytest.mark.parametrize("prefix", [b"", b"a", b"ab", b"b\xff", b"z", b"\xff"])
def test_a_prefix_has_the_rows_that_begin_with_it(file: hfile.HFile, prefix: bytes) -> None:
    """A prefix finds the rows that begin with it; the empty prefix finds all."""
    found = file.prefix(prefix, ["row"])["row"].to_pylist()
    assert found == [row for row in ROWS if row.startswith(prefix)]


@pytest.mark.parametrize(
    ("prefix", "behind"), [(b"a", b"b"), (b"a\xff\xff", b"b"), (b"\xff", None), (b"", None)]
)
def test_the_bound_after_a_prefix(prefix: bytes, behind: bytes | None) -> None:
    """The bound after a prefix has its last byte below 0xff raised; there is none for 0xff only."""
    assert after_prefix(prefix) == behind
