"""The settings of a file, checked before anything is written.

The defaults are HBase's own.  Settings with which HBase would write files that it could not read
back are refused here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from byteloom.errors import ArgumentError, Unsupported
from byteloom.hfile.codecs import CODECS
from byteloom.hfile.dialect import ENCODINGS
from byteloom_generated.hfile.block import ChecksumType

__all__ = ["DELTA", "ENCODINGS", "WRITABLE", "Settings"]

WRITABLE: Final = tuple(each for each in CODECS if each != "LZMA")
"""Codecs that HBase has a module for."""

DELTA: Final = ("PREFIX", "DIFF", "FAST_DIFF")
"""Encodings that store a cell as its difference from the cell before."""

_COMPARATOR: Final = "org.apache.hadoop.hbase.KeyValue$KVComparator"
_META_COMPARATOR: Final = "org.apache.hadoop.hbase.KeyValue$MetaComparator"

_MOST_BLOCK: Final = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything other than its cells that decides the bytes of a file.

    Attributes:
        compression: Codec of all blocks, one of the names in `byteloom.hfile.codecs.CODECS`.
        level: The level of the codec; None for a fast one.
        encoding: The encoding of data blocks; a name of `byteloom.hfile.dialect.ENCODINGS`.
        block_size: Bytes of cells at which a data block ends.
        encoded_ratio: Part of *block_size*, above 0, that encoded cells alone have to reach;
            with 0, either the plain or the encoded ones have to reach all of it.
        by_compressed_size: Let blocks grow until they are about *block_size* compressed, by the
            ratio of the block before; compression is then done in the writing thread.
        max_uncompressed_size: Bytes at which such a block ends at the latest; None for ten
            times `block_size`.
        checksum: NULL, CRC32 or CRC32C.
        bytes_per_checksum: Bytes that each checksum covers.
        tags: Whether to store the tags of cells.
        mvcc: Whether to store the sequence numbers of cells.
        compress_tags: Whether to compress tags by a dictionary in each block, if there is an
            encoding.
        index_block_max_size: Bytes at which a block of the index ends.
        index_block_min_entries: Entries that a block of the index has at least.
        is_meta: Whether to order rows as HBase's catalog does.
        comparator: Name of the class that orders keys, for the trailer; empty for HBase's.
        threads: Number of threads that compress, besides one that writes; 0 for no threads at
            all.
    """

    compression: str = "NONE"
    level: int | None = None
    encoding: str = "NONE"
    block_size: int = 1 << 16
    encoded_ratio: float = 0
    by_compressed_size: bool = False
    max_uncompressed_size: int | None = None
    checksum: str = "CRC32C"
    bytes_per_checksum: int = 1 << 14
    tags: bool = False
    mvcc: bool = True
    compress_tags: bool = True
    index_block_max_size: int = 1 << 17
    index_block_min_entries: int = 16
    is_meta: bool = False
    comparator: str = ""
    threads: int = 2

    def __post_init__(self) -> None:
        """Refuse settings with which no valid file can be written."""
        if self.compression in CODECS and self.compression not in WRITABLE:
            wanted = f"one of {', '.join(WRITABLE)}: HBase publishes no module for others"
            raise Unsupported("compression", None, self.compression, wanted)
        for name, known in (
            ("compression", WRITABLE), ("encoding", tuple(ENCODINGS)),
            ("checksum", tuple(ChecksumType.__members__)),
        ):  # fmt: skip
            if getattr(self, name) not in known:
                raise ArgumentError(name, None, getattr(self, name), f"one of {', '.join(known)}")
        for name, least, most in (
            ("block_size", 1, _MOST_BLOCK), ("bytes_per_checksum", 1, _MOST_BLOCK),
            ("index_block_max_size", 1, _MOST_BLOCK), ("index_block_min_entries", 2, 1 << 20),
            ("threads", 0, 64),
        ):  # fmt: skip
            value = getattr(self, name)
            if not (isinstance(value, int) and least <= value <= most):
                raise ArgumentError(name, None, value, f"{least} to {most}")
        most_plain = self.max_uncompressed_size
        if most_plain is not None and not 1 <= most_plain <= _MOST_BLOCK:
            wanted = f"1 to {_MOST_BLOCK}"
            raise ArgumentError("max_uncompressed_size", None, most_plain, wanted)
        if not 0 <= self.encoded_ratio <= _MOST_BLOCK / self.block_size:
            wanted = f"0 to {_MOST_BLOCK / self.block_size:g}"
            raise ArgumentError("encoded_ratio", None, self.encoded_ratio, wanted)

    @property
    def batches(self) -> int:
        """Number of batches of blocks in flight while the next one is laid out; 0 without threads.

        By compressed size, where the next block ends depends on how this one was compressed.
        """
        if self.by_compressed_size or not self.threads:
            return 0
        return 2 if self.compression == "NONE" else 2 * self.threads

    @property
    def comparator_name(self) -> str:
        """The name of the class that orders keys, as the trailer states it."""
        return self.comparator or (_META_COMPARATOR if self.is_meta else _COMPARATOR)

    @property
    def is_delta(self) -> bool:
        """Whether a cell is stored as its difference from the cell before."""
        return self.encoding in DELTA

    @property
    def is_encoded(self) -> bool:
        """Whether data blocks are encoded at all."""
        return self.encoding != "NONE"

    @property
    def packs_tags(self) -> bool:
        """Whether the file info says that tags are in a dictionary; never with ROW_INDEX_V1."""
        return self.tags and self.compress_tags and self.is_encoded
