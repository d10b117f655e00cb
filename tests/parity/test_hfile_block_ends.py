"""Where data blocks end, and which cells a writer refuses, is what a loop over the cells finds."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.kernel_ways import ways

from byteloom.errors import FormatError
from byteloom.hfile import HFileWriter
from byteloom.kernels.hfile_cells import SAME_KEY, SAME_ROW, split
from byteloom.kernels.hfile_write_encodings import index_rows

SIZES = st.lists(st.tuples(st.integers(1, 30), st.integers(0, SAME_KEY)), min_size=1, max_size=20)
LIMITS = st.tuples(*[st.sampled_from((0, 1, 20, 40, 70, 1 << 62))] * 3)


def plain_ends(
    cells: list[tuple[int, int]], limits: tuple[int, int, int], per_row: int
) -> list[int]:
    """The number of the cell after each whole block.

    cells    the size of each, and how many parts of its key are those of the cell before
    limits   of plain and of encoded bytes, either of which fills a block that has the third
    per_row  bytes that each row adds to what is encoded
    """
    ends, block = [], [cells[0]]
    for number, cell in enumerate(cells[1:], 1):
        plain = sum(size for size, _ in block)
        rows = 1 + sum(shared < SAME_ROW for _, shared in block[1:])
        encoded = plain + rows * per_row
        is_full = (plain >= limits[0] or encoded >= limits[1]) and encoded >= limits[2]
        if is_full and cell[1] < SAME_KEY:
            ends.append(number)
            block = []
        block.append(cell)
    return ends


def starts_of(cells: list[tuple[int, int]], first: int) -> np.ndarray:
    """The offsets at which cells begin, from *first* on, and that at which the last one ends."""
    return np.cumsum([first, *(size for size, _ in cells)], dtype=np.int64)


@ways
@given(cells=SIZES, limits=LIMITS, per_row=st.sampled_from((0, 4)), data=st.data())
def test_blocks_end_before_cells_of_other_keys(
    way: Any,
    cells: list[tuple[int, int]],
    limits: tuple[int, int, int],
    per_row: int,
    data: st.DataObject,
) -> None:
    """A full block ends before the next cell of another key, as a loop over the cells finds."""
    first, room = data.draw(st.integers(0, len(cells) - 1)), data.draw(st.integers(1, 21))
    shared = np.array([each for _, each in cells], np.uint8)
    ends = np.full(room, -1, np.int64)
    bounds = np.array(limits, np.int64)
    starts = starts_of(cells, 7)
    found = way(split)(starts, shared, first, len(cells), bounds, per_row, ends)
    wanted = [first + each for each in plain_ends(cells[first:], limits, per_row)][:room]
    assert ends[:found].tolist() == wanted


@ways
@pytest.mark.parametrize(
    ("limit", "ends"),
    [(14, [1, 2, 3]), (15, [2]), (28, [2]), (29, [3]), (42, [3]), (43, [])],
)
def test_each_row_of_a_block_adds_its_bytes(way: Any, limit: int, ends: list[int]) -> None:
    """Four more bytes for each row count towards the limit of encoded bytes."""
    starts, shared = np.arange(0, 50, 10, dtype=np.int64), np.zeros(4, np.uint8)
    for limits in [(1 << 62, limit, 0), (0, 0, limit)]:
        out = np.zeros(4, np.int64)
        found = way(split)(starts, shared, 0, 4, np.array(limits, np.int64), 4, out)
        assert out[:found].tolist() == ends


@ways
@given(cells=SIZES, data=st.data())
def test_an_index_has_the_places_of_rows(
    way: Any, cells: list[tuple[int, int]], data: st.DataObject
) -> None:
    """A row index has the number of rows, the offset of each, and the size of all cells."""
    first = data.draw(st.integers(0, len(cells) - 1))
    shared = np.array([each for _, each in cells], np.uint8)
    starts = starts_of(cells, 7)
    out = np.zeros(8 + 4 * len(cells), np.uint8)
    size = way(index_rows)(starts, shared, first, len(cells), out)
    rows = [
        sum(each for each, _ in cells[first:number])
        for number in range(first, len(cells))
        if number == first or cells[number][1] < SAME_ROW
    ]
    total = sum(each for each, _ in cells[first:])
    words = [len(rows), *rows, total]
    assert out[:size].tobytes() == b"".join(each.to_bytes(4, "big") for each in words)


LONG_TAG = (32766).to_bytes(2, "big") + bytes(32766)

parts = st.fixed_dictionaries(
    {
        "family": st.sampled_from((b"f", b"f", b"f", b"g")),
        "timestamp": st.sampled_from((0, 5, 5, 5, -1)),
        "mvcc": st.sampled_from((0, 0, 0, 1, -1)),
        "tags": st.sampled_from((b"", b"", b"\0\1\7", LONG_TAG)),
    }
)
options = st.fixed_dictionaries(
    {
        "encoding": st.sampled_from(("NONE", "ROW_INDEX_V1", "PREFIX", "DIFF", "FAST_DIFF")),
        "tags": st.booleans(),
        "mvcc": st.booleans(),
    }
)


def refused(cells: list[dict[str, Any]], form: dict[str, Any]) -> str:
    """The first part of a cell that HBase does not read back, in the order of the names."""
    for number, cell in enumerate(cells):
        is_delta = form["encoding"] in {"PREFIX", "DIFF", "FAST_DIFF"}
        broken = {
            "family": is_delta and cell["family"] != cells[0]["family"],
            "mvcc": cell["mvcc"] < 0 or (cell["mvcc"] != 0 and not form["mvcc"]),
            "tags": (not is_delta and len(cell["tags"]) > 32767)
            or (len(cell["tags"]) > 0 and not form["tags"]),
            "timestamp": not is_delta and cell["timestamp"] < 0,
        }
        if any(broken.values()):
            return f"cells[{number}].{next(name for name, is_so in broken.items() if is_so)}"
    return ""


@given(cells=st.lists(parts, min_size=1, max_size=5), form=options)
def test_the_first_cell_that_hbase_does_not_read_back_is_refused(
    cells: list[dict[str, Any]], form: dict[str, Any]
) -> None:
    """The writer refuses the first cell that HBase cannot read back, by its number and part."""
    path = ""
    try:
        with HFileWriter(io.BytesIO(), threads=0, **form) as writer:
            for number, cell in enumerate(cells):
                writer.add(b"%d" % number, b"value", **cell)
    except FormatError as error:
        path = str(error.path)
    assert path == refused(cells, form)
