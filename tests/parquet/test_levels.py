"""The most values of any row of a column are found from the repetition levels of its pages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.kernel_ways import bytes_of, ways

from byteloom.kernels.parquet_weights import longest_rows

WIDTH = 9

Run = tuple[int, list[int]]
"""The form of a run, 0 for one level many times and 1 for packed ones, and its levels."""

level = st.integers(0, 3) | st.integers(0, (1 << WIDTH) - 1)
repeated = st.builds(lambda one, count: (0, [one] * count), level, st.integers(0, 200))
packed = st.lists(level, min_size=8, max_size=24).map(lambda some: (1, some[: len(some) & ~7]))
pages = st.lists(st.lists(repeated | packed, max_size=4), max_size=3)


def stored(runs: list[Run]) -> bytes:
    """Return runs as a page stores them."""
    out = b""
    for form, levels in runs:
        head = (len(levels) // 8 if form else len(levels)) << 1 | form
        low = bytes([head & 0x7F | 0x80, head >> 7]) if head >> 7 else bytes([head])
        size = len(levels) * WIDTH // 8 if form else 2
        each = sum(one << i * WIDTH for i, one in enumerate(levels if form else levels[:1]))
        out += low + each.to_bytes(size, "little")
    return out


@ways
@given(pages)
def test_the_longest_row_is_the_most_levels_from_one_0_to_the_next(
    way: Any, runs_of_pages: list[list[Run]]
) -> None:
    """The longest row is found even if it begins in one page and ends in another."""
    state, rows = np.zeros(2, np.int64), [0]
    for runs in runs_of_pages:
        levels = [one for _, some in runs for one in some]
        data = bytes_of(stored(runs))
        assert way(longest_rows)(data, WIDTH, len(levels), state) == len(levels)
        for one in levels:
            rows = [*rows[:-1], rows[-1] + 1] if one else [*rows, 1]
        assert state.tolist() == [rows[-1], max(rows)]


@ways
@pytest.mark.parametrize(
    ("runs", "values", "seen", "longest"),
    [
        ([], 3, 0, 0),
        ([(0, [1] * 5)], 8, 5, 5),
        ([(1, [1] * 8)], 9, 8, 8),
        ([(0, [1] * 5), (0, [1] * 4)], 8, 8, 8),
        ([(0, [0] * 3), (1, [1] * 16)], 5, 5, 3),
        ([(0, [1] * 3), (0, [1] * 3)], 3, 3, 3),
        ([(0, [1] * 3), (1, [1] * 8)], 3, 3, 3),
    ],
)
def test_a_page_has_as_many_levels_as_values(
    way: Any, runs: list[Run], values: int, seen: int, longest: int
) -> None:
    """Levels after the last value of a page do not count, and a page may have fewer levels."""
    state = np.zeros(2, np.int64)
    assert way(longest_rows)(bytes_of(stored(runs)), WIDTH, values, state) == seen
    assert state[1] == longest
