"""Rows of a column that were decoded before they are read: those of a page, or of several."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

    from byteloom.lance.pages20.leaf import LeafReader
    from byteloom.lance.pages21 import Leaf21

__all__ = ["Held"]


class Held:
    """Decoded rows of a leaf in some arrays; each is kept until rows after it are read."""

    def __init__(self) -> None:
        """Hold nothing yet."""
        self._runs: list[tuple[int, int, pa.Array]] = []

    def keep(self, first: int, rows: pa.Array) -> None:
        """Hold *rows*; the first of them has the number *first*."""
        self._runs.append((first, first + len(rows), rows))
        if len(self._runs) > 1:
            self._runs.sort(key=lambda each: each[0])

    def clear(self) -> None:
        """Hold nothing."""
        self._runs.clear()

    def at(self, row: int) -> tuple[int, int, pa.Array] | None:
        """Return the array that has a row, the number of its first row, and that after its last."""
        for each in self._runs:
            if each[0] <= row < each[1]:
                return each
        return None

    def end(self, leaf: Leaf21 | LeafReader, row: int) -> int | None:
        """Return the row after the array that has a row; None if no array has it.

        Rows that a thread decodes for *leaf* are waited for, and held instead of the others.
        """
        if leaf.ahead is not None and self.at(row) is None:
            self.clear()
            for first, rows in leaf.ahead.take(leaf, row):
                self.keep(first, rows)
        found = self.at(row)
        return None if found is None else found[1]

    def part(self, start: int, stop: int) -> pa.Array | None:
        """Return the rows from *start* up to *stop*; None if no array has them all."""
        found = self.at(start)
        if found is None or stop > found[1]:
            return None
        while self._runs[0][1] <= start:
            del self._runs[0]
        first, end, rows = found
        return rows if first == start and end == stop else rows.slice(start - first, stop - start)
