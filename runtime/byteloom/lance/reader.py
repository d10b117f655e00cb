"""Reading Lance files.

The rules:

- Opening reads the end of the file: its version, its schema, and where its columns are.
- Metadata is read only of wanted columns, and their pages when rows are asked for.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from byteloom.arrow.data import ArrowStream
from byteloom.errors import ArgumentError, FormatError, LimitExceeded
from byteloom.files.open_file import OpenFile
from byteloom.lance.buffered_file import BufferedFile
from byteloom.lance.column_metadata import Column, SinglePages, read_columns, read_single_pages
from byteloom.lance.extensions import extended_schema
from byteloom.lance.mapping import ColumnMap, map_by_manifest, map_columns
from byteloom.lance.selection import BATCH_ROWS, chosen, condition_of
from byteloom.lance.tail import read_tail
from byteloom.lance.tail_content import UNREAD, V0_1, FileTail
from byteloom.lance.types import arrow_schema
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.redaction import SchemaMetadata, redacted
from byteloom.storage.naming import naming

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import pyarrow as pa

    from byteloom.lance.field_reading import FieldReader, FileField, InMemory, Rows
    from byteloom.lance.fields import Field
    from byteloom.lance.legacy.pages import Dictionaries, PageReader
    from byteloom.lance.scan import LanceScan
    from byteloom.lance.selection import Filter
    from byteloom.storage import Source
    from byteloom_generated.lance.table import DataFile

__all__ = ["LanceFile"]


@naming
class LanceFile(OpenFile, ArrowStream):
    """An open Lance file; use it in a ``with`` block, or close it.

    Attributes:
        tail: The content of its end: version, footer, places of columns and global buffers.
        fields: The fields at the top of its schema.
        source: What reads ranges of bytes.
        data: The source with its last bytes in memory.
        limits: What reading may cost.
        file_name: The name of the file in errors; None where it was opened from bytes or from an
            object without a name.

    Example:
        >>> import pyarrow as pa
        >>> from byteloom import lance
        >>> table = pa.table({"id": range(3000)})
        >>> with lance.LanceWriter("rows.lance", table.schema) as writer:
        ...     writer.write(table)
        >>> with lance.open("rows.lance") as file:
        ...     print(file.num_rows, file.version)
        3000 2.2
    """

    def __init__(
        self,
        source: Source,
        *,
        limits: Limits = DEFAULT_LIMITS,
        owns_source: bool = False,
        dictionaries: Dictionaries | None = None,
        stored: DataFile | None = None,
    ) -> None:
        """Read the end of *source*, which is closed with this file only if it owns it.

        Args:
            source: What reads ranges of the file.
            limits: What reading may cost.
            owns_source: Whether the source is closed with the file.
            dictionaries: Those of the dataset, for a file of version 0.1; None for the file's own.
            stored: What the manifest of the dataset says of the file: which column has which
                field; None to use the ids in the file.

        Raises:
            FormatError: It is not a sound Lance file.
            Unsupported: Its version is unknown.
        """
        self.source, self.limits, self._owns_source = source, limits, owns_source
        self.file_name: str | None = None
        self.data: Final = BufferedFile(source)
        self.tail: FileTail = read_tail(self.data, limits)
        self.fields: list[Field] = list(self.tail.schema.fields)
        self._dictionaries, self._stored = dictionaries, stored

    def __repr__(self) -> str:
        """The file's name and the size of its content."""
        count = f"{self.num_rows:,} row{'' if self.num_rows == 1 else 's'}"
        return redacted(f"<LanceFile {self.source.name}: {count}, version {self.version}>")

    @property
    def version(self) -> str:
        """The version of the format: ``0.1``, ``2.0`` to ``2.3``."""
        return self.tail.version

    @property
    def num_rows(self) -> int:
        """The number of rows according to the file; a scan checks it."""
        return self.tail.descriptor.length

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self.source.size

    @cached_property
    def schema(self) -> pa.Schema:
        """The Arrow schema, with the extension types that pyarrow knows, as in batches."""
        return extended_schema(arrow_schema(self.fields, self.metadata))

    @property
    def metadata(self) -> dict[str, bytes]:
        """Metadata of the Arrow schema."""
        return SchemaMetadata(self.tail.descriptor.schema.metadata)

    @cached_property
    def legacy_pages(self) -> PageReader:
        """The pages of a file of version 0.1."""
        from byteloom.lance.legacy.pages import PageReader

        ids = [] if self._stored is None else list(self._stored.fields)
        return PageReader(self.data, self.tail, self.limits, self._dictionaries, ids)

    @property
    def kept(self) -> None:
        """The number of each row in the columns: the same, since none is deleted."""
        return None

    def reader(self, field: Field) -> FileField:
        """Return the reader of a field, which may be narrowed to some inner fields."""
        from byteloom.lance.reader_choice import reader_of, shared_reader

        known = self._shared_readers
        return reader_of(self, field) if known is None else shared_reader(self, field, known)

    def readers(self, fields: Sequence[Field], rows: Rows | None = None) -> Sequence[FieldReader]:
        """Return readers of *fields*; the metadata of their columns is fetched in one step.

        Columns of a wide file that have one small page each are decoded here, all together.

        Args:
            fields: Fields at the top, which may be narrowed to some inner fields.
            rows: Those that will be read; None if they are not known.

        Returns:
            A reader for each field.
        """
        from byteloom.lance.reader_choice import is_known

        wide: Sequence[InMemory | None] = [None] * len(fields)
        if rows is not None:
            wide = self.together(fields, rows)
        left = [field for field, each in zip(fields, wide, strict=True) if each is None]
        known = self._shared_readers or {}
        are_known = all(is_known(each, known) for each in left)
        if not are_known and self.version not in {V0_1, UNREAD}:
            self.columns([number for each in left for number in self.column_map.of(each)])
        return [each or self.reader(field) for field, each in zip(fields, wide, strict=True)]

    def together(self, fields: Sequence[Field], rows: Rows) -> Sequence[InMemory | None]:
        """Return *rows* of each of many *fields*; None for a field that needs its reader."""
        from byteloom.lance.wide import columns_together

        return columns_together(self, fields, rows)

    @cached_property
    def column_map(self) -> ColumnMap:
        """Which columns belong to which fields."""
        known, count = self.tail.schema.maps, len(self.tail.columns)
        own = known.get((self.version, count))
        if own is None:
            own = known[self.version, count] = map_columns(self.fields, self.version, count)
        if self._stored is None or not self._stored.column_indices:
            return own
        ids, columns = (*self._stored.fields,), (*self._stored.column_indices,)
        found = known.get((self.version, count, ids, columns))
        if found is None:
            found = map_by_manifest(own, ids, columns, count)
            known[self.version, count, ids, columns] = found
        return found

    @cached_property
    def own_types(self) -> dict[int, str]:
        """The logical type of each field in the file's own schema, by the field's id elsewhere.

        In a dataset these are the ids of the fields that its manifest says the file has.
        """
        if self.version in {V0_1, UNREAD}:
            return {each.id: each.type for field in self.fields for each in field.walk()}
        columns = self.column_map
        return {number: columns.types[column] for number, column in columns.first.items()}

    @cached_property
    def _shared_readers(self) -> dict[int, tuple[Field, FileField]] | None:
        """The readers of files with the same tail; None if fields have other columns there."""
        readers, version = self.tail.readers, self.version
        if readers is None or version in {V0_1, UNREAD}:
            return readers
        columns = self.column_map  # adds itself to those of the schema
        own = self.tail.schema.maps.get((version, len(self.tail.columns)))
        return readers if columns is own else None

    # Rows

    def to_reader(self) -> pa.RecordBatchReader:
        """Return all rows as pyarrow's reader of batches; arguments of `scan` choose some.

        Returns:
            The reader; nothing is read before batches are asked for.
        """
        return self.scan().to_reader()

    def scan(
        self,
        columns: Sequence[str] | None = None,
        *,
        rows: range | None = None,
        batch_size: int = BATCH_ROWS,
        filter: Filter | None = None,  # noqa: A002  as pyarrow and pylance call it
        threads: int | None = None,
    ) -> LanceScan:
        """Return a scan of columns and rows; it reads nothing before rows are requested.

        Args:
            columns: Names of fields at the top; ``points.item.x`` is an inner field, and the name
                of a list's item may be left out; None for all.
            rows: A range of row numbers, such as ``range(1000, 2000)``; None for all.
            batch_size: Rows of a batch.
            filter: Selects rows: an expression of `byteloom.iceberg`, or its text; None for all.
                Other columns are read only where rows match.
            threads: Threads that decode pages of a local file, the calling one included; 0 or 1
                for no other, None for one for each processor, at most four.

        Returns:
            The scan, whose rows come as batches or as a table.

        Raises:
            FormatError: The file does not have the columns or rows.

        Example:
            >>> import pyarrow as pa
            >>> from byteloom import lance
            >>> table = pa.table({"id": range(3000)})
            >>> with lance.LanceWriter("rows.lance", table.schema) as writer:
            ...     writer.write(table)
            >>> with lance.open("rows.lance") as file:
            ...     scan = file.scan(["id"], rows=range(1000, 2000), batch_size=400)
            ...     [batch.num_rows for batch in scan.batches()]
            [400, 400, 200]
        """
        from byteloom.lance.scan import LanceScan

        if not self.fields and self.tail.columns:
            raise FormatError(
                "footer.num_columns", None, len(self.tail.columns), "0, by the schema"
            )
        fields = chosen(self.fields, columns)
        condition = condition_of(filter, self.fields)
        return LanceScan(self, fields, rows, batch_size, condition, threads=threads)

    def to_table(
        self,
        columns: Sequence[str] | None = None,
        *,
        filter: Filter | None = None,  # noqa: A002  as in `scan`
    ) -> pa.Table:
        """Return all rows, or those that match *filter*, as a table.

        Args:
            columns: As for `scan`.
            filter: As for `scan`.

        Returns:
            The rows.

        Raises:
            FormatError: As for `scan`, and for damage.
        """
        return self.scan(columns, filter=filter).to_table()

    def take(
        self, rows: Sequence[int] | np.ndarray | pa.Array, columns: Sequence[str] | None = None
    ) -> pa.Table:
        """Return rows by their numbers, in the given order; only what they need is read.

        Args:
            rows: Numbers from 0 on, in any order, possibly repeated.
            columns: As for `scan`.

        Returns:
            A row for each number.

        Raises:
            FormatError: As for `scan`, and for damage.
        """
        return self.scan(columns).take(rows)

    def count(self, filter: Filter | None = None) -> int:  # noqa: A002  as in `scan`
        """Return the number of rows, or of those that match *filter*.

        Args:
            filter: Selects rows, as for `scan`; None for all, which reads no rows.

        Returns:
            The number of rows.
        """
        return self.num_rows if filter is None else self.scan([], filter=filter).count()

    # Columns and buffers

    def columns(self, numbers: Sequence[int] | None = None) -> list[Column]:
        """Return columns and the places of their pages.

        Args:
            numbers: The numbers of columns, from 0 on; None for all.

        Returns:
            The columns, in this order.

        Raises:
            FormatError: There is no such column, or its metadata is damaged.
        """
        wanted = range(len(self.tail.columns)) if numbers is None else numbers
        for each in wanted:
            if not 0 <= each < len(self.tail.columns):
                known = f"a number below {len(self.tail.columns)}"
                raise ArgumentError("column", None, each, known)
        parsed = self.tail.parsed
        missing = [each for each in wanted if each not in parsed]
        single = self.tail.single[-1] if self.tail.single else None
        if missing and single is not None and set(missing) <= set(single.numbers):
            places = {number: index for index, number in enumerate(single.numbers)}
            parsed.update({each: single.column(places[each]) for each in missing})
        elif missing:
            for column in read_columns(self.data, self.tail, missing, self.limits):
                parsed[column.number] = column
        return [parsed[each] for each in wanted]

    def single_pages(self, numbers: Sequence[int]) -> SinglePages | None:
        """Return the pages of columns that have one each; None if these are read one by one."""
        known, parsed = self.tail.single, self.tail.parsed
        if known and known[-1].numbers == numbers:
            return known[-1]
        if all(each in parsed for each in numbers):
            return None
        read = read_single_pages(self.data, self.tail, numbers, self.limits)
        if not isinstance(read, SinglePages):
            parsed.update({each.number: each for each in read})
            return None
        known[:] = [read]
        return read

    def global_buffer(self, number: int) -> bytes:
        """Return the bytes of a global buffer.

        Args:
            number: Its number; 0 is the schema.

        Returns:
            The bytes.

        Raises:
            FormatError: There is no such buffer.
            LimitExceeded: It is larger than ``limits.metadata_size``.
        """
        known = self.tail.buffers
        if not 0 <= number < len(known):
            raise ArgumentError("buffer", None, number, f"a number below {len(known)}")
        extent, most = known[number], self.limits.metadata_size
        if extent.size > most:
            wanted = f"at most {most} bytes (limits.metadata_size)"
            raise LimitExceeded(f"buffers[{number}]", extent.offset, extent.size, wanted)
        return self.data.read(extent.offset, extent.size)
