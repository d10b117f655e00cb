"""Writing HFiles.

The rules:

- Cells come in order, and are written as soon as a block is complete. Cells that HBase could not
  read back are refused.
- Everything is written to a temporary name; the file appears when it is finished.  After an error,
  or an exception in its ``with`` block, a writer leaves the target as it was.
- For the same cells and settings the bytes are those that HBase writes, as far as its codec is
  deterministic.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from operator import index
from typing import Any, Final, TypedDict, Unpack

import pyarrow as pa

from byteloom.errors import ArgumentError, found_by
from byteloom.files.new_file import NewFile
from byteloom.hfile.bloom_build import BloomBuilder
from byteloom.hfile.encryption import Sealer
from byteloom.hfile.keys import LATEST
from byteloom.hfile.writing.blocks import BlockSizes, BlockWriter
from byteloom.hfile.writing.cell_columns import columns_of
from byteloom.hfile.writing.cells import PlainCells
from byteloom.hfile.writing.closing import Ends, check_said, close
from byteloom.hfile.writing.index import IndexWriter, between
from byteloom.hfile.writing.pipeline import Filters, Pipeline
from byteloom.hfile.writing.profiles import PROFILES, Profile
from byteloom.hfile.writing.settings import Settings
from byteloom.storage import Place, open_target
from byteloom_generated.hfile.cell import KeyType

__all__ = ["HFileWriter", "Options"]

_BATCH: Final = 4096
"""Number of single cells that are gathered before they are laid out."""

_TYPES: Final = (
    *((name, pa.binary()) for name in ("row", "family", "qualifier")),
    ("timestamp", pa.int64()), ("type", pa.uint8()), ("value", pa.binary()),
    ("mvcc", pa.int64()), ("tags", pa.binary()),
)  # fmt: skip
_SCHEMA: Final = pa.schema(_TYPES)


class Options(TypedDict, total=False):
    """The fields of `Settings`, to be passed by name."""

    compression: str
    level: int | None
    encoding: str
    block_size: int
    encoded_ratio: float
    by_compressed_size: bool
    max_uncompressed_size: int | None
    checksum: str
    bytes_per_checksum: int
    tags: bool
    mvcc: bool
    compress_tags: bool
    index_block_max_size: int
    index_block_min_entries: int
    is_meta: bool
    comparator: str
    threads: int


class HFileWriter(NewFile):
    """A writer of one HFile; use it in a ``with`` block, whose end finishes the file.

    Without such a block call `finish` or `abort`; a writer that is dropped before leaves nothing.

    Attributes:
        settings: The settings that it is written with.
        file_info: Entries to add to those that the writer makes; those about the biggest cell
            may count tags that the file drops, as HBase does.
        file_size: Bytes of the file so far.
    """

    def __init__(  # noqa: PLR0913  each is one thing a file may be asked to hold
        self,
        place: Place,
        *,
        filesystem: Any = None,
        profile: Profile = "hbase",
        blooms: Iterable[str | BloomBuilder] = (),
        file_info: Mapping[bytes, bytes] | None = None,
        created_ms: int | None = None,
        key: bytes | None = None,
        **options: Unpack[Options],
    ) -> None:
        """Begin a file; nothing appears at *place* before it is finished.

        Until then, an existing file at *place* stays as it is; then it is replaced.

        Args:
            place: A path, a URL, an open binary file, or a `byteloom.storage.Target`.
            filesystem: A filesystem of `pyarrow.fs` or fsspec, in which *place* is a path.
            profile: The readers that the file is for: ``hbase``, or ``hudi`` for its metadata
                tables.
            blooms: Bloom filters: ROW, ROWCOL, DELETE_FAMILY, or a `BloomBuilder` with
                settings.
            file_info: Names and values to add; those about the file's form are the writer's
                own.
            created_ms: Creation time that the file states, in ms since 1970; None for now.
            key: Master key (AES, 16, 24 or 32 bytes) that the file is encrypted under.
            **options: Settings of the file, which the profile decides where they are left out;
                in brackets those of ``hbase``:

                - ``compression`` (NONE): the codec of all blocks: NONE, GZ, SNAPPY, LZ4, ZSTD, LZO,
                  BZIP2 or BROTLI; ``level`` (None) is its level, None for a fast one.
                - ``encoding`` (NONE): the encoding of data blocks: NONE, PREFIX, DIFF, FAST_DIFF or
                  ROW_INDEX_V1.
                - ``block_size`` (65,536): bytes of cells at which a data block ends;
                  ``encoded_ratio`` (0), ``by_compressed_size`` (False) and
                  ``max_uncompressed_size`` (None) say how encoded and compressed bytes count.
                - ``checksum`` (CRC32C): NULL, CRC32 or CRC32C, each of ``bytes_per_checksum``
                  (16,384) bytes.
                - ``tags`` (False) and ``mvcc`` (True): whether to store the tags and the sequence
                  numbers of cells; ``compress_tags`` (True): tags by a dictionary in each block.
                - ``index_block_max_size`` (131,072) and ``index_block_min_entries`` (16): where a
                  block of the index ends.
                - ``is_meta`` (False): order rows as HBase's catalog does; ``comparator``: the name
                  of another class that orders keys.
                - ``threads`` (2): the number of threads that compress, besides one that writes.

        Raises:
            FormatError: For settings with which no file can be written.
            StorageError: The place cannot be written to.
        """
        if profile not in PROFILES:
            raise ArgumentError("profile", None, profile, " or ".join(PROFILES))
        self._profile = PROFILES[profile]
        self.settings = Settings(**{**self._profile.options, **options})
        self._profile.check(self.settings)
        self.file_info: dict[bytes, bytes] = dict(file_info or {})
        check_said(self.file_info, self.settings)
        self._created_ms = time.time_ns() // 1_000_000 if created_ms is None else created_ms
        if not 0 <= self._created_ms <= LATEST:
            raise ArgumentError("created_ms", None, created_ms, f"0 to {LATEST}")
        self._shortens = self._profile.shortens_index and not self.settings.is_meta
        self._filters = Filters(blooms)
        sealer = None if key is None else Sealer(key)
        self._sizes = BlockSizes(self.settings)
        self._cells = PlainCells(self.settings, self._sizes)
        self._ends = Ends()
        self._single: list[tuple[Any, ...]] = []
        self._meta: list[tuple[bytes, bytes]] = []
        target = open_target(place, filesystem=filesystem)
        self._blocks = BlockWriter(target, self.settings, self._sizes, sealer)
        self._index = IndexWriter(self._blocks, self.settings)
        self._pipeline = Pipeline(self._blocks, self._index, self.settings)
        self._begin(target, self._pipeline.close)

    @property
    def file_size(self) -> int:
        """Bytes of the file so far; of the whole one when it is finished."""
        return self._blocks.offset

    @property
    def num_cells(self) -> int:
        """The number of cells so far."""
        return self._cells.total + len(self._single)

    def write(self, data: Any) -> None:
        """Add the cells of Arrow data, in order.

        Args:
            data: A batch, a table, a stream, or a list or generator of them; the columns are
                row (or key), family, qualifier, timestamp (ms), type, value, mvcc and tags, all
                optional but the first.

        Raises:
            FormatError: For cells that no reader would accept, and for keys that do not ascend;
                the file is then abandoned.
        """
        with self._writing():
            self._gather()
            self._take(data)

    def add(  # noqa: PLR0913  the parts of a cell
        self,
        row: bytes,
        value: bytes = b"",
        *,
        family: bytes = b"",
        qualifier: bytes = b"",
        timestamp: int = LATEST,
        type: int = KeyType.PUT,  # noqa: A002  the format's word
        mvcc: int = 0,
        tags: bytes = b"",
    ) -> None:
        """Add one cell; an error in it may be raised only later, when its block is complete.

        Args:
            row: The row.
            value: The value.
            family: The family; empty for the profile's own.
            qualifier: The column's name in its family.
            timestamp: Milliseconds since 1970.
            type: The type of the key, as in `Key`.
            mvcc: The sequence number.
            tags: The tags, each after its length, as stored.
        """
        self._check_open()
        self._single.append((row, family, qualifier, timestamp, type, value, mvcc, tags))
        if len(self._single) >= _BATCH:
            with self._writing():
                self._gather()

    def put_meta(self, name: bytes, content: bytes) -> None:
        """Add a meta block; of blocks with equal names, readers find the first.

        Args:
            name: The name of the block.
            content: Its content.
        """
        self._check_open()
        if {type(name), type(content)} != {bytes}:
            found = f"{type(name).__name__}, {type(content).__name__}"
            raise ArgumentError("meta", None, found, "bytes, bytes")
        self._meta.append((name, content))

    def _put_end(self) -> None:
        """Write the last cells, and everything that follows the data blocks."""
        self._gather()
        self._put_blocks(is_last=True)
        self._pipeline.drain()
        close(
            self._blocks, self._index, self.settings,
            ends=self._ends, pipeline=self._pipeline, filters=self._filters, meta=self._meta,
            cells=self._cells, created_ms=self._created_ms,
            said=self._profile.info(self._ends) | self.file_info,
        )  # fmt: skip

    def _gather(self) -> None:
        """Lay out the single cells gathered so far."""
        cells, self._single = self._single, []
        if cells:
            try:
                arrays = [
                    pa.array(
                        [*map(index, values)] if pa.types.is_integer(field.type) else values,
                        field.type,
                    )
                    for values, field in zip(zip(*cells, strict=True), _SCHEMA, strict=True)
                ]
            except (pa.ArrowException, TypeError, OverflowError) as error:
                wanted = "bytes and numbers that fit their columns"
                found = found_by("values of other types", error)
                raise ArgumentError(f"cells[{self._cells.total}:]", None, found, wanted) from error
            self._take(pa.RecordBatch.from_arrays(arrays, schema=_SCHEMA))

    def _take(self, data: Any) -> None:
        for columns in columns_of(data):
            self._profile.check_cells(columns, self._cells.total)
            for _ in self._cells.take(columns):
                self._put_blocks(is_last=False)

    def _put_blocks(self, *, is_last: bool) -> None:
        """Pass on the complete blocks, and forget their cells."""
        cells, end = self._cells, 0
        for block in cells.blocks(is_last=is_last):
            key = cells.key(block.begin)
            self._ends.note(key)
            if block.begin and self._shortens:
                key = between(cells.key(block.begin - 1), key)
            self._sizes.begin(block.encoded)
            self._pipeline.data(block, key)
            end = block.end
            self._filters.add(cells, end if block.is_last else end + 1)
            for builder, chunk in () if block.is_last else self._filters.ready():
                self._pipeline.bloom(builder, chunk)
        self._pipeline.flush()
        if end:
            self._ends.last = cells.key(end - 1)
        if not is_last:
            cells.leave(end)
