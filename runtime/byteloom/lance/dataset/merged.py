"""Fields of a fragment whose files have only parts of them, or none.

Source: https://lance.org/format/table/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from byteloom import compute as pc
from byteloom.errors import FormatError, LimitExceeded, Unsupported
from byteloom.lance.reading import made_of
from byteloom.lance.types import arrow_field
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from byteloom.lance.fields import Field
    from byteloom.lance.reading import FieldReader, Leaf, Rows

__all__ = ["AbsentField", "MergedStruct", "NamedReader", "filled"]


class AbsentField:
    """A field that no file of the fragment has: it was added later, and is null."""

    leaves: tuple[Leaf, ...] = ()
    joins = False

    def __init__(self, field: Field, length: int) -> None:
        """Set up a field of *length* nulls."""
        self._type, self.length = arrow_field(field).type, length

    def made(self, parts: Sequence[pa.Array], rows: Rows) -> pa.Array:
        """Return a null for each row."""
        del parts
        return _nulls(len(rows), self._type)


class NamedReader:
    """A field of one of several files; errors name the file."""

    def __init__(self, reader: FieldReader, file_name: str | None) -> None:
        """Read the rows of *reader*; *file_name* is None if the file has no name."""
        self._reader, self._name = reader, file_name
        self.length, self.leaves, self.joins = reader.length, reader.leaves, False

    def made(self, parts: Sequence[pa.Array], rows: Rows) -> pa.Array:
        """Return *rows*, of which *parts* has the array of each leaf."""
        with about_file(self._name):
            return self._reader.made(parts, rows)


class MergedStruct:
    """A struct whose children are in several files; the first file says where it is null."""

    joins = False

    def __init__(self, field: Field, parts: Sequence[tuple[Field, FieldReader]]) -> None:
        """Combine the parts of the struct.

        Args:
            parts: For each file, the struct narrowed to its fields, and their reader.
        """
        self._type = arrow_field(field).type
        self._parts = [each for _, each in parts]
        self.length = self._parts[0].length
        self.leaves = [leaf for each in self._parts for leaf in each.leaves]

    def made(self, parts: Sequence[pa.Array], rows: Rows) -> pa.Array:
        """Return *rows*, of which *parts* has the array of each leaf."""
        return _merged(made_of(self._parts, parts, rows), self._type)


def _nulls(count: int, type_: pa.DataType) -> pa.Array:
    """Return *count* nulls, of a field that no file has."""
    try:
        return pa.nulls(count, type_)
    except (pa.ArrowException, MemoryError, OverflowError) as error:
        found = f"{count} nulls of {type_}"
        raise LimitExceeded("field", None, found, "as many as memory has room for") from error


def _merged(parts: Sequence[Any], type_: pa.DataType) -> pa.Array:
    """Combine structs, each of which has some of the children; those that none has are null."""
    first = parts[0]
    if len(parts) == 1:
        return filled(first, type_)
    if any(not pa.types.is_struct(each.type) for each in parts):
        wanted = "parts only of structs"
        raise Unsupported("field", None, f"parts of {first.type} in several files", wanted)
    if any(len(each) != len(first) for each in parts):
        raise FormatError("field", None, "files of different lengths", f"{len(first)} rows in each")
    children = []
    for field in type_:
        places = [each.type.get_field_index(field.name) for each in parts]
        found = [
            each.field(at) if each is first else pc.struct_field(each, [at])  # null where each is
            for each, at in zip(parts, places, strict=True)
            if at >= 0
        ]
        if not found:
            children.append(_nulls(len(first), field.type))
        else:
            children.append(_merged(found, field.type))
    mask = first.is_null() if first.null_count else None
    return pa.StructArray.from_arrays(children, fields=list(type_), mask=mask)


def filled(
    array: Any, type_: pa.DataType, leaf: Callable[[pa.Array], pa.Array] | None = None
) -> pa.Array:
    """Return an array with all fields of a type; those that it lacks are null.

    Rows may be appended without fields of structs, including structs in lists and maps.

    Args:
        leaf: Changes values that have another type; None where there are none.
    """
    if array.type == type_:
        return array
    if pa.types.is_struct(type_):
        there = [array.type.get_field_index(each.name) for each in type_]
        children = [
            _nulls(len(array), each.type) if at < 0 else filled(array.field(at), each.type, leaf)
            for at, each in zip(there, type_, strict=True)
        ]
        mask = array.is_null() if array.null_count else None
        return pa.StructArray.from_arrays(children, fields=list(type_), mask=mask)
    if leaf is not None and not type_.num_fields:
        return leaf(array)
    is_fixed, is_map = pa.types.is_fixed_size_list(type_), pa.types.is_map(type_)
    items = pa.struct([type_.key_field, type_.item_field]) if is_map else type_.value_type
    values = filled(array.values, items, leaf)
    buffers = array.buffers()[: 1 if is_fixed else 2]
    return pa.Array.from_buffers(type_, len(array), buffers, offset=array.offset, children=[values])
