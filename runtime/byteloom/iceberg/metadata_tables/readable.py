"""Readable statistics of files, by column name, with bounds as values: ``readable_metrics``.

The rules:

- There is a struct for each primitive column of the schema, nested ones by their full names, in
  the order of the names.
- A bound that is invalid for its type is null, like an unknown one; a bound written before the
  column was promoted gets the column's current type.
- A bound of a geometry or geography stays in the bytes of `byteloom.iceberg.geo_bounds`.

Source: Java's ``MetricsUtil.readableMetricsStruct``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.iceberg.arrow_types import arrow_type
from byteloom.iceberg.expressions.stats import Bounds, Spans
from byteloom.iceberg.geo_bounds import SIZES
from byteloom.iceberg.manifests.arrow_columns import items_of, packed_spans
from byteloom.iceberg.types import DecimalType, GeographyType, GeometryType, NestedType, VariantType
from byteloom.late import pc

if TYPE_CHECKING:
    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.types import NestedField, Type

__all__ = ["readable_metrics"]

_MAPS: Final = (
    *("column_sizes", "value_counts", "null_value_counts", "nan_value_counts"),
    *("lower_bounds", "upper_bounds"),
)
_NAMES: Final = [
    *("column_size", "value_count", "null_value_count", "nan_value_count"),
    *("lower_bound", "upper_bound"),
]
_WORD: Final = 16
_SIGN: Final = 0x80
_SHAPES: Final = (GeometryType, GeographyType)
_WITHOUT: Final = (NestedType, VariantType)


def readable_metrics(entries: Entries, schema: Schema) -> pa.StructArray:
    """Return a struct with the statistics of each primitive column, one row per entry.

    Args:
        entries: Read with the maps of statistics.
    """
    named = {
        schema.name(each.id): each
        for each in schema.field_by_id.values()
        if not isinstance(each.type, _WITHOUT)
    }
    maps = [_Map(entries, name) for name in _MAPS]
    arrays = [_metrics(maps, named[name]) for name in sorted(named)]
    if not arrays:
        return pa.array([{}] * len(entries), pa.struct([]))
    return pa.StructArray.from_arrays(arrays, names=sorted(named))


class _Map:
    """The maps by column of all entries, whose items are located once."""

    def __init__(self, entries: Entries, name: str) -> None:
        lists = entries.lists[name]
        self._count = len(entries)
        self._data = lists.data
        self._keys, self._values = items_of(lists.runs, lists.items)
        self._rows = lists.runs.rows

    def of(self, field: NestedField) -> pa.Array:
        """Return the numbers of a column, or its bounds; null for unknown."""
        found = np.flatnonzero(self._keys == field.id)
        rows, values = self._rows[found], self._values[found]
        if self._data is None:
            numbers = np.full(self._count, -1, np.int64)
            numbers[rows] = values
            return pa.array(numbers, pa.int64(), mask=numbers < 0)
        is_number = packed_spans(values, self._data)
        places = np.zeros(self._count, np.int64)
        sizes = np.full(self._count, -1, np.int64)
        places[rows], sizes[rows] = is_number.places, is_number.sizes
        return _bound_array(field.type, Spans(self._data, places, sizes))


def _metrics(maps: list[_Map], field: NestedField) -> pa.StructArray:
    """Return the statistics of one column."""
    return pa.StructArray.from_arrays([each.of(field) for each in maps], names=_NAMES)


def _bound_array(of: Type, spans: Spans) -> pa.Array:
    """Return bounds of a column of type *of* as values; UUIDs become Arrow's type for them."""
    made = arrow_type(of)
    if isinstance(of, DecimalType):
        return _decimals(spans, made)
    if pa.types.is_null(made):
        return pa.nulls(len(spans))
    bounds = Bounds.read(of, _points(spans) if isinstance(of, _SHAPES) else spans)
    if bounds.numbers is not None:
        numbers = pa.array(bounds.numbers, mask=~bounds.is_known)
        if pa.types.is_boolean(made):
            return numbers.cast(made)
        return numbers.cast(_width(made)).cast(made)
    if pa.types.is_fixed_size_binary(made):
        runs = spans.to_arrow()
        fits = pc.equal(pc.binary_length(runs), made.byte_width)
        array = pc.if_else(fits, runs, pa.scalar(None, runs.type)).cast(pa.binary()).cast(made)
        return pa.ExtensionArray.from_storage(pa.uuid(), array) if of.kind == "uuid" else array
    return bounds.to_arrow()


def _points(spans: Spans) -> Spans:
    """Return bounds of shapes without those that are not points."""
    sizes = np.where(np.isin(spans.sizes, list(SIZES)), spans.sizes, -1)
    return Spans(spans.data, spans.places, sizes)


def _width(made: pa.DataType) -> pa.DataType:
    """Return the type of the plain number as which a value of that type is stored."""
    if pa.types.is_floating(made):
        return made
    return pa.int32() if made.bit_width == np.dtype(np.int32).itemsize * 8 else pa.int64()


def _decimals(spans: Spans, made: pa.DataType) -> pa.Array:
    """Return big-endian unscaled numbers of 1 to 16 bytes as decimals."""
    words = np.zeros((len(spans), _WORD), np.uint8)
    is_number = (spans.sizes > 0) & (spans.sizes <= _WORD)
    for size in np.unique(spans.sizes[is_number]).tolist():
        rows = np.flatnonzero(spans.sizes == size)
        data = spans.fixed(size, rows)
        sign = np.where(data[:, :1] & _SIGN, 0xFF, 0).astype(np.uint8)
        words[rows] = np.concatenate([data[:, ::-1], np.repeat(sign, _WORD - size, axis=1)], axis=1)
    mask = pa.array(is_number).buffers()[1]
    return pa.Array.from_buffers(made, len(spans), [mask, pa.py_buffer(words)])
