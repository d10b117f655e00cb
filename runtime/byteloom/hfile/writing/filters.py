"""HBase's Bloom filters of a file being written.

- HBase adds a cell to its filters before it closes the block in front of that cell; so a block is
  followed by the chunks that are full with the first cell behind it.
- A file has one filter of rows or columns at most, and one of rows that have a family deleted.

Source: specs/hfile/bloom.ksy
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.hfile.bloom_build import DELETE_FAMILY, ROWCOL, BloomBuilder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom.hfile.bloom_build import Chunk
    from byteloom.hfile.bloom_keys import Keys
    from byteloom.hfile.writing.cells import PlainCells

__all__ = ["Filters"]

_DELETES: Final = (10, 14)
"""Types of cells that delete a family: at one time, and up to it."""


class Filters:
    """The filters of one file.

    builders  the general one first
    """

    def __init__(self, blooms: Iterable[str | BloomBuilder]) -> None:
        """Make filters of these kinds, or by these builders."""
        made = [each if isinstance(each, BloomBuilder) else BloomBuilder(each) for each in blooms]
        self.builders = sorted(made, key=lambda each: each.kind == DELETE_FAMILY)
        kinds = [each.kind == DELETE_FAMILY for each in made]
        if len(kinds) > len(set(kinds)):
            found = ", ".join(each.kind for each in made)
            raise FormatError("blooms", None, found, f"one, and one of {DELETE_FAMILY}")
        self._added = self._deletes = 0

    def add(self, cells: PlainCells, end: int) -> None:
        """Add the cells before number *end* of those that wait."""
        begin = self._added - cells.left
        if not self.builders or end <= begin:
            return
        rows = _arrow(cells.names(begin, end))
        deletes = np.isin(cells.types(begin, end), _DELETES)
        self._deletes += int(deletes.sum())
        for builder in self.builders:
            if builder.kind == DELETE_FAMILY:
                builder.add(rows.filter(pa.array(deletes)))
            elif builder.kind == ROWCOL:
                builder.add(rows, _arrow(cells.names(begin, end, is_qualifier=True)))
            else:
                builder.add(rows)
        self._added = cells.left + end

    def ready(self, *, closing: bool = False) -> list[tuple[BloomBuilder, Chunk]]:
        """Return the chunks that are full, or all that are left."""
        return [
            (builder, chunk)
            for builder in self.builders
            for chunk in builder.ready(closing=closing)
        ]

    def info(self) -> dict[bytes, bytes]:
        """Return what the file info says of them."""
        if not self.builders:
            return {}
        info = {b"DELETE_FAMILY_COUNT": self._deletes.to_bytes(8, "big")}
        for builder in self.builders:
            info |= builder.file_info()
        return info


def _arrow(keys: Keys) -> pa.LargeBinaryArray:
    buffers = [None, pa.py_buffer(keys.ends), pa.py_buffer(keys.data)]
    return pa.Array.from_buffers(pa.large_binary(), len(keys), buffers)
