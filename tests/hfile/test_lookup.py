"""Looking up rows, ranges and prefixes: the same cells that a scan gives, and no others."""

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
    """Eight cells in four blocks; equal keys are in two of them."""
    return hfile.open(Built(blocks=BLOCKS, codec=request.param).data())


@pytest.mark.parametrize("row", ASKED)
def test_a_row_has_all_its_cells(file: hfile.HFile, row: bytes) -> None:
    """Over block borders too; a row that is not there has none."""
    assert file.get(row, ["row"])["row"].to_pylist() == [each for each in ROWS if each == row]


@pytest.mark.parametrize("start", ASKED)
@pytest.mark.parametrize("stop", [None, *ASKED])
def test_a_range_has_its_start_and_not_its_stop(
    file: hfile.HFile, start: bytes, stop: bytes | None
) -> None:
    """Rows in between, in order."""
    found = [row for batch in file.range(start, stop, ["row"]) for row in batch["row"].to_pylist()]
    assert found == [row for row in ROWS if start <= row and (stop is None or row < stop)]


@pytest.mark.parametrize("prefix", [b"", b"a", b"ab", b"b\xff", b"z", b"\xff"])
def test_a_prefix_has_the_rows_that_begin_with_it(file: hfile.HFile, prefix: bytes) -> None:
    """The empty prefix has all."""
    found = file.prefix(prefix, ["row"])["row"].to_pylist()
    assert found == [row for row in ROWS if row.startswith(prefix)]


@pytest.mark.parametrize(
    ("prefix", "behind"), [(b"a", b"b"), (b"a\xff\xff", b"b"), (b"\xff", None), (b"", None)]
)
def test_what_lies_behind_a_prefix(prefix: bytes, behind: bytes | None) -> None:
    """The last byte that can be raised is; after all 0xff there is nothing."""
    assert after_prefix(prefix) == behind
