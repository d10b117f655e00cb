"""Prefixes, and ranges of small blocks; `test_seek` draws rows, keys and ranges."""

from __future__ import annotations

import pytest
from tests.support.hfile_files import GZ, NONE, Built, Given

from byteloom import hfile

ROWS = [b"a", b"ab", b"ab", b"ab", b"b", b"b\xff", b"c", b"c\x00"]
BLOCKS = [[Given(row=row) for row in ROWS[at : at + 2]] for at in range(0, 8, 2)]


@pytest.fixture(scope="module", params=[NONE, GZ])
def file(request: pytest.FixtureRequest) -> hfile.HFile:
    """Open a file of eight cells in four blocks; equal keys are in two of them."""
    return hfile.open(Built(blocks=BLOCKS, codec=request.param).data())


@pytest.mark.parametrize("reverse", [False, True])
def test_small_blocks_come_as_one_batch(file: hfile.HFile, reverse: bool) -> None:
    """The cells of several small blocks are gathered into one batch, in either direction."""
    (batch,) = file.range(b"", None, ["row"], reverse=reverse)
    assert batch["row"].to_pylist() == (ROWS[::-1] if reverse else ROWS)


@pytest.mark.parametrize("prefix", [b"", b"a", b"ab", b"a\xff\xff", b"b\xff", b"z", b"\xff"])
def test_a_prefix_has_the_rows_that_begin_with_it(file: hfile.HFile, prefix: bytes) -> None:
    """A prefix finds the rows that begin with it; the empty prefix finds all."""
    found = file.prefix(prefix, ["row"])["row"].to_pylist()
    assert found == [row for row in ROWS if row.startswith(prefix)]
