"""Writing Lance files of versions 2.0, 2.1 and 2.2.

- Rows come in batches; a column's page is written as soon as it has some 8 MiB.
- Everything is written to a temporary name; the file appears when it is finished.  After an error,
  or an exception in its ``with`` block, a writer leaves the place as it was.

Source: https://lance.org/format/file/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from byteloom.arrow.data import batches_of
from byteloom.errors import ArgumentError
from byteloom.files.new_file import NewFile
from byteloom.lance.encodings import ARRAY_ENCODING, COLUMN_ENCODING, PAGE_LAYOUT
from byteloom.lance.writing.array_pages import ArrayColumns
from byteloom.lance.writing.pages import LeafColumns
from byteloom.lance.writing.schema import check_version, storage_schema, stored_schema
from byteloom.lance.writing.stored_arrays import as_stored, check_array
from byteloom.storage import Place, Target, open_target
from byteloom_generated.lance.encodings import VERSIONS
from byteloom_generated.lance.file import FileDescriptor
from byteloom_generated.lance.file2 import (
    ColumnMetadata,
    Described,
    DirectEncoding,
    Encoding,
    Page,
)
from byteloom_generated.lance.tail import Extent, Extents, Footer, Version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from byteloom.lance.writing.options import MadePage, PlannedPage
    from byteloom_generated.lance.file import Field

__all__ = ["LanceWriter"]

_ALIGN: Final = max(each.alignment for each in VERSIONS)
"""What the places of buffers are multiples of."""

_FILL: Final = b"H"
_PAGE: Final = 8 << 20
"""Approximate bytes of a page."""

_ARRAYS: Final = "2.0"
"""The version whose pages have array encodings."""


class _Column:
    """A top-level field: the rows that are not written yet, and the pages of its columns."""

    def __init__(
        self, field: pa.Field, page_size: int, version: str, put: Callable[[Any], Extent]
    ) -> None:
        self.field = field
        self._most = page_size
        self.columns = (
            ArrayColumns(field, put) if version == _ARRAYS else LeafColumns(field, version, put)
        )
        self.pages: list[list[Page]] = [[] for _ in range(self.columns.count)]
        self.parts: list[pa.Array] = []
        self.size = 0
        self.first = 0

    def add(self, array: pa.Array) -> None:
        self.parts.append(array)
        self.size += array.nbytes

    @property
    def is_full(self) -> bool:
        return self.size >= self._most * self.columns.count

    def take(self) -> pa.Array:
        """Return the rows that are not written yet."""
        found = self.parts[0]
        if len(self.parts) > 1:
            try:
                found = pa.concat_arrays(self.parts)
            except pa.ArrowException as error:
                wanted = f"rows that fit into one {found.type}"
                raise ArgumentError(f"rows.{self.field.name}", None, "more", wanted) from error
        self.parts, self.size = [], 0
        return found


class _Output:
    """The bytes of a file, one after the other.

    Attributes:
        target: The target; set before the first bytes are written.
        offset: Number of bytes so far.
    """

    target: Target

    def __init__(self) -> None:
        self.offset = 0

    def put(self, data: Any, align: int = _ALIGN) -> Extent:
        """Write *data* at the next multiple of *align*; return where that is."""
        padding = -self.offset % align
        self.target.write(_FILL * padding)
        self.target.write(data)
        found = Extent(offset=self.offset + padding, size=len(data))
        self.offset += padding + len(data)
        return found


class LanceWriter(NewFile):
    """A writer of one Lance file; use it in a ``with`` block, whose end finishes the file.

    Without such a block call `finish` or `abort`; a writer that is dropped before that leaves
    nothing.

    Attributes:
        schema: The Arrow schema of its rows.
        version: ``2.0``, ``2.1`` or ``2.2``.
        page_size: Approximate bytes of a page.
        num_rows: The number of rows so far.
        plan: The choices for each page written, with reasons; complete after `finish`.

    Example:
        >>> import pyarrow as pa
        >>> from byteloom import lance
        >>> table = pa.table({"id": range(5000)})
        >>> with lance.LanceWriter("rows.lance", table.schema) as writer:
        ...     writer.write(table)
        >>> print(writer.plan[0].encoding)
        bit-packing
    """

    def __init__(  # noqa: PLR0913  where, what, and how
        self,
        place: Place,
        schema: pa.Schema,
        *,
        version: str = "2.2",
        filesystem: Any = None,
        page_size: int = _PAGE,
        ids: Sequence[int] | None = None,
    ) -> None:
        """Begin a file; nothing appears at *place* before it is finished.

        A file that is there already is replaced then.

        Args:
            place: A path, a URL, an open binary file, or a `byteloom.storage.Target`.
            schema: The schema of all rows: Arrow types that Lance supports; maps and fixed-size
                lists of structs only in version 2.2.
            version: ``2.0``, ``2.1`` or ``2.2``.
            filesystem: A filesystem of `pyarrow.fs` or fsspec, in which *place* is a path.
            page_size: Approximate bytes of a page; 1 or more.
            ids: The ids of the fields, in pre-order, for a file of a dataset; None for 0, 1, ...

        Raises:
            Unsupported: The version or a type cannot be written.
            StorageError: The place cannot be written to.
        """
        check_version("version", version)
        self.schema, self.version, self.num_rows = storage_schema(schema), version, 0
        if page_size < 1:
            raise ArgumentError("page_size", None, page_size, "1 or more")
        self.page_size = page_size
        self._page_type = ARRAY_ENCODING if version == _ARRAYS else PAGE_LAYOUT
        self._stored = stored_schema(self.schema, version, ids)
        self._out = _Output()
        self._columns = [_Column(each, page_size, version, self._out.put) for each in self.schema]
        self.plan: list[PlannedPage] = []
        self._out.target = open_target(place, filesystem=filesystem)
        self._begin(self._out.target)

    @property
    def fields(self) -> list[Field]:
        """Return the fields stored in the file, in pre-order."""
        return list(self._stored.fields)

    @property
    def size(self) -> int:
        """Return the number of bytes written so far."""
        return self._out.offset

    def write(self, data: Any) -> None:
        """Add rows.

        Args:
            data: A batch, a table, a stream, or a list or generator of them.

        Raises:
            FormatError: The rows have another schema; the file is then abandoned.
        """
        with self._writing():
            for batch in batches_of(data):
                self._take(batch)

    def _take(self, batch: pa.RecordBatch) -> None:
        if batch.schema.names != self.schema.names:
            found, wanted = ", ".join(batch.schema.names), ", ".join(self.schema.names)
            raise ArgumentError("rows", None, f"columns {found}", wanted)
        arrays = []
        for array, column in zip(batch.columns, self._columns, strict=True):
            arrays.append(_stored(array, column.field))
        rows = max(1, batch.num_rows * self.page_size // max(1, batch.nbytes))
        for first in range(0, batch.num_rows, rows):
            for array, column in zip(arrays, self._columns, strict=True):
                column.add(array.slice(first, rows))
                if column.is_full:
                    self._put_pages(column)
        self.num_rows += batch.num_rows

    def _put_pages(self, column: _Column) -> None:
        """Write a page of each column, of the rows that are not written yet."""
        if not column.parts:
            return
        array = column.take()
        self._put_all(column, column.columns.pages(array, column.first))
        column.first += len(array)

    def _put_all(self, column: _Column, pages: Iterable[tuple[int, MadePage]]) -> None:
        for number, made in pages:
            column.pages[number].append(self._put_page(made))
            self.plan.append(made.plan)

    def _put_page(self, made: MadePage) -> Page:
        stored = [each.view("u1").data if len(each) else b"" for each in made.buffers]
        places = [self._out.put(each) for each in stored]
        return Page(
            buffer_offsets=[each.offset for each in places],
            buffer_sizes=[each.size for each in places],
            length=made.plan.rows * made.items,
            encoding=_described(self._page_type, made.encoding.SerializeToString()),
            priority=0 if self.version == _ARRAYS else made.plan.first * made.items,
        )

    def _put_end(self) -> None:
        for each in self._columns:
            self._put_pages(each)
            self._put_all(each, each.columns.last())
        self._put_tail()

    def _put_tail(self) -> None:
        """Write what describes the pages: schema, columns, the places of both, footer."""
        descriptor = FileDescriptor(schema=self._stored, length=self.num_rows)
        buffers = [self._out.put(descriptor.SerializeToString())]
        start = self._out.offset
        columns = [
            self._out.put(_metadata(each, number, pages), 1)
            for each in self._columns
            for number, pages in enumerate(each.pages)
        ]
        tables = []
        for extents in (columns, buffers):
            tables.append(self._out.offset)
            self._out.put(Extents(items=extents, count=len(extents)).to_bytes(), 1)
        pair = next(each.file_pair for each in VERSIONS if each.name == self.version)
        major, minor = map(int, pair.split("/"))
        footer = Footer(
            ofs_columns=start,
            ofs_column_extents=tables[0],
            ofs_buffer_extents=tables[1],
            num_buffers=len(buffers),
            num_columns=len(columns),
            version=Version(major=major, minor=minor),
        )
        self._out.put(footer.to_bytes(), 1)


def _metadata(column: _Column, number: int, pages: list[Page]) -> bytes:
    """The metadata of a column and its pages."""
    encoding = _described(COLUMN_ENCODING, column.columns.encoding(number).SerializeToString())
    return ColumnMetadata(encoding=encoding, pages=pages).SerializeToString()


def _described(url: str, data: bytes) -> Encoding:
    described = Described(type_url=url, value=data).SerializeToString()
    return Encoding(direct=DirectEncoding(encoding=described))


def _stored(array: pa.Array, field: pa.Field) -> pa.Array:
    """The values of a column in the stored type."""
    path = f"rows.{field.name}"
    check_array(array, path, in_full=False)
    try:
        stored = as_stored(array, field.type)
    except (pa.ArrowException, TypeError) as error:
        raise ArgumentError(path, None, str(array.type), str(field.type)) from error
    check_array(stored, path, in_full=True)
    if array.null_count and not field.nullable:
        wanted = "values, as the schema says"
        raise ArgumentError(path, None, f"{array.null_count} nulls", wanted)
    return stored
