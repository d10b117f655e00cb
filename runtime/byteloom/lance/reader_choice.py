"""Choose the reader of a field by the version of the file and the encoding of its pages.

From version 2.1 on each leaf has a column with all its layers: a struct of two numbers comes as two
structs of one number each.  Their common layers are taken from the first of them.

Source: https://lance.org/format/file/encoding/#repetition-and-definition-levels
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, Unsupported
from byteloom.lance.buffered_file import BufferedFile
from byteloom.lance.encodings import ARRAY_ENCODING, EARLY_PAGE_LAYOUT, PAGE_LAYOUT
from byteloom.lance.field_reading import FirstRows, repeats
from byteloom.lance.pages20.fields import field_reader
from byteloom.lance.pages21 import Leaf21
from byteloom.lance.tail_content import UNREAD, V0_1, V2_0
from byteloom.lance.types import arrow_field, arrow_type, has_same_values
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.storage.sources import BytesSource

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.lance.column_metadata import Column
    from byteloom.lance.field_reading import FileField, PagesFile, Rows
    from byteloom.lance.fields import Field
    from byteloom.lance.stored_columns import StoredColumns

__all__ = ["Branch", "branches", "is_known", "leaf_type", "merged", "reader_of", "shared_reader"]

_MOST_READERS: Final = 256
"""Number of fields whose readers files with the same tail share."""


class _NoFile(NamedTuple):
    """The file of readers that others are made from."""

    data: BufferedFile
    limits: Limits
    file_name: str | None


_NO_FILE: Final = _NoFile(BufferedFile(BytesSource(b"")), DEFAULT_LIMITS, None)


class _Bare:
    """Structs without fields, by releases 0.19 to 0.36, which have no column."""

    leaves: tuple[Leaf21, ...] = ()
    joins = False

    def __init__(self, length: int, type_: pa.DataType) -> None:
        self.length, self._type = length, type_

    def of(self, file: PagesFile) -> _Bare:
        del file
        return self

    def made(self, parts: Sequence[pa.Array], rows: Rows) -> pa.Array:
        del parts
        return pa.Array.from_buffers(self._type, len(rows), [None])


class _Empty:
    """A field without rows."""

    leaves: tuple[Leaf21, ...] = ()
    joins = False

    def __init__(self, type_: pa.DataType) -> None:
        self.length, self._type = 0, type_

    def of(self, file: PagesFile) -> _Empty:
        del file
        return self

    def made(self, parts: Sequence[pa.Array], rows: Rows) -> pa.Array:
        del parts, rows
        return pa.array([], self._type)


class _Leaves:
    """A field from version 2.1 on, whose leaves each have a column."""

    joins = True

    def __init__(self, field: Field, leaves: Sequence[Leaf21]) -> None:
        self._field, self.leaves = field, leaves
        self.length = leaves[0].length

    def of(self, file: PagesFile) -> _Leaves:
        return _Leaves(self._field, [each.of(file) for each in self.leaves])

    def made(self, parts: Sequence[pa.Array], rows: Rows) -> pa.Array:
        del rows
        return merged(self._field, parts)


def _leaves(file: StoredColumns, field: Field, columns: Sequence[Column]) -> _Leaves:
    """The reader of a field from version 2.1 on."""
    found = branches(field)
    if len(found) != len(columns):
        # A packed struct by releases 0.33 to 0.38.0, which has a column for each field.
        field = _unpacked(field)
        found = branches(field)
    if len(found) != len(columns):
        raise FormatError(field.path, None, f"{len(columns)} columns", f"{len(found)}")
    pairs = zip(found, columns, strict=True)
    leaves = [Leaf21(leaf_type(branch), column, file) for branch, column in pairs]
    for each, column in zip(leaves, columns, strict=True):
        if each.length != leaves[0].length:
            wanted = f"{leaves[0].length}, as in {columns[0].path}"
            raise FormatError(column.path, column.at, f"{each.length} rows", wanted)
    return _Leaves(field, leaves)


def _unpacked(field: Field) -> Field:
    """The same field, stored by its children."""
    return replace(field, metadata={}, children=[_unpacked(each) for each in field.children])


def _without_columns(file: StoredColumns, field: Field, rows: int) -> FileField:
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


def _check_types(file: StoredColumns, field: Field) -> None:
    """Refuse a field of a dataset whose values are stored as another type in the file."""
    known = file.own_types
    for each in field.walk():
        stored = known.get(each.id, each.type)
        if stored != each.type and not has_same_values(stored, each.type):
            path, wanted = f"schema.{each.path}.logical_type", f"{each.type}, as in the dataset"
            raise FormatError(path, None, stored, wanted)


def reader_of(file: StoredColumns, field: Field) -> FileField:
    """Return the reader of *field*, which may be narrowed.

    raises  `Unsupported` for version 2.3, `FormatError` for another number of rows than the file's,
            and for a type in which the values of the file would be others
    """
    _check_types(file, field)
    version, rows = file.tail.version, file.tail.descriptor.length
    if version == V0_1:
        from byteloom.lance.legacy.fields import LegacyReader

        return LegacyReader(file.legacy_pages, field, file.file_name)
    if version == UNREAD:
        wanted = "version 0.1, 2.0, 2.1 or 2.2, of which rows are read"
        raise Unsupported("version", file.tail.at, f"version {version}", wanted)
    columns = file.columns(file.column_map.of(field))
    if not columns:
        return _without_columns(file, field, rows)
    if not rows and not any(each.length for each in columns):
        return _Empty(arrow_field(field).type)
    kinds = {page.encoding.type for each in columns for page in each.pages}
    reader: FileField
    if kinds and kinds <= {PAGE_LAYOUT, EARLY_PAGE_LAYOUT}:
        reader = _leaves(file, field, columns)
    elif kinds == {ARRAY_ENCODING}:
        reader = field_reader(file, field)
    else:
        raise _unknown_encoding(version, columns)
    if EARLY_PAGE_LAYOUT in kinds and field.is_struct and repeats(reader.length, rows):
        return reader if reader.length == rows else FirstRows(reader, rows)
    if reader.length != rows:
        path, at = columns[0].path, columns[0].at
        raise FormatError(path, at, f"{reader.length} rows", f"{rows} (descriptor.length)")
    return reader


def shared_reader(
    file: StoredColumns, field: Field, known: dict[int, tuple[Field, FileField]]
) -> FileField:
    """Return the reader of *field*, made from that of another file with the same tail if possible.

    Args:
        known: Fields by their ids, each with a reader that belongs to no file; this one is added.
    """
    if is_known(field, known):
        return known[field.id][1].of(file)
    found = reader_of(file, field)
    if len(known) >= _MOST_READERS:
        known.clear()
    known[field.id] = field, found.of(_NO_FILE)
    return found


def is_known(field: Field, known: dict[int, tuple[Field, FileField]]) -> bool:
    """Whether there is a reader of an equal field, perhaps of the dataset as opened before."""
    kept = known.get(field.id)
    return kept is not None and kept[0] == field


Branch = tuple["Field", ...]
"""The fields from a top-level or inner field down to a leaf."""


def branches(field: Field) -> list[Branch]:
    """Return the branch to each leaf of *field*, in the order of its columns."""
    if field.is_blob or field.is_packed or not field.children:
        return [(field,)]
    return [(field, *rest) for child in field.children for rest in branches(child)]


def leaf_type(branch: Branch) -> pa.DataType:
    """Return the type of the array of a leaf: the type of the field narrowed to this leaf.

    A map, which cannot lack its key or its values, is a list of structs.
    """
    if len(branch) == 1:
        return arrow_type(branch[0])
    field, *rest = branch
    child = arrow_field(rest[0])
    inner = pa.field(child.name, leaf_type(tuple(rest)), child.nullable, child.metadata)
    if field.is_struct:
        return pa.struct([inner])
    if field.type.startswith("fixed_size_list"):
        return pa.list_(inner, int(field.type.rpartition(":")[2]))
    return pa.large_list(inner) if field.type.startswith("large_list") else pa.list_(inner)


def merged(field: Field, leaves: Sequence[pa.Array]) -> pa.Array:
    """Return the array of *field*, from one of each of its `branches`.

    raises  `FormatError` if the arrays have different lengths
    """
    type_ = arrow_type(field)
    if len(leaves) == 1 and type_ == leaves[0].type:
        return leaves[0]
    if len({len(each) for each in leaves}) > 1:
        found = f"columns of {', '.join(str(len(each)) for each in leaves)} rows"
        raise FormatError(field.path, None, found, "as many in each")
    first, count = leaves[0], len(leaves[0])
    if field.is_struct:
        children = _children(field, [each.field(0) for each in leaves])
        return pa.Array.from_buffers(type_, count, [_bitmap(first)], children=children)
    if pa.types.is_fixed_size_list(type_):
        size = type_.list_size
        inner = [each.values.slice(each.offset * size, count * size) for each in leaves]
        children = _children(field, inner)
        return pa.Array.from_buffers(type_, count, [_bitmap(first)], children=children)
    offsets = [each.offsets.to_numpy(zero_copy_only=False) for each in leaves]
    relative = offsets[0] - offsets[0][0]
    if any(not np.array_equal(each - each[0], relative) for each in offsets[1:]):
        raise FormatError(field.path, None, "lists of other lengths", "the same in all columns")
    inner = [
        leaf.values.slice(int(each[0]), int(each[-1] - each[0]))
        for leaf, each in zip(leaves, offsets, strict=True)
    ]
    buffers = [_bitmap(first), pa.py_buffer(relative)]
    return pa.Array.from_buffers(type_, count, buffers, children=_children(field, inner))


def _children(field: Field, leaves: Sequence[pa.Array]) -> list[pa.Array]:
    """The arrays of the fields inside *field*, each of the leaves that belong to it."""
    found, at = [], 0
    for child in field.children:
        count = len(branches(child))
        found.append(merged(child, leaves[at : at + count]))
        at += count
    return found


def _bitmap(array: pa.Array) -> pa.Buffer | None:
    """The validity bitmap of an array, from its first value on."""
    bitmap = array.buffers()[0]
    if bitmap is None or not array.offset:
        return bitmap
    valid = array.is_valid().to_numpy(zero_copy_only=False)
    return pa.py_buffer(np.packbits(valid, bitorder="little"))
