"""HBase's Bloom filters of a file being written.

- HBase adds a cell to its filters before it closes the block that precedes the cell; so the chunks
  that the first cell of the next block fills are written after the block.
- A file has one filter of rows or columns at most, and one of rows that have a family deleted.

Source: specs/hfile/bloom.ksy
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import pyarrow as pa

from byteloom.errors import ArgumentError
from byteloom.hfile import info_names
from byteloom.hfile.bloom_build import DELETE_FAMILY, ROWCOL, BloomBuilder, Chunk
from byteloom.hfile.writing.cells import PlainCells
from byteloom_generated.hfile.cell import KeyType

__all__ = ["Filters"]

_DELETES: Final = (KeyType.DELETE_FAMILY_VERSION, KeyType.DELETE_FAMILY)
"""The types of cells that delete a family: at one timestamp, and up to a timestamp."""


class Filters:
    """The filters of one file.

    Attributes:
        builders: One for each filter, that of rows or columns first.
    """

    def __init__(self, blooms: Iterable[str | BloomBuilder]) -> None:
        """Begin filters of the kinds in *blooms*, or use the builders given there."""
        made = [each if isinstance(each, BloomBuilder) else BloomBuilder(each) for each in blooms]
        self.builders = sorted(made, key=lambda each: each.kind == DELETE_FAMILY)
        kinds = [each.kind == DELETE_FAMILY for each in made]
        if len(kinds) > len(set(kinds)):
            found = ", ".join(each.kind for each in made)
            raise ArgumentError("blooms", None, found, f"one, and one of {DELETE_FAMILY}")
        self._added = self._deletes = 0

    def add(self, cells: PlainCells, end: int) -> None:
        """Add the waiting cells before number *end*."""
        first, self._added = self._added, max(self._added, cells.left + end)
        for part in cells.given(first, self._added) if self.builders else ():
            rows, _, qualifiers, *_ = (each.to_arrow() for each in part.binary)
            deletes = np.isin(part.numbers[1], _DELETES)
            self._deletes += int(deletes.sum())
            for builder in self.builders:
                if builder.kind == DELETE_FAMILY:
                    builder.add(rows.filter(pa.array(deletes)))
                elif builder.kind == ROWCOL:
                    builder.add(rows, qualifiers)
                else:
                    builder.add(rows)

    def ready(self, *, closing: bool = False) -> list[tuple[BloomBuilder, Chunk]]:
        """Return the chunks that are full, or all that are left."""
        return [
            (builder, chunk)
            for builder in self.builders
            for chunk in builder.ready(closing=closing)
        ]

    def info(self) -> dict[bytes, bytes]:
        """Return the entries of the file info about the filters."""
        if not self.builders:
            return {}
        info = info_names.numbers({info_names.DELETED_FAMILIES: self._deletes})
        for builder in self.builders:
            info |= builder.file_info()
        return info
