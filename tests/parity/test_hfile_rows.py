"""Blocks in the encoding ROW_INDEX_V1, viewed in place, have the cells that their record has."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from byteloom.errors import FormatError
from byteloom.hfile.encoded import _within_row_index
from byteloom.hfile.runs import Place
from byteloom_generated.hfile.encoded import Encoded, Encoding, RowIndex


@st.composite
def blocks(draw: st.DrawFn) -> bytes:
    """A block with any cells and places of rows."""
    cells = draw(st.binary(max_size=9))
    rows = draw(st.lists(st.integers(-(1 << 31), (1 << 31) - 1), max_size=3))
    body = RowIndex(cells=cells, row_offsets=rows, len_cells_end=len(cells))
    body.len_cells = len(cells)
    return Encoded(encoding=Encoding.ROW_INDEX_V1, body=body.to_bytes()).to_bytes()


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A block, damaged: a byte changed, left out or inserted, or the end cut off."""
    data = draw(blocks())
    at, byte = draw(st.integers(0, len(data) - 1)), bytes((draw(st.integers(0, 255)),))
    changed = (data[:at] + byte + data[at + 1 :], data[:at] + data[at + 1 :])
    return draw(st.sampled_from((*changed, data[:at], data[:at] + byte + data[at:])))


def by_record(data: bytes) -> bytes | None:
    """The cells as records read them; None where they refuse them or leave bytes."""
    try:
        head = Encoded.from_bytes(data)
        rows = RowIndex.from_bytes(head.body)
    except FormatError:
        return None
    whole = RowIndex.MIN_SIZE + len(rows.cells) + 4 * len(rows.row_offsets)
    is_right = head.encoding == Encoding.ROW_INDEX_V1 and whole == len(head.body)
    return rows.cells if is_right else None


def by_view(data: bytes) -> bytes | None:
    """The cells as scans view them; None where they refuse them."""
    array, bounds = np.frombuffer(data, np.uint8), np.array([0, len(data)])
    try:
        start, end = _within_row_index(Place(0, "encoded_data"), array, bounds)
    except FormatError:
        return None
    return data[start:end]


@given(blocks() | damaged())
def test_views_of_row_indexes_are_what_records_read(data: bytes) -> None:
    """A view of a ROW_INDEX_V1 block has its record's cells, or both refuse it."""
    assert by_view(data) == by_record(data)
