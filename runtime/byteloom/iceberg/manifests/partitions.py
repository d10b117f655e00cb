"""Partition tuples as Arrow structs, typed by the partition spec.

The rules:

- Each value has the type that its transform makes of its source column, however it was stored: as
  an ``int`` where the column has since become a ``long``, as an ``int`` for a date.
- If the column was dropped, or the transform is unknown, the type is the stored one; it is
  ``unknown`` if no value is stored, as in manifests that Java writes after a column is dropped.

Source: Iceberg table spec, "Partitioning" and "Appendix A", Avro.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, found_by
from byteloom.iceberg.arrow_types import arrow_field, arrow_type
from byteloom.iceberg.manifests.arrow_columns import number_array, texts, validity
from byteloom.iceberg.transforms import Void
from byteloom.iceberg.types import (
    BinaryType,
    DecimalType,
    FixedType,
    NestedField,
    Type,
    UnknownType,
    parse_primitive,
)
from byteloom.iceberg.values.binary import BEFORE_PROMOTION, FORMS
from byteloom_generated.iceberg.file_types import AVRO_TYPES
from byteloom_generated.iceberg.types import PRIMITIVE_TYPES

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.iceberg.expressions.stats import Spans
    from byteloom.iceberg.manifests.decoding import Decoded
    from byteloom.iceberg.partition_spec import PartitionField, PartitionSpec
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.transforms import Transform

__all__ = ["partition_structs"]

_NUMBERS: Final = frozenset(kind for kind, form in FORMS.items() if form in {"u1", "s4le", "s8le"})
_FLOATS: Final = frozenset(kind for kind, form in FORMS.items() if form in {"f4le", "f8le"})
_DAY: Final = {kind: unit for kind, (_, unit) in BEFORE_PROMOTION.items() if unit > 1}
"""How many units one day is, by the types to which a date may be promoted."""

_WORD: Final = 16


def partition_structs(decoded: Decoded, spec: PartitionSpec, schema: Schema) -> pa.StructArray:
    """Return the partition tuple of each entry; its fields carry their ids.

    Raises:
        FormatError: A value that its type cannot hold.
    """
    fields, columns = [], []
    for each in spec.fields:
        stored = _stored(decoded, each.field_id)
        try:
            of = _type_of(each, schema, stored)
            _check_stored(decoded, each, of, stored)
            columns.append(_column(decoded, each.field_id, of, stored))
        except FormatError as error:
            raise error.inside(f"partition.{each.name}") from error.__cause__
        fields.append(arrow_field(NestedField(each.field_id, each.name, of, required=False)))
    return pa.StructArray.from_buffers(pa.struct(fields), decoded.rows, [None], children=columns)


def _stored(decoded: Decoded, field_id: int) -> Any:
    """Return the Avro type of a stored field; None if it is not stored."""
    found = decoded.program.found.get(field_id)
    return None if found is None else found.stored


def _type_of(each: PartitionField, schema: Schema, stored: Any) -> Type:
    """Return the type of a partition value."""
    source = schema.find(each.source_id)
    if source is None or not each.transform.is_known or not _takes(each.transform, source.type):
        return _written_type(stored) or UnknownType()
    return each.transform.result_type(source.type)


def _check_stored(decoded: Decoded, each: PartitionField, of: Type, stored: Any) -> None:
    """Refuse values stored as another type; nulls may have any."""
    written = _written_type(stored)
    if written is None or _family(of) == _family(written):
        return
    if decoded.is_valid(each.field_id).any():
        raise FormatError("type", None, f"values stored as {written}", f"as {of}")


def _family(of: Type) -> str:
    """Return the kind of stored values from which a type is read."""
    if of.kind in _NUMBERS:
        return "boolean" if of.kind == "boolean" else "number"
    return "float" if of.kind in _FLOATS else "bytes"


def _written_type(stored: Any) -> Type | None:
    """Return the Iceberg type of a field of an Avro schema; None if it is missing or null."""
    if isinstance(stored, dict):
        logical = str(stored.get("logicalType"))
        in_utc = stored.get("adjust-to-utc") is True
        kind = _LOGICAL.get((logical, in_utc)) or _LOGICAL.get((logical, False))
        if kind == "decimal":
            return _decimal(stored)
        if kind:
            return parse_primitive(kind)
        if stored.get("type") == "fixed":
            return FixedType(stored["size"])
        return _written_type(stored.get("type"))
    if stored == "bytes":
        return BinaryType()
    return parse_primitive(stored) if stored in _PLAIN else None


def _decimal(stored: dict[str, Any]) -> DecimalType:
    """Return the decimal type in an Avro schema."""
    precision, scale = stored.get("precision"), stored.get("scale", 0)
    if type(precision) is not int or type(scale) is not int:
        found = f"precision {precision!r}, scale {scale!r}"
        raise FormatError("type", None, found, "those of a decimal")
    return DecimalType(precision, scale)


_PLAIN: Final = ("boolean", "int", "long", "float", "double", "string")
_UNITS: Final = {each.name: each.unit for each in PRIMITIVE_TYPES}
_LOGICAL: Final = {
    (each.logical, each.adjust_to_utc == "true"): each.type
    for each in AVRO_TYPES
    if each.logical and each.type in FORMS and each.unit == _UNITS[each.type]
}
"""Types by Avro logical type and whether they are adjusted to UTC; tuples have no others."""


def _column(decoded: Decoded, field_id: int, of: Type, stored: Any) -> pa.Array:
    """Return the values of one partition field."""
    made = arrow_type(of)
    valid = decoded.is_valid(field_id)
    if not valid.any():
        return pa.nulls(decoded.rows, made)
    if of.kind in _NUMBERS:
        numbers = decoded.numbers(field_id)
        written = _written_type(stored)
        if of.kind in _DAY and written is not None and written.kind in {"int", "date"}:
            numbers = numbers * _DAY[of.kind]
        narrow = pa.int32() if of.kind == "date" else pa.int64()
        return _cast(number_array(numbers, narrow, valid, "value"), made)
    spans = decoded.spans(field_id)
    if of.kind in _FLOATS:
        return _cast(pa.array(_floats(spans), mask=~valid), made)
    if isinstance(of, DecimalType):
        return _decimals(spans, made)
    if pa.types.is_fixed_size_binary(made):
        return _fixed(spans, made)
    return texts(spans, made, "value")


def _takes(transform: Transform, source: Type) -> bool:
    """Return whether a transform has plain results for a type; those of void are only null."""
    is_plain = source.is_primitive and source.kind != "unknown"
    return is_plain and (isinstance(transform, Void) or transform.can_transform(source))


def _cast(array: pa.Array, of: pa.DataType) -> pa.Array:
    """Return numbers in the type of the partition's values."""
    try:
        return array.cast(of)
    except pa.ArrowInvalid as error:
        found = found_by(f"values of type {array.type}", error)
        raise FormatError("value", None, found, f"values of type {of}") from error


def _widths(spans: Spans, fill: Callable[[np.ndarray, np.ndarray], None]) -> None:
    """Call *fill* with the rows of each size, and with their bytes as uint8[row, size]."""
    for size in np.unique(spans.sizes[spans.sizes >= 0]).tolist():
        rows = np.flatnonzero(spans.sizes == size)
        fill(rows, spans.fixed(size, rows))


def _floats(spans: Spans) -> np.ndarray:
    """Return values of 4 or 8 bytes as floats."""
    made = np.zeros(len(spans))

    def fill(rows: np.ndarray, data: np.ndarray) -> None:
        made[rows] = np.ascontiguousarray(data).view(f"<f{data.shape[1]}")[:, 0]

    _widths(spans, fill)
    return made


def _decimals(spans: Spans, of: pa.DataType) -> pa.Array:
    """Return big-endian unscaled integers, of up to 16 bytes, as decimals."""
    made = np.zeros((len(spans), _WORD), np.uint8)

    def fill(rows: np.ndarray, data: np.ndarray) -> None:
        size = data.shape[1]
        if not 0 < size <= _WORD:
            raise FormatError("value", None, f"{size} bytes", "1 to 16 bytes of a decimal")
        sign = np.where(data[:, :1] >= 1 << 7, 0xFF, 0).astype(np.uint8)
        made[rows] = np.concatenate([data[:, ::-1], np.repeat(sign, _WORD - size, axis=1)], axis=1)

    _widths(spans, fill)
    array = pa.Array.from_buffers(of, len(spans), [validity(spans.sizes >= 0), pa.py_buffer(made)])
    try:
        array.validate(full=True)
    except pa.ArrowInvalid as error:
        raise FormatError("value", None, "a decimal of more digits", str(of)) from error
    return array


def _fixed(spans: Spans, of: pa.DataType) -> pa.Array:
    """Return bytes of fixed width."""
    made = np.zeros((len(spans), of.byte_width), np.uint8)

    def fill(rows: np.ndarray, data: np.ndarray) -> None:
        if data.shape[1] != of.byte_width:
            raise FormatError("value", None, f"{data.shape[1]} bytes", f"{of.byte_width} bytes")
        made[rows] = data

    _widths(spans, fill)
    return pa.Array.from_buffers(of, len(spans), [validity(spans.sizes >= 0), pa.py_buffer(made)])
