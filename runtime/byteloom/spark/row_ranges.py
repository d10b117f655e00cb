"""The rows of HFiles that filters select, as ranges of bytes.

A range begins with its first row and ends before its second; None ends after the last row.  Ranges
ascend, and no two of them have a row in common.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

__all__ = ["ALL", "RowRanges"]

Range: TypeAlias = "tuple[bytes, bytes | None]"

_END: Final = b"\0"
"""The byte that, appended to a row, makes the next row in order."""


@dataclass(frozen=True, slots=True)
class RowRanges:
    """Some rows.

    Attributes:
        ranges: Ascending, without a row in common.
    """

    ranges: tuple[Range, ...]

    @classmethod
    def between(cls, start: bytes, stop: bytes | None) -> RowRanges:
        """Return the rows from *start* up to but not including *stop*; None for no upper end."""
        return cls(((start, stop),) if stop is None or start < stop else ())

    @classmethod
    def after(cls, row: bytes) -> RowRanges:
        """Return the rows after *row*."""
        return cls.between(row + _END, None)

    @classmethod
    def up_to(cls, row: bytes) -> RowRanges:
        """Return the rows up to and including *row*."""
        return cls.between(b"", row + _END)

    @classmethod
    def of(cls, rows: Iterable[bytes]) -> RowRanges:
        """Return these rows."""
        return cls(tuple((row, row + _END) for row in sorted(set(rows))))

    @classmethod
    def prefix(cls, prefix: bytes) -> RowRanges:
        """Return the rows that begin with *prefix*."""
        from byteloom.hfile.lookup import after_prefix

        return cls.between(prefix, after_prefix(prefix))

    def __and__(self, other: RowRanges) -> RowRanges:
        """Return the rows that are in both."""
        few, many = sorted((self.ranges, other.ranges), key=len)
        return RowRanges(tuple(found for each in few for found in _common(each, many)))

    @property
    def is_all(self) -> bool:
        """Whether all rows are included."""
        return self.ranges == ALL.ranges

    @property
    def rows(self) -> list[bytes]:
        """The ranges that consist of a single row."""
        return [start for start, stop in self.ranges if stop == start + _END]

    @property
    def wider(self) -> list[Range]:
        """Return the other ranges."""
        return [(start, stop) for start, stop in self.ranges if stop != start + _END]


def _common(one: Range, others: tuple[Range, ...]) -> list[Range]:
    """Return the non-empty intersections of a range with each of some ranges."""
    start, stop = one
    found: list[Range] = []
    first = max(bisect_right(others, start, key=lambda each: each[0]) - 1, 0)
    for other_start, other_stop in others[first:]:
        if stop is not None and other_start >= stop:
            break
        begin = max(start, other_start)
        ends = [each for each in (stop, other_stop) if each is not None]
        end = min(ends) if ends else None
        if end is None or begin < end:
            found.append((begin, end))
    return found


ALL: Final = RowRanges(((b"", None),))
"""The ranges of all rows."""
