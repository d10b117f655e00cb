"""Reading a file from its first block to its last, and holding all that it says against that.

- Data comes in the order of the file, so that no index is needed to find it, and every index is
  compared with what was found: entries, sizes, and keys.
- The trailer's number of cells is that of the scan, or it is an error; so are data behind what the
  trailer calls the last data block.
- Cells of HBase that are out of order are damage.  Hudi's own writer makes such files: there they
  are noticed, and handed out as they lie.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError
from byteloom.hfile import keys
from byteloom.hfile.cells import plain_cells, walked
from byteloom.hfile.index import IndexEntry, non_root_entries

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from byteloom.hfile.blocks import Block
    from byteloom.hfile.cells import Binary, Walked
    from byteloom.hfile.reader import HFile

__all__ = ["Scan"]

GROUP: Final = 16 << 20
"""Bytes of blocks, decompressed, that become one batch: enough to make a call cheap."""

_DATA: Final = ("data", "encoded_data")


class Scan:
    """One pass over a file.

    rows      cells seen so far
    disorder  the first cell that stands behind a greater one; -1 for none
    """

    def __init__(self, file: HFile, columns: Sequence[str], binary: Binary) -> None:
        """Scan *file*, and hand out *columns*."""
        self._file, self._columns, self._binary = file, columns, binary
        self.rows = 0
        self.disorder = -1
        self._found: list[IndexEntry] = []
        self._ends: list[bytes] = []
        self._indexed: list[IndexEntry] = []
        self._leaves: list[tuple[int, int]] = []
        self._previous: dict[str, int] = {}

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all cells; raise at the first thing that is wrong, at the latest at the end."""
        group: list[Block] = []
        size = 0
        for block in self._file.stored_blocks():
            self._meet(block)
            if block.type in _DATA:
                full = size + block.header.len_uncompressed > GROUP
                if group and (full or block.buffer is not group[0].buffer):
                    yield self._batch(group)
                    group, size = [], 0
                group.append(block)
                size += block.header.len_uncompressed
        if group:
            yield self._batch(group)
        self._compare()

    def _meet(self, block: Block) -> None:
        """Note what *block* says of others."""
        trailer = self._file.trailer
        before = self._previous.get(block.type, -1)
        told = block.header.ofs_previous
        is_own = not self._file.is_hbase and told == block.offset
        if told not in {before, -1} and not is_own:
            raise FormatError("block.ofs_previous", block.offset + 16, told, str(before))
        self._previous[block.type] = block.offset
        if block.type in _DATA:
            last = trailer.last_data_block_offset
            if last is None or block.offset > last:
                raise FormatError(
                    "trailer.last_data_block_offset", trailer.offset, last, f"{block.offset}"
                )
        elif block.type == "leaf_index":
            self._leaves.append((block.offset, block.size))
            payload = self._file.blocks.payload(block)
            self._indexed += non_root_entries(
                payload, limits=self._file.limits, origin=block.offset
            )

    def _batch(self, group: list[Block]) -> pa.RecordBatch:
        file = self._file
        cells = plain_cells(file.blocks, group, file.form, file.limits)
        left = max(file.trailer.entry_count - self.rows, 0)
        found = walked(cells, file.form, left, self._columns, self._binary)
        self._order(found, group)
        for block, (first, last) in zip(group, found.bounds, strict=True):
            self._found.append(IndexEntry(block.offset, block.size, first))
            self._ends.append(last)
        self.rows += found.batch.num_rows
        return found.batch

    def _order(self, found: Walked, group: list[Block]) -> None:
        order = self._file.order
        if found.disorder >= 0 and not self._file.trailer.is_meta_order and self.disorder < 0:
            self.disorder = self.rows + found.disorder
        elif self._ends and self._ends[-1] and order(found.bounds[0][0]) < order(self._ends[-1]):
            self.disorder = self.rows if self.disorder < 0 else self.disorder
        if self.disorder >= 0 and self._file.is_hbase:
            found_ = "a key before that of the cell before"
            raise FormatError(
                f"cells[{self.disorder}]", group[0].offset, found_, "keys that ascend"
            )

    def _compare(self) -> None:
        """Hold the indexes and the trailer against what was found."""
        trailer = self._file.trailer
        if self.rows != trailer.entry_count:
            wanted = f"{self.rows}, the number of cells"
            raise FormatError("trailer.entry_count", trailer.offset, trailer.entry_count, wanted)
        starts = (self._found[0].offset, self._found[-1].offset) if self._found else (None, None)
        told = (trailer.first_data_block_offset, trailer.last_data_block_offset)
        if told != starts:
            name = "trailer.first_data_block_offset, trailer.last_data_block_offset"
            raise FormatError(name, trailer.offset, told, str(starts))
        leaves = self._file.leaf_entries()
        if leaves is None:
            indexed = self._file.root.entries
            if self._leaves:
                raise FormatError("trailer.num_data_index_levels", trailer.offset, 1, "2 or more")
        else:
            _same_places("leaf_index", [(each.offset, each.size) for each in leaves], self._leaves)
            indexed = self._indexed
        places = [(each.offset, each.size) for each in self._found]
        _same_places("index", [(each.offset, each.size) for each in indexed], places)
        self._compare_keys(indexed)

    def _compare_keys(self, indexed: list[IndexEntry]) -> None:
        if self.disorder >= 0:
            return  # what the keys of such an index mean, nobody can say
        order: Any = self._file.order
        for number, (entry, found) in enumerate(zip(indexed, self._found, strict=True)):
            key = order(entry.key)
            if entry.key != found.key and not keys.is_sound_fake(entry.key):
                wanted = "the latest time in a key of type 255"
                raise FormatError("index.key", entry.offset, entry.key[:40], wanted)
            least = order(self._ends[number - 1] if number else found.key)
            if not least <= key <= order(found.key):
                wanted = f"a key up to {found.key[:40]!r}, and none before it"
                raise FormatError("index.key", entry.offset, entry.key[:40], wanted)


def _same_places(name: str, told: list[tuple[int, int]], found: list[tuple[int, int]]) -> None:
    """Refuse an index that does not list just the blocks there are."""
    for number, (one, other) in enumerate(zip(told, found, strict=False)):
        if one != other:
            wanted = f"the block of {other[1]} bytes at {other[0]}"
            raise FormatError(f"{name}[{number}]", other[0], f"{one[1]} bytes at {one[0]}", wanted)
    if len(told) != len(found):
        raise FormatError(name, None, f"{len(told)} entries", f"{len(found)}, one for each block")
