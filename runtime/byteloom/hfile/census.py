"""Check the blocks and cells of a scan against everything that the file states about them.

- Every index is compared with the blocks that were found: entries, sizes, and keys.
- It is an error if the scan finds more or fewer cells than the trailer states, or data after the
  block that the trailer names as the last.
- What no reader uses is left to `verify`: offsets of previous blocks, where the file info is.
- Cells out of order are damage in files by HBase.  Hudi's own writer makes such files, in which
  they are only noted.

Source: specs/hfile/SOURCE.md
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.errors import FormatError, beginning
from byteloom.hfile import keys
from byteloom.hfile.cells import Walked
from byteloom.hfile.index import IndexEntry, non_root_entries
from byteloom.hfile.leaves import leaf_entries
from byteloom.hfile.runs import TYPES, Run
from byteloom.hfile.stored import StoredFile

__all__ = ["DATA", "Census"]

DATA = (TYPES.index("data"), TYPES.index("encoded_data"))
"""Types of blocks that hold cells."""

_BEFORE_ROW = b"\0" + keys.FIRST
"""The bytes after the row in a key that comes before all cells of the row."""

_LEAF = TYPES.index("leaf_index")


class Census:
    """The blocks and cells seen so far, in the order of the file.

    Attributes:
        rows: Cells.
        disorder: The first cell that comes after a greater one; -1 for none.
    """

    def __init__(self, file: StoredFile) -> None:
        """Begin a census of *file*, before its first block."""
        self._file = file
        self.rows = 0
        self.disorder = -1
        self._offsets: list[int] = []
        self._sizes: list[int] = []
        self._starts: list[bytes] = []
        self._ends: list[bytes] = []
        self._indexed: list[IndexEntry] = []
        self._leaves: list[tuple[int, int]] = []

    def meet(self, run: Run) -> None:
        """Record the blocks of a run: leaf indexes, and where data is."""
        last = self._file.trailer.last_data_block_offset
        end_of_data = -1 if last is None else last
        offsets, kinds = run.table[:, 0], run.table[:, 1]
        late = np.flatnonzero(np.isin(kinds, DATA) & (offsets > end_of_data))
        if late.size:
            name, at = "trailer.last_data_block_offset", self._file.trailer.offset
            raise FormatError(name, at, last, f"{offsets[late[0]]}")
        for number in np.flatnonzero(kinds == _LEAF).tolist():
            self._leaves.append((int(offsets[number]), int(run.table[number, 2])))
            self._indexed += self._entries(run.part(slice(number, number + 1)))

    def _entries(self, leaf: Run) -> list[IndexEntry]:
        file = self._file
        leaf.check(file.blocks)
        place, (stored,) = leaf[0], leaf.stored()
        payload = bytearray(int(leaf.table[0, 3]))
        if file.blocks.codec == "NONE":
            payload[:] = stored
        else:
            file.blocks.decompress(stored, memoryview(payload), place.offset, place.type)
        room = file.blocks.room - len(self._indexed)
        return non_root_entries(bytes(payload), limits=file.limits, origin=place.offset, room=room)

    def count(self, run: Run, found: Walked) -> None:
        """Record the cells of a run of data blocks."""
        if b"" in found.bounds:
            offset, kind = run.table[found.bounds.index(b"") // 2, :2].tolist()
            raise FormatError(TYPES[kind], offset, "no cells", "at least one")
        self._order(found, int(run.table[0, 0]))
        self._offsets += run.table[:, 0].tolist()
        self._sizes += run.table[:, 2].tolist()
        self._starts += found.bounds[::2]
        self._ends += found.bounds[1::2]
        self.rows += found.batch.num_rows
        stated = self._file.trailer.entry_count
        if self.rows > stated:
            wanted = f"no more cells than the trailer's entry_count, {stated}"
            raise FormatError("cells", int(run.table[0, 0]), self.rows, wanted)

    def _order(self, found: Walked, offset: int) -> None:
        if self.disorder < 0:
            self.disorder = self._first_disorder(found)
        if self.disorder >= 0 and self._file.is_hbase:
            stated = "a key before that of the cell before"
            raise FormatError(f"cells[{self.disorder}]", offset, stated, "keys that ascend")

    def _first_disorder(self, found: Walked) -> int:
        """Return the first cell of a run that comes after a greater one; -1 for none."""
        order = self._file.order
        if self._ends and order(found.bounds[0]) < order(self._ends[-1]):
            return self.rows
        if found.disorder >= 0 and not self._file.trailer.is_meta_order:
            return self.rows + found.disorder
        return -1

    def compare(self) -> None:
        """Check the indexes and the trailer against the blocks that were found."""
        trailer = self._file.trailer
        if self.rows != trailer.entry_count:
            wanted = f"{self.rows}, the number of cells"
            raise FormatError("trailer.entry_count", trailer.offset, trailer.entry_count, wanted)
        starts = (self._offsets[0], self._offsets[-1]) if self._offsets else (None, None)
        stated = (trailer.first_data_block_offset, trailer.last_data_block_offset)
        if stated != starts:
            name = "trailer.first_data_block_offset, trailer.last_data_block_offset"
            raise FormatError(name, trailer.offset, stated, str(starts))
        leaves = leaf_entries(self._file)
        if leaves is None:
            indexed = self._file.root.entries
            if self._leaves:
                raise FormatError("trailer.num_data_index_levels", trailer.offset, 1, "2 or more")
        else:
            _same_places("leaf_index", [(each.offset, each.size) for each in leaves], self._leaves)
            indexed = self._indexed
        offsets, sizes = [each.offset for each in indexed], [each.size for each in indexed]
        if offsets != self._offsets or sizes != self._sizes:
            found = list(zip(self._offsets, self._sizes, strict=True))
            _same_places("index", list(zip(offsets, sizes, strict=True)), found)
        self._compare_keys(indexed)

    def _compare_keys(self, indexed: list[IndexEntry]) -> None:
        if self.disorder >= 0:
            return  # the meaning of the keys of such an index is unknown
        order: Any = self._file.order
        by_rows = not self._file.trailer.is_meta_order
        before = b""
        for entry, found, last in zip(indexed, self._starts, self._ends, strict=True):
            least, before = before, last
            if entry.key == found:
                continue  # and the keys of blocks ascend
            row = keys.row_of(entry.key)
            is_row = entry.key[keys.ROW_AT + len(row) :] == _BEFORE_ROW
            if by_rows and is_row and least and keys.row_of(least) < row <= keys.row_of(found):
                continue  # the order of columns does not matter here
            if not keys.is_sound_fake(entry.key):
                wanted = "the latest time in a key of type 255"
                raise FormatError("index.key", entry.offset, entry.key, wanted)
            key = order(entry.key)
            if not order(least or found) <= key <= order(found):
                wanted = f"a key up to {beginning(found)}, and none before it"
                raise FormatError("index.key", entry.offset, entry.key, wanted)


def _same_places(name: str, stated: list[tuple[int, int]], found: list[tuple[int, int]]) -> None:
    """Refuse an index whose entries are not exactly the blocks of the file."""
    if stated == found:
        return
    for number, (one, other) in enumerate(zip(stated, found, strict=False)):
        if one != other:
            wanted = f"the block of {other[1]} bytes at {other[0]}"
            raise FormatError(f"{name}[{number}]", other[0], f"{one[1]} bytes at {one[0]}", wanted)
    raise FormatError(name, None, f"{len(stated)} entries", f"{len(found)}, one for each block")
