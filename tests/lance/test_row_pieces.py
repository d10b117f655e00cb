"""Rows that are pieces of a buffer: each begins and ends where the repetition index says."""

from __future__ import annotations

import numpy as np
import pytest

from byteloom.lance.pages21.full_zip import RowPieces

PIECES = RowPieces(np.array([10, 50]), np.array([5, 8]))
"""Two rows, of 5 bytes at byte 10 and of 8 at byte 50."""


@pytest.mark.parametrize(("at", "place"), [(0, 10), (4, 14), (5, 50), (12, 57), (13, 58)])
def test_a_byte_of_joined_rows_is_in_the_buffer(at: int, place: int) -> None:
    """A place in the joined bytes is converted to the one in the buffer, the end included."""
    assert PIECES.place(at) == place


@pytest.mark.parametrize(
    ("spans", "first", "place"),
    [
        ([5, 8], [1, 1], None),
        ([2, 3, 8], [1, 0, 1], None),
        ([2, 3], [1, 0], None),
        ([], [], None),
        ([6], [1], 10),
        ([2, 4], [1, 0], 12),
        ([2, 3, 8], [1, 1, 1], 12),
        ([5, 8], [1, 0], 50),
        ([5, 8], [0, 1], 10),
        ([5, 3, 6], [1, 1, 0], 53),
    ],
)
def test_the_first_entry_that_is_elsewhere_is_found(
    spans: list[int], first: list[int], place: int | None
) -> None:
    """An entry is misplaced if it passes the end of its row, or begins a row elsewhere than it."""
    is_first = np.array(first, np.bool_)
    assert PIECES.misplaced(np.array(spans, np.int64), is_first) == place


def test_every_row_has_bytes() -> None:
    """A row without any bytes is misplaced at its beginning."""
    pieces = RowPieces(np.array([10, 20, 30]), np.array([5, 0, 8]))
    assert pieces.misplaced(np.array([5, 8]), np.array([True, True])) == 20
