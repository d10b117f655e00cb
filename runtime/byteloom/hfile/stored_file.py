"""An open HFile before any cell is read: its trailer, its file info, its indexes and its blocks.

- One request for the end of the file opens it: trailer, root indexes and file info are there, and
  nearly always fit.
- Nothing in the file is used before it has been checked against something else.
- A dialect is recognised by the bytes of the file, never by its name.
- Lookups descend by `byteloom.hfile.index_tree`, which caches index blocks; here they are read one
  by one, for checks of the index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from byteloom.errors import ArgumentError, FormatError, LimitExceeded
from byteloom.files.open_file import OpenFile
from byteloom.hfile import info_entries, keys
from byteloom.hfile.blocks import HEADER_SIZE, Block, Blocks
from byteloom.hfile.cache import BlockCache
from byteloom.hfile.dialect import (
    cell_form,
    check_index_encoding,
    contradictions,
    dialect_of,
)
from byteloom.hfile.encryption import Keys, cipher_of
from byteloom.hfile.index_entries import IndexEntry, Root, non_root_entries, read_root
from byteloom.hfile.messages import pairs
from byteloom.hfile.trailer import Trailer, name_missing_part, read_trailer
from byteloom.limits import DEFAULT_LIMITS, FREE_EXPANSION, Limits
from byteloom.storage import Source
from byteloom.storage.naming import naming
from byteloom_generated.hfile.block import Block as Header
from byteloom_generated.hfile.file_info import FileInfo

__all__ = ["FETCH", "StoredFile", "read_file_info"]

FETCH: Final = 1 << 18
"""Bytes of the first request: a root index of 128 KiB, HBase's usual bound, with all around it."""


@naming
class StoredFile(OpenFile):
    """An open HFile as it is stored; `byteloom.hfile.HFile` lists its attributes."""

    def __init__(  # noqa: PLR0913  as `open`
        self,
        source: Source,
        *,
        limits: Limits = DEFAULT_LIMITS,
        owns_source: bool = False,
        verify_checksums: bool = True,
        protobuf_keys: bool = False,
        key: Keys | None = None,
        cache: BlockCache | None = None,
    ) -> None:
        """Read what comes after the data of *source*; close it with this file if *owns_source*.

        Args:
            source: The reader of byte ranges.
            limits: Bounds of what reading may cost.
            owns_source: Whether to close *source* with this file.
            verify_checksums: As for `byteloom.hfile.open`.
            protobuf_keys: As for `byteloom.hfile.open`.
            key: As for `byteloom.hfile.open`.
            cache: As for `byteloom.hfile.open`.

        Raises:
            FormatError: For anything but a sound HFile.
        """
        self.source, self.limits, self._owns_source = source, limits, owns_source
        self.file_name: str | None = None
        self.cache = BlockCache() if cache is None else cache
        tail = source.read_tail(FETCH)
        try:
            trailer = read_trailer(tail, source.size, limits)
        except FormatError as wrong:
            raise name_missing_part(wrong, source, tail) from wrong.__cause__
        wrapped = trailer.encryption_key
        cipher = cipher_of(wrapped, key, limits=limits, origin=trailer.offset) if wrapped else None
        blocks = Blocks(
            source, trailer.compression_codec, limits, verify=verify_checksums, cipher=cipher
        )
        on_open = _load_on_open(trailer, blocks, source.size, tail, limits)
        info = _read_file_info(trailer, blocks, on_open, limits)
        check_index_encoding(info)
        self.root, self.meta_root = _roots(trailer, blocks, on_open, limits)
        first = _first_header(trailer, blocks, on_open, source)
        self.dialect = dialect_of(trailer, first, self.root)
        self.form = cell_form(self.dialect, info)
        self.trailer, self.blocks, self.on_open = trailer, blocks, on_open
        self.file_info: Mapping[bytes, bytes] = info
        for error in contradictions(
            trailer, self.dialect, self.root, info, protobuf_keys=protobuf_keys
        ):
            raise error

    # The form of the file

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self.source.size

    @property
    def num_cells(self) -> int:
        """The number of cells, according to the trailer."""
        return self.trailer.entry_count

    @property
    def is_hbase(self) -> bool:
        """Whether the file was written by HBase."""
        return self.dialect == "hbase"

    @property
    def order(self) -> Callable[[bytes], tuple[Any, ...]]:
        """The sort key by which the file orders the keys of its cells."""
        if not self.is_hbase:
            return keys.order_of_rows
        return keys.order_of_meta if self.trailer.is_meta_order else keys.order_of_cells

    @property
    def last_key(self) -> bytes | None:
        """Key of the last cell; None in a file without cells."""
        return self.file_info.get(info_entries.LAST_KEY) or None

    @property
    def meta_names(self) -> list[bytes]:
        """Names of the meta blocks, in the order of their index."""
        return [entry.key for entry in self.meta_root.entries]

    # Contents other than cells

    def read_meta(self, name: bytes) -> bytes:
        """Return the content of a meta block.

        Raises:
            ArgumentError: There is no block of that name.
        """
        for entry in self.meta_root.entries:
            if entry.key == name:
                return self.blocks.payload(self.block_at(entry, "meta"))
        raise ArgumentError("name", None, repr(name), "the name of a meta block")

    def leaf_entries(self) -> list[IndexEntry] | None:
        """Return the entries of the leaf index blocks; None if the root points at data blocks."""
        levels = self.trailer.num_data_index_levels
        if levels == 1:
            return None
        entries = self.root.entries
        for _ in range(levels - 2):
            below: list[IndexEntry] = []
            for each in entries:
                below += self._below(each, "intermediate_index")
                if len(below) > self.blocks.room:
                    found, wanted = f"{len(below)} entries", "entries for different blocks"
                    raise FormatError("index", each.offset, found, wanted)
            entries = below
        return entries

    def leaf_at(self, offset: int, size: int) -> list[IndexEntry]:
        """Return the entries of the leaf index block of *size* bytes at *offset*."""
        return self._below(IndexEntry(offset, size, b""), "leaf_index")

    def _below(self, entry: IndexEntry, wanted: str) -> list[IndexEntry]:
        """Return the entries of the index block, of type *wanted*, that *entry* points at."""
        block = self.block_at(entry, wanted)
        payload = self.blocks.payload(block)
        room = self.blocks.room
        return non_root_entries(payload, limits=self.limits, origin=block.offset, room=room)

    def block_at(self, entry: IndexEntry, wanted: str) -> Block:
        """Return the block of type *wanted* that *entry* points at."""
        block = self.blocks.at(entry.offset, entry.size, self.trailer.load_on_open_data_offset)
        if block.type != wanted:
            raise FormatError("block.magic", block.offset, block.type, wanted)
        return block

    def stored_blocks(self) -> Iterator[Block]:
        """Yield the blocks that precede those read when the file was opened."""
        yield from self.blocks.between(0, self.trailer.load_on_open_data_offset)


def _load_on_open(
    trailer: Trailer, blocks: Blocks, size: int, tail: bytes, limits: Limits
) -> list[Block]:
    start, end = trailer.load_on_open_data_offset, trailer.offset
    base = size - len(tail)
    if end - start > limits.metadata_size:
        wanted = f"at most {limits.metadata_size} (limits.metadata_size)"
        raise LimitExceeded("load_on_open", start, f"{end - start} bytes", wanted)
    found = list(blocks.between(start, end, tail, base))
    most = min(limits.metadata_size, limits.expansion * size + FREE_EXPANSION)
    plain = sum(each.header.len_uncompressed for each in found)
    if plain > most:
        wanted = f"at most {most} (limits.metadata_size, limits.expansion)"
        raise LimitExceeded("load_on_open", start, f"{plain} bytes when decompressed", wanted)
    return found


def _roots(
    trailer: Trailer, blocks: Blocks, on_open: list[Block], limits: Limits
) -> tuple[Root, Root]:
    counts = trailer.data_index_count, trailer.meta_index_count
    data, meta = (
        read_root(blocks.payload(block), count, limits=limits, origin=block.offset)
        for block, count in zip(on_open, counts, strict=False)
    )
    levels = trailer.num_data_index_levels
    if (data.mid_key is not None) != (levels > 1):
        wanted = "2 or more with a mid key after the root index, 1 without"
        raise FormatError("trailer.num_data_index_levels", trailer.offset, levels, wanted)
    return data, meta


def _read_file_info(
    trailer: Trailer, blocks: Blocks, on_open: list[Block], limits: Limits
) -> dict[bytes, bytes]:
    types = [block.type for block in on_open[:3]]
    if types != ["root_index", "root_index", "file_info"]:
        wanted = "root_index, root_index, file_info"
        at = trailer.load_on_open_data_offset
        raise FormatError("load_on_open", at, ", ".join(types), wanted)
    return read_file_info(blocks, on_open[2], limits)


def read_file_info(blocks: Blocks, block: Block, limits: Limits) -> dict[bytes, bytes]:
    """Return the pairs of a file info block."""
    record = FileInfo.from_bytes(blocks.payload(block), limits=limits, origin=block.offset)
    return pairs(record.body.message, limits=limits, origin=block.offset)


def _first_header(trailer: Trailer, blocks: Blocks, on_open: list[Block], source: Source) -> Header:
    if trailer.load_on_open_data_offset == 0:
        return on_open[0].header
    return blocks.header(source.read(0, HEADER_SIZE), 0)
