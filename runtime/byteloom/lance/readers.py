"""Choose the reader of a field by the version of the file and the encoding of its pages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from byteloom.errors import FormatError, Unsupported
from byteloom.lance.encodings import ARRAY_ENCODING, EARLY_PAGE_LAYOUT, PAGE_LAYOUT
from byteloom.lance.merging import branches, leaf_type, merged
from byteloom.lance.pages20.fields import field_reader
from byteloom.lance.pages21 import Leaf21
from byteloom.lance.reading import first_rows, repeats, starts_of
from byteloom.lance.tail import UNREAD, V0_1, V2_0
from byteloom.lance.types import arrow_field, has_same_values
from byteloom.storage.sources import BytesSource

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np

    from byteloom.lance.column_metadata import Column
    from byteloom.lance.fields import Field
    from byteloom.lance.reader import LanceFile
    from byteloom.lance.reading import FieldReader
    from byteloom.storage import Source

__all__ = ["reader_of"]

_NO_SOURCE: Final = BytesSource(b"")
"""The source of readers that others are made from."""


class _Bare:
    """Structs without fields, by releases 0.19 to 0.36, which have no column."""

    def __init__(self, length: int, type_: pa.DataType) -> None:
        self.length, self.starts = length, [0]
        self._type = type_

    def read(self, start: int, stop: int) -> pa.Array:
        return pa.Array.from_buffers(self._type, stop - start, [None])

    def take(self, rows: np.ndarray) -> pa.Array:
        return self.read(0, len(rows))


class _Empty:
    """A field without rows."""

    def __init__(self, type_: pa.DataType) -> None:
        self.length, self.starts = 0, [0]
        self._array = pa.array([], type_)

    def read(self, start: int, stop: int) -> pa.Array:
        del start, stop
        return self._array

    def take(self, rows: np.ndarray) -> pa.Array:
        del rows
        return self._array


class _Leaves:
    """A field from version 2.1 on, whose leaves each have a column."""

    def __init__(self, file: LanceFile, field: Field, columns: Sequence[Column]) -> None:
        found = branches(field)
        if len(found) != len(columns):
            # A packed struct by releases 0.33 to 0.38.0, which has a column for each field.
            field = _unpacked(field)
            found = branches(field)
        if len(found) != len(columns):
            raise FormatError(field.path, None, f"{len(columns)} columns", f"{len(found)}")
        self._field = field
        self._leaves = [
            Leaf21(leaf_type(branch), column, file.data, file.limits)
            for branch, column in zip(found, columns, strict=True)
        ]
        for each, column in zip(self._leaves, columns, strict=True):
            if each.length != self._leaves[0].length:
                wanted = f"{self._leaves[0].length}, as in {columns[0].path}"
                raise FormatError(column.path, column.at, f"{each.length} rows", wanted)
        self.length = self._leaves[0].length
        first, *others = self._leaves
        self.starts = starts_of([*self._leaves]) if others else first.starts

    @property
    def form(self) -> _Leaves:
        return self._with(_NO_SOURCE)

    def of(self, file: LanceFile) -> _Leaves:
        return self._with(file.data)

    def _with(self, source: Source) -> _Leaves:
        found = _Leaves.__new__(_Leaves)
        found.__dict__.update(self.__dict__)
        found._leaves = [each.of(source) for each in self._leaves]  # noqa: SLF001  of a copy
        return found

    def leaves(self, start: int, stop: int) -> Iterator[tuple[Leaf21, int, int]]:
        for each in self._leaves:
            yield each, start, stop

    def end_of(self, start: int) -> int:
        return min([each.end_of(start) for each in self._leaves])

    def of_leaves(self, parts: list[pa.Array]) -> pa.Array:
        return merged(self._field, parts)

    def read(self, start: int, stop: int) -> pa.Array:
        return merged(self._field, [each.read(start, stop) for each in self._leaves])

    def take(self, rows: np.ndarray) -> pa.Array:
        return merged(self._field, [each.take(rows) for each in self._leaves])


def _unpacked(field: Field) -> Field:
    """The same field, stored by its children."""
    return replace(field, metadata={}, children=[_unpacked(each) for each in field.children])


def _without_columns(file: LanceFile, field: Field, rows: int) -> FieldReader:
    """Return the reader of structs without fields; refuse another field that has no column."""
    for each in field.walk():
        if not each.is_struct:
            file.column_map.number(each)
    return _Bare(rows, arrow_field(field).type)


def _unknown_encoding(version: str, columns: Sequence[Column]) -> FormatError:
    """Return the error about the first page whose encoding has no name of the file's version."""
    known = {ARRAY_ENCODING} if version == V2_0 else {PAGE_LAYOUT, EARLY_PAGE_LAYOUT}
    wanted = ARRAY_ENCODING if version == V2_0 else PAGE_LAYOUT
    for page in (page for each in columns for page in each.pages):
        if page.encoding.type not in known:
            found = page.encoding.type or "no encoding"
            return FormatError(f"{page.path}.encoding", page.at, found, wanted)
    return FormatError(columns[0].path, columns[0].at, "no pages", f"pages of {wanted}")


def _check_types(file: LanceFile, field: Field) -> None:
    """Refuse a field of a dataset whose values are stored as another type in the file."""
    known = file.own_types
    for each in field.walk():
        stored = known.get(each.id, each.type)
        if stored != each.type and not has_same_values(stored, each.type):
            path, wanted = f"schema.{each.path}.logical_type", f"{each.type}, as in the dataset"
            raise FormatError(path, None, stored, wanted)


def reader_of(file: LanceFile, field: Field) -> FieldReader:
    """Return the reader of *field*, which may be narrowed.

    raises  `Unsupported` for version 2.3, `FormatError` for another number of rows than the file's,
            and for a type in which the values of the file would be others
    """
    _check_types(file, field)
    version, rows = file.tail.version, file.tail.descriptor.length
    if version == V0_1:
        from byteloom.lance.legacy.fields import LegacyReader

        return LegacyReader(file.legacy_pages, field)
    if version == UNREAD:
        wanted = "version 0.1, 2.0, 2.1 or 2.2, of which rows are read"
        raise Unsupported("version", file.tail.at, f"version {version}", wanted)
    columns = file.columns(file.column_map.of(field))
    if not columns:
        return _without_columns(file, field, rows)
    if not rows and not any(each.length for each in columns):
        return _Empty(arrow_field(field).type)
    kinds = {page.encoding.type for each in columns for page in each.pages}
    reader: FieldReader
    if kinds and kinds <= {PAGE_LAYOUT, EARLY_PAGE_LAYOUT}:
        reader = _Leaves(file, field, columns)
    elif kinds == {ARRAY_ENCODING}:
        reader = field_reader(file, field)
    else:
        raise _unknown_encoding(version, columns)
    if EARLY_PAGE_LAYOUT in kinds and field.is_struct and repeats(reader.length, rows):
        return first_rows(reader, rows)
    if reader.length != rows:
        path, at = columns[0].path, columns[0].at
        raise FormatError(path, at, f"{reader.length} rows", f"{rows} (descriptor.length)")
    return reader
