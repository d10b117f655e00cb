"""Sums and extremes over all cells of a file, for its file info."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from byteloom.hfile.writing.cell_columns import Columns as Given
from byteloom.kernels.hfile_cells import KEY_LEAST
from byteloom_generated.hfile.cell import Cell

__all__ = ["Summary"]

_SERIALIZED: Final = 4
"""Bytes that HBase adds to the length of a cell: the size of the length field."""

_LEN_TAGS: Final = 2


@dataclass(slots=True)
class Summary:
    """Sums, and greatest values.

    Attributes:
        biggest: Bytes of the biggest cell, as HBase counts them.
        biggest_key: Key of the first cell of that size.
    """

    len_keys: int = 0
    len_values: int = 0
    max_mvcc: int = 0
    max_tags: int = 0
    biggest: int = 0
    biggest_key: bytes = b""

    def add(self, cells: Given) -> int | None:
        """Add at least one cell; return the number of a new biggest cell, if there is one."""
        rows, families, qualifiers, values, tags = cells.binary
        self.len_keys += KEY_LEAST * len(cells) + rows.size + families.size + qualifiers.size
        self.len_values += values.size
        self.max_mvcc = max(self.max_mvcc, int(cells.numbers[2].max()))
        ends = rows.ends + values.ends
        for each in (families, qualifiers):
            if each.size:
                ends += each.ends
        sizes = ends[1:] - ends[:-1]
        if tags.size:
            lengths = tags.lengths
            self.max_tags = max(self.max_tags, int(lengths.max()))
            sizes += lengths + _LEN_TAGS * (lengths > 0)
        index = int(sizes.argmax())
        size = Cell.MIN_SIZE + KEY_LEAST + _SERIALIZED + int(sizes[index])
        if size <= self.biggest:
            return None
        self.biggest = size
        return index
