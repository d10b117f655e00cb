"""Columns of a file as the columns of a schema, found by id at every level.

The rules:

- A field that the file has is converted, regardless of its name and place.
- A missing field is, in this order, the partition's value under an identity transform, its initial
  default, or null; a required field without any of these is an error.
- Fields inside a null struct are not checked.
- Partition values, defaults and nulls are columns with the same value in each row.

Source: Iceberg table spec, "Column Projection" and "Default Values".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from byteloom.arrow.flags import flags_of
from byteloom.datafiles.fields import places_of
from byteloom.errors import FormatError
from byteloom.iceberg.arrow_types import arrow_field, arrow_type
from byteloom.iceberg.reading.conversion import converted, is_bounded
from byteloom.iceberg.reading.variants import unshredded
from byteloom.iceberg.transforms.arrays import storage_array
from byteloom.iceberg.types import ListType, MapType, NestedField, StructType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from byteloom.datafiles.data_file import Piece
    from byteloom.iceberg.types import Type

__all__ = ["Columns", "constant", "project"]


def constant(of: Type, value: Any, length: int) -> pa.Array:
    """Return a column of *length* rows that all have one storage value, None for null."""
    if value is None:
        return pa.nulls(length, arrow_type(of))
    single = _array(of, [value])
    if of.is_primitive and of.kind != "variant":
        return pa.repeat(single[0], length)
    return single.take(pa.array(np.zeros(length, np.int64)))


def _array(of: Type, values: list[Any]) -> pa.Array:
    """Return an array of a few storage values."""
    is_null = pa.array([each is None for each in values], pa.bool_())
    if isinstance(of, StructType):
        fields = [arrow_field(each) for each in of.fields]
        held = [
            _array(each.type, [None if value is None else value.get(each.name) for value in values])
            for each in of.fields
        ]
        return pa.StructArray.from_arrays(held, fields=fields, mask=is_null)
    if isinstance(of, ListType):
        items = _array(of.element, [each for value in values for each in value or ()])
        offsets = pa.array(_offsets(values))
        return pa.LargeListArray.from_arrays(offsets, items, type=arrow_type(of), mask=is_null)
    if isinstance(of, MapType):
        pairs = [each for value in values for each in value or ()]
        keys, items = _array(of.key, [key for key, _ in pairs]), [each for _, each in pairs]
        offsets = pa.array(_offsets(values).astype(np.int32))
        return pa.MapArray.from_arrays(
            offsets, keys, _array(of.value, items), type=arrow_type(of), mask=is_null
        )
    return storage_array(of, values)


def _offsets(values: list[Any]) -> np.ndarray:
    """Return where the items of each value begin, and where the last end."""
    return np.cumsum([0, *(len(each or ()) for each in values)]).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Columns:
    """Some rows of a file.

    Attributes:
        fields: The fields of the columns, with their ids.
        constants: Storage values of columns given by the partition, by id.
        places: The index of each column in *fields*, by id; computed by default.
        checked: The number of columns, from the first on, whose text is known to be UTF-8.
    """

    fields: Sequence[pa.Field]
    arrays: Sequence[pa.Array]
    rows: int
    constants: Mapping[int, Any] = field(default_factory=dict)
    places: Mapping[int, int] | None = None
    checked: int = 0

    @classmethod
    def of(cls, piece: Piece, constants: Mapping[int, Any] | None = None) -> Columns:
        """Return the rows that are left of a piece."""
        given, rows = constants or {}, piece.left
        return cls(piece.fields, piece.arrays, rows, given, piece.places, piece.checked)

    def find(self, wanted: int) -> tuple[pa.Field, pa.Array] | None:
        """Return the column with an id, the first of several; None if the file lacks it."""
        place = self._place(wanted)
        return None if place is None else (self.fields[place], self.arrays[place])

    def ready(self, wanted: int, of: pa.DataType) -> pa.Array | None:
        """Return the column with an id if it already has Arrow's type *of*; None otherwise."""
        place = self._place(wanted)
        if place is None or self.arrays[place].type != of or is_bounded(of):
            return None
        array = self.arrays[place]
        return array if place < self.checked or not pa.types.is_large_string(of) else None

    def _place(self, wanted: int) -> int | None:
        """Return the index of the column with an id, the first of several."""
        if self.places is None:
            object.__setattr__(self, "places", places_of(self.fields))
        return (self.places or {}).get(wanted)


def project(wanted: NestedField, columns: Columns, of: pa.DataType | None = None) -> pa.Array:
    """Return the column *wanted* of each row, of Arrow's type for it.

    Args:
        of: That type, if it is known and not nested.

    Raises:
        FormatError: A required column without values; values of another type.
        Unsupported: A shredded variant of a type that variants do not have.
    """
    if of is not None and (ready := columns.ready(wanted.id, of)) is not None:
        return ready
    found = columns.find(wanted.id)
    if found is None:
        return _missing(wanted, columns.rows, columns.constants)
    return _present(wanted.type, found[1], found[0], columns.constants)


def _missing(wanted: NestedField, rows: int, constants: Mapping[int, Any]) -> pa.Array:
    """Return a column that the file lacks."""
    if wanted.id in constants:
        return constant(wanted.type, constants[wanted.id], rows)
    if wanted.required and wanted.initial_default is None:
        where = f"column {wanted.name} ({wanted.id})"
        raise FormatError(where, None, "not in the file", "a required column")
    return constant(wanted.type, wanted.initial_default, rows)


def _present(of: Type, array: pa.Array, source: pa.Field, constants: Mapping[int, Any]) -> pa.Array:
    """Return a column that the file has."""
    if isinstance(array.type, pa.BaseExtensionType):
        array = array.storage
        if isinstance(source.type, pa.BaseExtensionType):
            source = source.with_type(source.type.storage_type)
    if isinstance(of, StructType):
        return _struct(of, array, source, constants)
    if isinstance(of, MapType):
        return _map(of, array, source)
    if isinstance(of, ListType):
        return _list(of, array, source)
    if of.kind == "variant":
        return _variant(array, source)
    if source.type.num_fields and not pa.types.is_dictionary(source.type):
        raise FormatError(f"column {source.name}", None, str(source.type), str(of))
    return converted(array, of, source.name)


def _struct(
    of: StructType, array: pa.Array, source: pa.Field, constants: Mapping[int, Any]
) -> pa.Array:
    """Return structs, converted field by field."""
    if not pa.types.is_struct(source.type):
        raise FormatError(f"column {source.name}", None, str(source.type), str(of))
    inner = Columns(
        list(source.type),
        [array.field(number) for number in range(source.type.num_fields)],
        len(array),
        constants,
    )
    held = [project(each, inner) for each in of.fields]
    mask = array.is_null() if array.null_count else None
    return _structs(held, [arrow_field(each) for each in of.fields], len(array), mask)


def _structs(
    held: list[pa.Array], fields: list[pa.Field], rows: int, mask: pa.Array | None
) -> pa.Array:
    """Return structs of these columns, of which there may be none."""
    if held:
        return pa.StructArray.from_arrays(held, fields=fields, mask=mask)
    valid = None if mask is None else np.packbits(~flags_of(mask), bitorder="little")
    return pa.Array.from_buffers(
        pa.struct([]), rows, [None if valid is None else pa.py_buffer(valid)]
    )


def _list(of: ListType, array: pa.Array, source: pa.Field) -> pa.Array:
    """Return lists with converted elements."""
    if pa.types.is_fixed_size_list(array.type):
        array = array.cast(pa.list_(array.type.value_field))
    if not (pa.types.is_list(array.type) or pa.types.is_large_list(array.type)):
        raise FormatError(f"column {source.name}", None, str(source.type), str(of))
    starts, items = _items(array)
    element = source.type.value_field
    held = _present(of.element, items, element, {})
    mask = array.is_null() if array.null_count else None
    return pa.LargeListArray.from_arrays(starts, held, type=arrow_type(of), mask=mask)


def _items(array: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Return where the items of each list begin, from 0, and only the items of these lists."""
    offsets = array.offsets.to_numpy().astype(np.int64)
    first = int(offsets[0]) if len(offsets) else 0
    last = int(offsets[-1]) if len(offsets) else 0
    values = array.values.slice(first, last - first)
    return pa.array(offsets - first), values


def _map(of: MapType, array: pa.Array, source: pa.Field) -> pa.Array:
    """Return maps with converted keys and values; old writers stored maps as lists of pairs."""
    pairs = _pairs(source.type)
    if pairs is None:
        raise FormatError(f"column {source.name}", None, str(source.type), str(of))
    starts, items = _items(array)
    keys = _present(of.key, items.field(0), pairs[0], {})
    values = _present(of.value, items.field(1), pairs[1], {})
    mask = array.is_null() if array.null_count else None
    starts = starts.cast(pa.int32())
    return pa.MapArray.from_arrays(starts, keys, values, type=arrow_type(of), mask=mask)


def _pairs(of: pa.DataType) -> tuple[pa.Field, pa.Field] | None:
    """Return the fields of key and value if a type has them; None otherwise."""
    if pa.types.is_map(of):
        return of.key_field, of.item_field
    if (pa.types.is_list(of) or pa.types.is_large_list(of)) and pa.types.is_struct(of.value_type):
        inner = list(of.value_type)
        return (inner[0], inner[1]) if len(inner) == 2 else None  # noqa: PLR2004  a pair
    return None


def _variant(array: pa.Array, source: pa.Field) -> pa.Array:
    """Return variants as metadata and value; shredded ones are reassembled."""
    names = [each.name for each in source.type] if pa.types.is_struct(source.type) else []
    if "metadata" not in names or not {"value", "typed_value"} & set(names):
        raise FormatError(
            f"column {source.name}", None, str(source.type), "metadata and value of a variant"
        )
    metadata = array.field(names.index("metadata")).cast(pa.large_binary())
    if "typed_value" in names:
        value = unshredded(array, source.name)
    else:
        value = array.field(names.index("value")).cast(pa.large_binary())
    wanted = [pa.field(each, pa.large_binary(), nullable=False) for each in ("metadata", "value")]
    mask = array.is_null() if array.null_count else None
    return pa.StructArray.from_arrays([metadata, value], fields=wanted, mask=mask)
