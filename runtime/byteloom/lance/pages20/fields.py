"""Fields of version 2.0, each read from its columns.

- A field without children is read from the pages of its column.
- A list has a column with the ends of its lists, and its items are a field of their own; the
  column of a struct has only the number of rows.
- Where releases through 0.27.2 wrote structs in parts, each page of their fields has the whole
  struct, so reading one of them is enough.
- Releases 0.10.18 and 0.11.1 stored the buffers of a page in the reverse of their indices.  The
  first is known by its footer.  The second wrote columns without an encoding, as 0.12.0 did, whose
  buffers are in order: sizes of buffers that fit only one of the two orders decide.

Source: https://lance.org/format/file/encoding/, specs/lance/SOURCE.md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from byteloom.errors import FormatError, Unsupported
from byteloom.lance.encodings import array_encoding
from byteloom.lance.field_reading import FirstRows, made_of, repeats
from byteloom.lance.pages20.arrays import numbers_of
from byteloom.lance.pages20.building import PageNodes
from byteloom.lance.pages20.leaf import ColumnPages, LeafReader, leaf_reader
from byteloom.lance.pages20.lists import ListEnds, ListReader
from byteloom.lance.types import arrow_field

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.lance.column_metadata import Column, Page
    from byteloom.lance.field_reading import FileField, PagesFile, Rows
    from byteloom.lance.fields import Field
    from byteloom.lance.stored_columns import StoredColumns
    from byteloom_generated.lance.encodings20 import ArrayEncoding

__all__ = ["field_reader", "is_reversed"]


def is_reversed(file: StoredColumns) -> bool:
    """Return whether the buffers of all pages are stored in the reverse of their indices.

    Raises:
        Unsupported: The file may be by either release.
    """
    if file.version != "2.0" or file.tail.is_early:
        return file.tail.is_early
    if not file.tail.columns or file.columns([0])[0].encoding.type:
        return False
    pages = [page for column in file.columns() for page in column.pages if len(page.buffers) > 1]
    for page in pages:
        sizes = [size for _, size in page.buffers]
        expected = dict(_sizes(array_encoding(page, file.limits), page.length))
        fits = [
            all(order[index] == size for index, size in expected.items() if index < len(order))
            for order in (sizes, sizes[::-1])
        ]
        if fits[0] != fits[1]:
            return fits[1]
    if not pages:
        return False
    path = f"{pages[0].path}.buffers"
    raise Unsupported(path, pages[0].at, "buffers in either order", "sizes that show the order")


def _sizes(encoding: ArrayEncoding, count: int) -> Iterator[tuple[int, int]]:
    """Yield the sizes of buffers that are known without reading, by their indices."""
    kind = encoding.WhichOneof("array_encoding")
    if kind == "flat" and not encoding.flat.HasField("compression"):
        bits = encoding.flat.bits_per_value
        yield encoding.flat.buffer.buffer_index, -(-count * bits // 8)
    elif kind == "nullable":
        nullable = encoding.nullable
        if nullable.WhichOneof("nullability") == "no_nulls":
            yield from _sizes(nullable.no_nulls.values, count)
        elif nullable.WhichOneof("nullability") == "some_nulls":
            yield from _sizes(nullable.some_nulls.validity, count)
            yield from _sizes(nullable.some_nulls.values, count)
    elif kind == "fixed_size_list":
        lists = encoding.fixed_size_list
        yield from _sizes(lists.items, count * lists.dimension)
    elif kind == "list":
        yield from _sizes(encoding.list.offsets, count)
    elif kind == "binary":
        yield from _sizes(encoding.binary.indices, count)
    elif kind == "dictionary":
        yield from _sizes(encoding.dictionary.indices, count)
        items = encoding.dictionary.num_dictionary_items
        yield from _sizes(encoding.dictionary.items, items)


_TEXT: Final = ("string", "binary", "large_string", "large_binary")


class StructReader:
    """A field of structs, which are never null."""

    joins = True

    def __init__(self, length: int, children: Sequence[FileField], type_: pa.StructType) -> None:
        """Combine *children*."""
        self.length, self._children, self.type = length, children, type_
        self.leaves = [leaf for each in children for leaf in each.leaves]

    def of(self, file: PagesFile) -> StructReader:
        """Return the field of another file that has the same metadata."""
        return StructReader(self.length, [each.of(file) for each in self._children], self.type)

    def made(self, parts: Sequence[pa.Array], rows: Rows) -> pa.Array:
        """Return *rows*, of which *parts* has the array of each leaf."""
        children = made_of(self._children, parts, rows)
        count = len(parts[0]) if parts else len(rows)
        return pa.Array.from_buffers(self.type, count, [None], children=children)


class BlobReader:
    """A field of bytes outside pages; its column has their places."""

    joins = False

    def __init__(self, places: LeafReader, file: PagesFile, path: str, type_: pa.DataType) -> None:
        """Read *places*, structs of a position and a size, of bytes of *type_*."""
        self._places, self._file, self._path, self._type = places, file, path, type_
        self.length, self.leaves = places.length, places.leaves

    def of(self, file: PagesFile) -> BlobReader:
        """Return the field of another file that has the same metadata."""
        return BlobReader(self._places.of(file), file, self._path, self._type)

    def made(self, parts: Sequence[pa.Array], rows: Rows) -> pa.Array:
        """Return the bytes of *rows*, whose places are in the one array of *parts*."""
        del rows
        return self._bytes(parts[0])

    def _bytes(self, places: pa.Array) -> pa.Array:
        positions, sizes = (numbers_of(places.field(each), self._path, None) for each in (0, 1))
        size = self._file.data.size
        sound = (positions >= 0) & (sizes >= 0) & (sizes <= size) & (positions <= size - sizes)
        if not sound.all() or int(sizes.sum()) > size:
            raise FormatError(
                self._path, None, "a blob outside of the file", f"{size} bytes in all"
            )
        ranges = list(zip(positions.tolist(), sizes.tolist(), strict=True))
        data = self._file.data.read_ranges([each for each in ranges if each[1]])
        parts = iter(data)
        values = [
            next(parts) if length else (None if position else b"") for position, length in ranges
        ]
        return pa.array(values, self._type)


def field_reader(file: StoredColumns, field: Field) -> FileField:
    """Return a reader of *field* in a file whose pages have array encodings."""
    return _Builder(file).reader(field)


class _Builder:
    """Makes the readers of fields."""

    def __init__(self, file: StoredColumns) -> None:
        self._file, self._map = file, file.column_map
        self._is_reversed = is_reversed(file)

    def reader(self, field: Field) -> FileField:
        """Return the reader of a field."""
        number = self._map.number(field)
        column = self._file.columns([number])[0]
        type_ = arrow_field(field).type
        if field.type in _TEXT and self._map.text_is_lists:
            texts = self._alone(self._file.columns([number + 1])[0], pa.uint8())
            return ListReader(self._lists(column), texts, type_)
        if field.is_blob and self._has_places(column):
            place = pa.struct([("position", pa.uint64()), ("size", pa.uint64())])
            return BlobReader(self._alone(column, place), self._file, column.path, type_)
        if field.is_list:
            items = self.reader(field.children[0])
            return ListReader(self._lists(column), items, type_)
        if field.is_struct and (self._map.packed_is_split or not field.is_packed):
            children = [_of_struct(self.reader(each), column) for each in field.children]
            return StructReader(column.length, children, type_)
        return leaf_reader(self._file, column, type_, is_reversed=self._is_reversed)

    def _alone(self, column: Column, type_: pa.DataType) -> LeafReader:
        """The reader of a column whose pages are not decoded with those of other columns."""
        reverse = self._is_reversed
        return leaf_reader(self._file, column, type_, is_reversed=reverse, is_alone=True)

    def _has_places(self, column: Column) -> bool:
        """Whether pages have the places of blobs, not their bytes, as through release 0.15."""
        kinds = {
            array_encoding(each, self._file.limits).WhichOneof("array_encoding")
            for each in column.pages
        }
        return "packed_struct" in kinds

    def _lists(self, column: Column) -> ColumnPages:
        """The pages of the ends of lists."""
        first, items = {}, 0
        for page in column.pages:
            first[page.path] = items
            items += _list(self._file, page).num_items
        is_reversed = self._is_reversed

        def opened(file: PagesFile, page: Page) -> ListEnds:
            lists = _list(file, page)
            nodes = PageNodes(page, file.data, file.limits, is_reversed)
            ends = nodes.node(lists.offsets, pa.uint64(), page.length)
            adjustment = lists.null_offset_adjustment
            if not lists.num_items < adjustment < 1 << 62:
                path, wanted = f"{page.path}.encoding.list", f"more than {lists.num_items}"
                raise FormatError(path, page.at, f"null_offset_adjustment {adjustment}", wanted)
            return ListEnds(ends, adjustment, first[page.path], lists.num_items, page.path, page.at)

        return ColumnPages(column, opened, self._file)


def _list(file: PagesFile, page: Page) -> Any:
    """The encoding of a page of the ends of lists."""
    encoding = array_encoding(page, file.limits)
    kind = encoding.WhichOneof("array_encoding")
    if kind != "list":
        path = f"{page.path}.encoding"
        raise Unsupported(path, page.at, kind or "no encoding", "an encoding of lists")
    return encoding.list


def _of_struct(child: FileField, header: Column) -> FileField:
    """The reader of a struct's field, which may have all rows several times."""
    if not repeats(child.length, header.length):
        wanted = f"{header.length}, as the struct"
        raise FormatError(header.path, header.at, f"a field of {child.length} rows", wanted)
    return child if child.length == header.length else FirstRows(child, header.length)
