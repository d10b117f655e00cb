"""Ranges of rows have exactly the rows that filters want."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from byteloom.spark.row_ranges import ALL, RowRanges

ROWS = st.binary(max_size=3).map(lambda row: bytes(each & 3 or 255 * (each & 1) for each in row))


def has(ranges: RowRanges, row: bytes) -> bool:
    """Whether a row is in one of the ranges."""
    return any(start <= row and (stop is None or row < stop) for start, stop in ranges.ranges)


@st.composite
def some(draw: st.DrawFn) -> Any:
    """Ranges of each kind, with what they mean of a row."""
    one, other = draw(ROWS), draw(ROWS)
    several = draw(st.lists(ROWS, max_size=4))
    return draw(
        st.sampled_from(
            [
                (RowRanges.between(one, other), lambda row: one <= row < other),
                (RowRanges.between(one, None), lambda row: one <= row),
                (RowRanges.after(one), lambda row: one < row),
                (RowRanges.up_to(one), lambda row: row <= one),
                (RowRanges.of(several), lambda row: row in several),
                (RowRanges.prefix(one), lambda row: row.startswith(one)),
                (ALL, lambda _: True),
            ]
        )
    )


@given(some(), some(), some(), ROWS)
def test_ranges_have_the_rows_that_all_filters_want(
    one: Any, two: Any, three: Any, row: bytes
) -> None:
    """An intersection has exactly the common rows, in ascending, separate ranges, none empty."""
    found = one[0] & two[0] & three[0]
    assert has(found, row) == all(each[1](row) for each in (one, two, three))
    ends = [stop for _, stop in found.ranges]
    assert all(stop is None or start < stop for start, stop in found.ranges)
    assert all(
        stop is not None and stop <= start
        for stop, (start, _) in zip(ends, found.ranges[1:], strict=False)
    )


@given(st.lists(ROWS), ROWS)
def test_single_rows_are_known_as_such(rows: list[bytes], start: bytes) -> None:
    """Single rows are kept apart from wider ranges, so that they can be looked up."""
    assert RowRanges.of(rows).rows == sorted(set(rows))
    assert RowRanges.of(rows).wider == []
    assert RowRanges.between(start, None).wider == [(start, None)]
    assert (RowRanges.of(rows) & RowRanges.after(start)).rows == [
        row for row in sorted(set(rows)) if row > start
    ]


def test_all_rows_are_known_as_such() -> None:
    """The range of all rows is recognised, even as an intersection or an empty prefix."""
    assert ALL.is_all
    assert (ALL & ALL).is_all
    assert RowRanges.prefix(b"").is_all
    assert not (ALL & RowRanges.after(b"a")).is_all
    assert RowRanges.of([]).ranges == ()
