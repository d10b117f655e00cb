"""Pages of version 0.1 as Arrow arrays: the rows of a field in one batch.

- Values of fixed width are stored one after the other, booleans as bits, fixed-size lists as their
  items without validity.
- Text is stored before its page, which has one more 64-bit offset into the file than values.
- Lists have offsets into the page of their items, which has no other items in the batch.

Source: https://lance.org/format/file/versioning/
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, LimitExceeded, Truncated, Unsupported, found_by
from byteloom.lance.legacy.tail import PageTable
from byteloom.lance.types import arrow_field

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from byteloom.lance.buffered_file import BufferedFile
    from byteloom.lance.fields import Field
    from byteloom.lance.tail_content import FileTail
    from byteloom.limits import Limits
    from byteloom_generated.lance import file

__all__ = ["Dictionaries", "PageReader"]

_MOST: Final = (1 << 31) - 1


class _Ranged(Protocol):
    @property
    def size(self) -> int:
        """Bytes of the file."""

    def read(self, offset: int, length: int) -> bytes:
        """Return exactly *length* bytes from *offset* on."""


class Dictionaries:
    """The values of dictionaries, whose numbers pages have; read once, when first needed."""

    def __init__(
        self,
        opened: Callable[[], AbstractContextManager[_Ranged]],
        fields: Iterable[file.Field],
    ) -> None:
        """Read nothing yet.

        opened  opens the file with the values: the data file itself, or the manifest of its dataset
        fields  messages of fields, which say where their values are
        """
        self._opened = opened
        self._places = {
            each.id: (each.dictionary.offset, each.dictionary.length)
            for each in fields
            if each.HasField("dictionary")
        }
        self._read: dict[int, pa.Array] = {}

    def of(self, field: Field, type_: pa.DataType) -> pa.Array:
        """Return the values of *field*, of that type.

        raises  `FormatError` for damage
        """
        if field.id not in self._read:
            place, count = self._places.get(field.id, (0, 0))
            with self._opened() as source:
                values = _Values(source, f"schema.{field.path}.dictionary")
                self._read[field.id] = values.all(type_, place, count)
        return self._read[field.id]


class PageReader:
    """The pages of a file."""

    def __init__(
        self,
        source: BufferedFile,
        tail: FileTail,
        limits: Limits,
        dictionaries: Dictionaries | None,
        ids: Sequence[int],
    ) -> None:
        """Read where the pages are.

        dictionaries  the dataset's; None to use the file's own
        ids           of the fields by the manifest of the dataset; empty, or some negative, where
                      it does not say all
        """
        fields = tail.descriptor.schema.fields
        self._source = source
        self._dictionaries = dictionaries or Dictionaries(lambda: nullcontext(source), fields)
        is_listed = min(ids, default=-1) >= 0
        own = [each.id for each in fields]
        self._table = PageTable(source, tail, ids if is_listed else own, limits)

    @property
    def batches(self) -> list[int]:
        """The row that each batch begins with, and the number of rows."""
        return self._table.batches

    @property
    def table(self) -> tuple[int, int]:
        """Where the table of pages begins and ends."""
        return self._table.at, self._table.end

    def read(self, field: Field, batch: int) -> pa.Array:
        """Return the rows of a top-level field in one batch.

        raises  `FormatError` for damage, `Unsupported` for a type that version 0.1 cannot store
        """
        start, stop = self._table.batches[batch : batch + 2]
        return self._rows(field, batch, stop - start)

    def _rows(self, field: Field, batch: int, rows: int) -> pa.Array:
        type_ = arrow_field(field).type
        if field.is_struct:
            return self._struct(field, type_, batch, rows)
        if pa.types.is_null(type_):
            return pa.nulls(rows)
        if field.is_list and not pa.types.is_map(type_):
            return self._list(field, type_, batch, rows)
        place, values = self._page(field, batch, rows), self._values(field, batch)
        if pa.types.is_dictionary(type_):
            return self._dictionary(field, type_, values, place, rows)
        if _is_text(type_):
            return values.texts(type_, place, rows, nullable=field.nullable)
        return values.plain(type_, place, rows)

    def _struct(self, field: Field, type_: pa.DataType, batch: int, rows: int) -> pa.Array:
        if not field.children:
            return pa.Array.from_buffers(type_, rows, [None])
        children = [self._rows(each, batch, rows) for each in field.children]
        return pa.StructArray.from_arrays(children, fields=list(type_))

    def _list(self, field: Field, type_: pa.DataType, batch: int, rows: int) -> pa.Array:
        is_large = pa.types.is_large_list(type_)
        place = self._page(field, batch, rows + 1)
        offsets = self._values(field, batch).offsets("<i8" if is_large else "<i4", place, rows)
        offsets = offsets - offsets[0]
        items = self._rows(field.children[0], batch, int(offsets[-1]))
        kind: Any = pa.LargeListArray if is_large else pa.ListArray
        return kind.from_arrays(pa.array(offsets), items, type=type_)

    def _dictionary(
        self, field: Field, type_: pa.DataType, values: _Values, place: int, rows: int
    ) -> pa.Array:
        indices = values.plain(type_.index_type, place, rows)
        known = self._dictionaries.of(field, type_.value_type)
        try:
            return pa.DictionaryArray.from_arrays(indices, known, ordered=type_.ordered)
        except (pa.ArrowInvalid, IndexError) as error:
            wrong = found_by("an index outside of the dictionary", error)
            wanted = f"indices below {len(known)}"
            raise FormatError(values.path, place, wrong, wanted) from error

    def _page(self, field: Field, batch: int, wanted: int) -> int:
        """Return the place of a page with at least *wanted* values."""
        place, length = self._table.page(field.id, batch)
        if length < wanted:
            path = f"page_table[{field.id}][{batch}].num_values"
            raise FormatError(path, self._table.at, length, f"at least {wanted}")
        return place

    def _values(self, field: Field, batch: int) -> _Values:
        return _Values(self._source, f"{field.path}.pages[{batch}]")


class _Values:
    """Reads values at a place of the file, and names them in errors."""

    def __init__(self, source: _Ranged, path: str) -> None:
        self._source, self.path = source, path

    def all(self, type_: pa.DataType, place: int, count: int) -> pa.Array:
        """The values of a dictionary; an empty text is null, as in a nullable column."""
        if place < 0 or count < 0:
            raise FormatError(self.path, None, f"{count} values at {place}", "0 or more of both")
        if _is_text(type_):
            return self.texts(type_, place, count, nullable=True)
        return self.plain(type_, place, count)

    def plain(self, type_: pa.DataType, place: int, count: int) -> pa.Array:
        """Values of fixed width, one after the other."""
        if pa.types.is_fixed_size_list(type_):
            items = self.plain(type_.value_type, place, count * type_.list_size)
            return pa.FixedSizeListArray.from_arrays(items, type=type_)
        try:
            bits = type_.bit_width
        except ValueError as error:
            wanted = "a type that version 0.1 stores"
            raise Unsupported(self.path, None, str(type_), wanted) from error
        data = self._bytes(place, (count * bits + 7) // 8)
        return pa.Array.from_buffers(type_, count, [None, pa.py_buffer(data)])

    def texts(self, type_: pa.DataType, place: int, count: int, *, nullable: bool) -> pa.Array:
        """Values of any length with offsets at *place*; empty ones are null if they may be."""
        offsets = self.offsets("<i8", place, count)
        start = int(offsets[0])
        size = int(offsets[-1]) - start
        is_large = type_ in {pa.large_string(), pa.large_binary()}
        if not is_large and size > _MOST:
            raise LimitExceeded(self.path, place, f"{size} bytes of text", f"at most {_MOST}")
        data = self._bytes(start, size)
        offsets = offsets - start
        stored = pa.py_buffer(offsets.astype("<i8" if is_large else "<i4"))
        validity = None
        if nullable and count and (empty := offsets[1:] == offsets[:-1]).any():
            validity = pa.py_buffer(np.packbits(~empty, bitorder="little"))
        array = pa.Array.from_buffers(type_, count, [validity, stored, pa.py_buffer(data)])
        if type_ in {pa.string(), pa.large_string()}:
            self._check_text(array, start)
        return array

    def offsets(self, kind: str, place: int, count: int) -> NDArray[np.int64]:
        """The ascending offsets of *count* values, one more than these."""
        width = np.dtype(kind).itemsize
        offsets = np.frombuffer(self._bytes(place, (count + 1) * width), kind)
        wrong = np.flatnonzero(offsets[1:] < offsets[:-1])
        if offsets[0] < 0 or len(wrong):
            number = 0 if offsets[0] < 0 else int(wrong[0]) + 1
            wanted = "0 or more" if offsets[0] < 0 else f"{offsets[number - 1]} or more"
            path = f"{self.path}.offsets[{number}]"
            raise FormatError(path, place + number * width, int(offsets[number]), wanted)
        return offsets

    def _bytes(self, place: int, size: int) -> bytes:
        if place + size > self._source.size:
            found = f"bytes {place} to {place + size}"
            raise Truncated(
                self.path, place, found, f"at most {self._source.size}, the file's size"
            )
        return self._source.read(place, size)

    def _check_text(self, array: pa.Array, at: int) -> None:
        try:
            array.validate(full=True)
        except pa.ArrowInvalid as error:
            raise FormatError(self.path, at, found_by("not UTF-8", error), "text") from error


def _is_text(type_: pa.DataType) -> bool:
    return type_ in {pa.string(), pa.binary(), pa.large_string(), pa.large_binary()}
