"""Reading HFiles.

The rules:

- Opening reads what comes after the data (`stored_file`); data is read when it is asked for.
- Checksums are verified unless the caller says not to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from byteloom.arrow.data import ArrowStream
from byteloom.files.kinds import HFILE
from byteloom.files.open_file import open_file
from byteloom.hfile import lookup
from byteloom.hfile.cache import BlockCache
from byteloom.hfile.cells import COLUMNS, Binary, schema_of
from byteloom.hfile.encryption import Keys
from byteloom.hfile.indexed_file import IndexedFile
from byteloom.hfile.keys import Key
from byteloom.hfile.scan import HFileScan
from byteloom.hfile.seek import Cell, Cursor
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.redaction import redacted
from byteloom.storage import Place
from byteloom.storage.naming import naming

__all__ = ["HFile", "open"]


def open(  # noqa: A001, PLR0913  as gzip.open; settings by name, each with its default
    place: Place,
    *,
    filesystem: Any = None,
    limits: Limits = DEFAULT_LIMITS,
    verify_checksums: bool = True,
    protobuf_keys: bool = False,
    key: Keys | None = None,
    cache: BlockCache | None = None,
) -> HFile:
    """Open an HFile: read its trailer, root indexes and file info.

    Args:
        place: A path, a URL, an open binary file, bytes, or a `byteloom.storage.Source`.
        filesystem: A filesystem of `pyarrow.fs` or fsspec, in which *place* is a path.
        limits: Bounds of what reading may cost.
        verify_checksums: Whether to verify the checksums of every block that is read.
        protobuf_keys: Whether to read files by Hudi 1.1 whose long index keys have protobuf's
            lengths, which no other reader does.
        key: The master key of an encrypted file, or several by name.
        cache: Cache of decoded blocks, which several files may share; by default the file has
            its own of 128 MiB.

    Raises:
        FormatError: For anything but a sound HFile.
        StorageError: The file cannot be read.

    Source: https://hudi.apache.org/docs/hfile_format
    """
    return open_file(
        place,
        HFILE,
        lambda source, is_own: HFile(
            source,
            limits=limits,
            owns_source=is_own,
            verify_checksums=verify_checksums,
            protobuf_keys=protobuf_keys,
            key=key,
            cache=cache,
        ),
        filesystem=filesystem,
    )


@naming
class HFile(IndexedFile, ArrowStream):
    """An open HFile; use it in a ``with`` block, or close it.

    Attributes:
        trailer: The parsed trailer.
        file_info: What the writer stored about the file, by name.
        dialect: ``hbase``, ``hudi-pre-1.1``, ``hudi-1.1`` or ``hudi-1.2``; the last two are the
            same where no index key has 128 bytes.
        form: How cells are stored.
        cache: The cache of decoded blocks.
        root: The root of the data index.
        meta_root: The index of meta blocks.
        blocks: The reader of blocks.
        source: The reader of byte ranges.
        file_name: The name of the file in errors; None where it was opened from bytes or from
            an object without a name.
    """

    def __repr__(self) -> str:
        """The file's name, number of cells and size."""
        return redacted(f"<HFile {self.source.name}: {self.num_rows:,} cells, {self.dialect}>")

    # The file's contents

    @property
    def num_rows(self) -> int:
        """The number of cells according to the trailer; a scan of the whole file checks it."""
        return self.trailer.entry_count

    @property
    def schema(self) -> pa.Schema:
        """The columns of `read`."""
        return schema_of(COLUMNS, "binary")

    def to_reader(self) -> pa.RecordBatchReader:
        """Return all cells as pyarrow's reader of batches, with the columns of `read`."""
        return pa.RecordBatchReader.from_batches(self.schema, self.batches(binary="binary"))

    def batches(
        self,
        columns: Sequence[str] = COLUMNS,
        *,
        binary: Binary = "view",
        threads: int | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Yield all cells in the order of the file.

        Args:
            columns: Names of columns: row, family, qualifier, timestamp (HBase: ms since 1970),
                type, value, mvcc (0 where the file keeps none) and tags (each after its length, as
                stored).
            binary: ``view``: views into the file's bytes; ``binary``: Arrow's plain type,
                copied.
            threads: Number that decompress and decode ahead of the reader; None for one per
                processor, up to 8.

        Raises:
            FormatError: For damage and, at the end, for indexes and counts that do not match
                the cells.
        """
        yield from HFileScan(self, columns, binary, threads).batches()

    def read(self, columns: Sequence[str] = COLUMNS, *, binary: Binary = "binary") -> pa.Table:
        """Return all cells as a table; see `batches`.

        Args:
            columns: Names of columns, as for `batches`.
            binary: The type of binary columns, as for `batches`.

        Raises:
            FormatError: As for `batches`.
        """
        return HFileScan(self, columns, binary).table()

    def verify(self) -> int:
        """Check everything: blocks, checksums, order, indexes, counts, sums and Bloom filters.

        Returns:
            The number of cells.

        Raises:
            ByteloomError: The first error found; `byteloom.hfile.verify.audit` gives all of
                them.
        """
        from byteloom.hfile.verify import audit_source

        found = audit_source(
            self.source,
            self.limits,
            cipher=self.blocks.cipher,
            protobuf_keys=self.root.protobuf,
        )
        for error in found.findings:
            raise error
        return found.cells

    # Lookups

    def get(self, row: bytes, columns: Sequence[str] = COLUMNS) -> pa.Table:
        """Return all cells of *row*, none if it is absent; see `batches`.

        Args:
            row: The row, bytes or text as UTF-8.
            columns: Names of columns, as for `batches`.

        Raises:
            FormatError: For damage.
        """
        return self.lookup([row], columns).select(list(columns))

    def lookup(
        self,
        rows: Iterable[bytes] | pa.Array | pa.ChunkedArray,
        columns: Sequence[str] = COLUMNS,
    ) -> pa.Table:
        """Return the cells of many rows, in one pass over the blocks that they hit.

        Args:
            rows: The rows, bytes or text as UTF-8, in any order, none of them null.
            columns: Names of columns, as for `batches`.

        Returns:
            The columns of `batches` after ``asked``, which ascends: the number of the row in
            *rows*; an absent row has no cell.
        """
        return lookup.table_of_rows(self, rows, columns)

    def lookup_keys(self, keys: Iterable[Key], columns: Sequence[str] = COLUMNS) -> pa.Table:
        """Return the cells whose whole key is one of many; see `lookup`.

        Args:
            keys: Whole keys, in any order.
            columns: Names of columns, as for `batches`.

        Returns:
            As for `lookup`.
        """
        return lookup.table_of_keys(self, list(keys), columns)

    def range(
        self,
        start: bytes | Key | None = None,
        stop: bytes | Key | None = None,
        columns: Sequence[str] = COLUMNS,
        *,
        reverse: bool = False,
    ) -> Iterator[pa.RecordBatch]:
        """Yield the cells from *start* up to but not including *stop*; see `batches`.

        Args:
            start: The row or whole key at which the range begins; None for the beginning of the
                file.
            stop: The row or whole key before which it ends; None for the end of the file.
            columns: Names of columns, as for `batches`.
            reverse: Whether to go from the last cell to the first.
        """
        yield from lookup.batches_between(self, start, stop, columns, reverse=reverse)

    def prefix(
        self, prefix: bytes, columns: Sequence[str] = COLUMNS, *, reverse: bool = False
    ) -> pa.Table:
        """Return the cells of rows that begin with *prefix*; see `range`.

        Args:
            prefix: The beginning of rows, bytes or text as UTF-8.
            columns: Names of columns, as for `batches`.
            reverse: Whether to go from the last cell to the first.
        """
        return self._table(
            lookup.batches_of_prefix(self, prefix, columns, reverse=reverse), columns
        )

    def cursor(self) -> Cursor:
        """Return a movable position in the file, which steps from cell to cell in both directions.

        Raises:
            Unsupported: Where keys are out of order.
        """
        return Cursor(self.ordered_tree(), self.form)

    def floor(self, key: bytes | Key) -> Cell | None:
        """Return the last cell at or before a key; None if there is none.

        Args:
            key: A key; a bare row is the place before all its cells, so the cell is one of an
                earlier row even if the file has that row: `ceiling` and `get` return the row's
                own.
        """
        cursor = self.cursor()
        cursor.seek(key)
        return cursor.cell

    def before(self, key: bytes | Key) -> Cell | None:
        """Return the last cell before a key or all cells of a row; None if there is none.

        Args:
            key: A key, or a row.
        """
        cursor = self.cursor()
        cursor.seek_before(key)
        return cursor.cell

    def ceiling(self, key: bytes | Key) -> Cell | None:
        """Return the first cell at or after a key, or of a row or later; None if there is none.

        Args:
            key: A key, or a row.
        """
        return Cursor.ceiling(self.ordered_tree(), self.form, key)

    @staticmethod
    def _table(batches: Iterator[pa.RecordBatch], columns: Sequence[str]) -> pa.Table:
        return pa.Table.from_batches(list(batches), schema=schema_of(columns, "binary"))
