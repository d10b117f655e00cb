"""Index blocks below the root, read one by one, for checks of the index.

Lookups descend by `byteloom.hfile.tree`, which caches what it has read.
"""

from __future__ import annotations

from byteloom.errors import FormatError
from byteloom.hfile.index import IndexEntry, non_root_entries
from byteloom.hfile.stored import StoredFile

__all__ = ["leaf_at", "leaf_entries"]


def leaf_entries(file: StoredFile) -> list[IndexEntry] | None:
    """Return the entries of the leaf index blocks; None if the root points at data blocks."""
    levels = file.trailer.num_data_index_levels
    if levels == 1:
        return None
    entries = file.root.entries
    for _ in range(levels - 2):
        below: list[IndexEntry] = []
        for each in entries:
            below += _below(file, each, "intermediate_index")
            if len(below) > file.blocks.room:
                found, wanted = f"{len(below)} entries", "entries for different blocks"
                raise FormatError("index", each.offset, found, wanted)
        entries = below
    return entries


def leaf_at(file: StoredFile, offset: int, size: int) -> list[IndexEntry]:
    """Return the entries of the leaf index block of *size* bytes at *offset*."""
    return _below(file, IndexEntry(offset, size, b""), "leaf_index")


def _below(file: StoredFile, entry: IndexEntry, wanted: str) -> list[IndexEntry]:
    """Return the entries of the index block, of type *wanted*, that *entry* points at."""
    block = file.blocks.at(entry.offset, entry.size, file.trailer.load_on_open_data_offset)
    if block.type != wanted:
        raise FormatError("block.magic", block.offset, block.type, wanted)
    payload = file.blocks.payload(block)
    room = file.blocks.room
    return non_root_entries(payload, limits=file.limits, origin=block.offset, room=room)
