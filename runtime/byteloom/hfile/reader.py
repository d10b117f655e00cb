"""Reading HFiles.

The rules:

- One request for the end of the file opens it: trailer, root indexes and file info lie there, and
  nearly always fit.
- Nothing in the file is believed before it was compared with something else; checksums are verified
  unless the caller says not to.
- A dialect is told by the bytes of the file and never by its name.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Self

from byteloom.errors import FormatError, Unsupported
from byteloom.hfile import keys, lookup
from byteloom.hfile.blocks import Block, Blocks
from byteloom.hfile.bloom import ROWCOL, BloomFilter
from byteloom.hfile.cells import COLUMNS, schema_of
from byteloom.hfile.dialect import cell_form, check_index_encoding, dialect_of
from byteloom.hfile.index import IndexEntry, Root, non_root_entries, read_root
from byteloom.hfile.messages import pairs
from byteloom.hfile.scan import Scan
from byteloom.hfile.trailer import HEADER_SIZE, read_trailer
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.storage import Place, Source, open_source
from byteloom_generated.hfile.file_info import FileInfo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from byteloom.hfile.cells import Binary
    from byteloom_generated.hfile.block import Block as Header

__all__ = ["HFile", "open"]

_NEEDED: Final = (b"hfile.LASTKEY", b"hfile.AVG_KEY_LEN", b"hfile.AVG_VALUE_LEN")
"""What HBase writes into every file with cells."""

FETCH: Final = 1 << 18
"""Bytes of the first request: a root index of 128 KiB, HBase's usual bound, with all around it."""


def open(  # noqa: A001  as gzip.open and its like; never imported by its bare name here
    place: Place,
    *,
    filesystem: Any = None,
    limits: Limits = DEFAULT_LIMITS,
    verify_checksums: bool = True,
    protobuf_keys: bool = False,
) -> HFile:
    """Open an HFile: read its trailer, root indexes and file info.

    place             path, URL, open binary file, bytes, or a `byteloom.storage.Source`
    filesystem        of `pyarrow.fs` or fsspec, in which *place* is a path
    limits            what reading may cost
    verify_checksums  of every block that is read
    protobuf_keys     read files by Hudi 1.1 whose long index keys have protobuf's lengths, which no
                      other reader does
    raises            `FormatError` for anything but a sound HFile, `StorageError`

    Source: https://hudi.apache.org/docs/hfile_format
    """
    source = open_source(place, filesystem=filesystem)
    try:
        return HFile(
            source,
            limits=limits,
            owns_source=source is not place,
            verify_checksums=verify_checksums,
            protobuf_keys=protobuf_keys,
        )
    except BaseException:
        if source is not place:
            source.close()
        raise


class HFile:
    """An open HFile; use it in a ``with`` block, or close it.

    trailer    what the trailer says
    file_info  what the writer had to say, by name
    dialect    ``hbase``, ``hudi-pre-1.1``, ``hudi-1.1`` or ``hudi-1.2``; the last two are the same
               where no index key has 128 bytes
    form       how cells are stored
    root       the root of the data index
    meta_root  the index of meta blocks
    blocks     what reads blocks
    """

    def __init__(
        self,
        source: Source,
        *,
        limits: Limits = DEFAULT_LIMITS,
        owns_source: bool = False,
        verify_checksums: bool = True,
        protobuf_keys: bool = False,
    ) -> None:
        """Read what lies behind the data of *source*, which is closed with this file if owned."""
        self._source, self.limits, self._owns_source = source, limits, owns_source
        tail = source.read_tail(FETCH)
        self.trailer = read_trailer(tail, source.size, limits)
        self.blocks = Blocks(
            source, self.trailer.compression_codec, limits, verify=verify_checksums
        )
        self._check_encryption()
        self.on_open = self._load_on_open(tail)
        self.file_info: Mapping[bytes, bytes] = self._read_file_info()
        check_index_encoding(self.file_info)
        self.root, self.meta_root = self._roots()
        self.dialect = dialect_of(self.trailer, self._first_header(), self.root)
        self.form = cell_form(self.dialect, self.file_info)
        self._check_dialect(protobuf_keys=protobuf_keys)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back the file, unless it came open."""
        if self._owns_source:
            self._source.close()

    # What it is

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._source.size

    @property
    def num_cells(self) -> int:
        """Cells, as the trailer says."""
        return self.trailer.entry_count

    @property
    def is_hbase(self) -> bool:
        """Whether HBase's writer made it."""
        return self.dialect == "hbase"

    @property
    def order(self) -> Callable[[bytes], tuple[Any, ...]]:
        """What orders the keys of its cells."""
        if not self.is_hbase:
            return keys.order_of_rows
        return keys.order_of_meta if self.trailer.is_meta_order else keys.order_of_cells

    @property
    def last_key(self) -> bytes | None:
        """Key of the last cell; None in a file without cells."""
        return self.file_info.get(b"hfile.LASTKEY") or None

    @property
    def meta_names(self) -> list[bytes]:
        """Names of the meta blocks, in the order of their index."""
        return [entry.key for entry in self.meta_root.entries]

    # What it holds

    def read_meta(self, name: bytes) -> bytes:
        """Return the content of a meta block.

        raises  `KeyError` where there is none of that name
        """
        for entry in self.meta_root.entries:
            if entry.key == name:
                block = self.blocks.at(
                    entry.offset, entry.size, self.trailer.load_on_open_data_offset
                )
                if block.type != "meta":
                    raise FormatError("block.magic", block.offset, block.type, "meta")
                return self.blocks.payload(block)
        raise KeyError(name)

    def batches(
        self, columns: Sequence[str] = COLUMNS, *, binary: Binary = "view"
    ) -> Iterator[pa.RecordBatch]:
        """Yield all cells in the order of the file.

        columns  of row, family, qualifier, timestamp (HBase: ms since 1970), type, value, mvcc (0
                 where the file keeps none) and tags (each behind its length, as stored)
        binary   ``view``: views into the file's bytes; ``binary``: Arrow's plain type, copied
        raises   `FormatError` for damage, and at the end for indexes and counts that do not agree
        """
        yield from Scan(self, columns, binary).batches()

    def read(self, columns: Sequence[str] = COLUMNS, *, binary: Binary = "binary") -> pa.Table:
        """Return all cells as a table; see `batches`."""
        import pyarrow as pa

        batches = list(self.batches(columns, binary=binary))
        return pa.Table.from_batches(batches, schema=schema_of(columns, binary))

    def get(self, row: bytes, columns: Sequence[str] = COLUMNS) -> pa.Table:
        """Return the cells of *row*, as many as there are; see `batches`."""
        return self._table(lookup.batches_of_row(self, row, columns), columns)

    def range(
        self, start: bytes = b"", stop: bytes | None = None, columns: Sequence[str] = COLUMNS
    ) -> Iterator[pa.RecordBatch]:
        """Yield the cells of rows from *start* on and before *stop*; see `batches`.

        raises  `Unsupported` in files of HBase's catalog, which has an order of its own
        """
        return lookup.batches_between(self, start, stop, columns)

    def prefix(self, prefix: bytes, columns: Sequence[str] = COLUMNS) -> pa.Table:
        """Return the cells of rows that begin with *prefix*; see `range`."""
        return self._table(self.range(prefix, lookup.after_prefix(prefix), columns), columns)

    @cached_property
    def is_in_order(self) -> bool:
        """Whether keys ascend: given with HBase, found out by a scan of files by Hudi's writer."""
        if self.is_hbase:
            return True
        scan = Scan(self, ("row",), "view")
        for _ in scan.batches():
            pass
        return scan.disorder < 0

    @staticmethod
    def _table(batches: Iterator[pa.RecordBatch], columns: Sequence[str]) -> pa.Table:
        import pyarrow as pa

        return pa.Table.from_batches(list(batches), schema=schema_of(columns, "binary"))

    def verify(self) -> int:
        """Check everything: every block and its checksums, order, indexes and counts.

        returns  the number of cells
        raises   the first error found
        """
        rows = [each for each in self.bloom_filters if each.kind not in {ROWCOL, "DELETE_FAMILY"}]
        scan = Scan(self, ("row",), "view")
        for batch in scan.batches():
            for bloom in rows:
                _check_bloom(bloom, batch)
        for name in self.meta_names:
            self.read_meta(name)
        return scan.rows

    # Blocks

    def stored_blocks(self) -> Iterator[Block]:
        """Yield the blocks before those that were read when the file was opened."""
        return self.blocks.between(0, self.trailer.load_on_open_data_offset)

    def leaf_entries(self) -> list[IndexEntry] | None:
        """Return where the leaf index blocks lie; None where the root points at data."""
        levels = self.trailer.num_data_index_levels
        if levels == 1:
            return None
        entries = self.root.entries
        for _ in range(levels - 2):
            entries = [
                below for entry in entries for below in self.children(entry, "intermediate_index")
            ]
        return entries

    def children(self, entry: IndexEntry, wanted: str) -> list[IndexEntry]:
        """Return the entries of the index block that *entry* points at, of the type *wanted*."""
        block = self.blocks.at(entry.offset, entry.size, self.trailer.load_on_open_data_offset)
        if block.type != wanted:
            raise FormatError("block.magic", block.offset, block.type, wanted)
        payload = self.blocks.payload(block)
        return non_root_entries(payload, limits=self.limits, origin=block.offset)

    @cached_property
    def bloom_filters(self) -> list[BloomFilter]:
        """HBase's Bloom filters, their chunks still unread."""
        end = self.trailer.load_on_open_data_offset
        return [
            BloomFilter(self.blocks, block, self.file_info, end, self.limits)
            for block in self.on_open
            if block.type.endswith("bloom_meta")
        ]

    # Opening

    def _load_on_open(self, tail: bytes) -> list[Block]:
        start, end = self.trailer.load_on_open_data_offset, self.trailer.offset
        base = self._source.size - len(tail)
        if end - start > self.limits.metadata_size:
            wanted = f"at most {self.limits.metadata_size} (limits.metadata_size)"
            raise FormatError(
                "trailer.load_on_open_data_offset", self.trailer.offset, start, wanted
            )
        return list(self.blocks.between(start, end, tail, base))

    def _roots(self) -> tuple[Root, Root]:
        trailer = self.trailer
        counts = trailer.data_index_count, trailer.meta_index_count
        data, meta = (
            read_root(self.blocks.payload(block), count, limits=self.limits, origin=block.offset)
            for block, count in zip(self.on_open, counts, strict=False)
        )
        if (data.mid_key is not None) != (trailer.num_data_index_levels > 1):
            wanted = "2 or more with a mid key behind the root index, 1 without"
            raise FormatError(
                "trailer.num_data_index_levels",
                trailer.offset,
                trailer.num_data_index_levels,
                wanted,
            )
        return data, meta

    def _read_file_info(self) -> dict[bytes, bytes]:
        types = [block.type for block in self.on_open[:3]]
        if types != ["root_index", "root_index", "file_info"]:
            wanted = "root_index, root_index, file_info"
            at = self.trailer.load_on_open_data_offset
            raise FormatError("load_on_open", at, ", ".join(types), wanted)
        block = self.on_open[2]
        if block.offset != self.trailer.file_info_offset:
            found = self.trailer.file_info_offset
            raise FormatError(
                "trailer.file_info_offset", self.trailer.offset, found, f"{block.offset}"
            )
        payload = self.blocks.payload(block)
        record = FileInfo.from_bytes(payload, limits=self.limits, origin=block.offset)
        return pairs(record.body.message, limits=self.limits, origin=block.offset)

    def _first_header(self) -> Header:
        if self.trailer.load_on_open_data_offset == 0:
            return self.on_open[0].header
        return self.blocks.header(self._source.read(0, HEADER_SIZE), 0)

    def _check_encryption(self) -> None:
        key = self.trailer.encryption_key
        if key:
            wanted = "a file that is not encrypted"
            raise Unsupported(
                "trailer.encryption_key", self.trailer.offset, "an encrypted file", wanted
            )

    def _check_dialect(self, *, protobuf_keys: bool) -> None:
        trailer = self.trailer
        if trailer.encryption_key is not None and self.dialect != "hudi-pre-1.1":
            found = "an empty key"
            raise FormatError(
                "trailer.encryption_key", trailer.offset, found, "a key, or no field at all"
            )
        if self.root.protobuf and not protobuf_keys:
            wanted = (
                "Hadoop's: Hudi 1.1 wrote protobuf's, so that no other reader finds keys of 126 "
                "bytes and more (protobuf_keys=True reads them)"
            )
            raise Unsupported(
                "root_index.len_key",
                self.on_open[0].offset,
                "lengths of keys as protobuf writes them",
                wanted,
            )
        if trailer.minor == 0 and b"hfile.KEY_OF_BIGGEST_CELL" in self.file_info:
            wanted = "3, as HBase writes with hfile.KEY_OF_BIGGEST_CELL"
            raise FormatError("trailer.version.minor", self.size - 4, 0, wanted)
        needed = _NEEDED if self.is_hbase and trailer.entry_count else ()
        for name in needed:
            if name not in self.file_info:
                raise FormatError("file_info", trailer.file_info_offset, "none", f"{name.decode()}")


def _check_bloom(bloom: BloomFilter, batch: pa.RecordBatch) -> None:
    """Refuse a filter that does not know a row of the file."""
    from pyarrow import binary

    for row in batch.column("row").cast(binary()).unique().to_pylist():
        if not bloom.may_contain(row):
            raise FormatError("bloom", None, f"no {row[:40]!r}", "every row of the file")
