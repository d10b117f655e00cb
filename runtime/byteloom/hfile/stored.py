"""An open HFile before any cell is read: its trailer, its file info and its blocks.

Opening reads what comes after the data, and nothing else (`byteloom.hfile.opening`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from byteloom.errors import ArgumentError, FormatError
from byteloom.files.open_file import OpenFile
from byteloom.hfile import info_names, keys
from byteloom.hfile.blocks import Block
from byteloom.hfile.cache import BlockCache
from byteloom.hfile.encryption import Keys
from byteloom.hfile.opening import opened
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.storage import Source
from byteloom.storage.naming import naming

__all__ = ["StoredFile"]


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
        found = opened(
            source,
            limits,
            verify_checksums=verify_checksums,
            protobuf_keys=protobuf_keys,
            key=key,
        )
        self.trailer, self.blocks, self.on_open = found.trailer, found.blocks, found.on_open
        self.file_info, self.dialect, self.form = found.file_info, found.dialect, found.form
        self.root, self.meta_root = found.root, found.meta_root

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
        return self.file_info.get(info_names.LAST_KEY) or None

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
                block = self.blocks.at(
                    entry.offset, entry.size, self.trailer.load_on_open_data_offset
                )
                if block.type != "meta":
                    raise FormatError("block.magic", block.offset, block.type, "meta")
                return self.blocks.payload(block)
        raise ArgumentError("name", None, repr(name), "the name of a meta block")

    def stored_blocks(self) -> Iterator[Block]:
        """Yield the blocks that precede those read when the file was opened."""
        yield from self.blocks.between(0, self.trailer.load_on_open_data_offset)
