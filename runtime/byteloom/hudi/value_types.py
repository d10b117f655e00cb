"""Types of columns: of the smallest and greatest values that indexes keep, and of values in files.

- A value in an index is stored in a wrapper, a branch of a union.  From table version 9 on the true
  type is stored beside it; before, only the wrapper shows the type.
- A column whose type was changed has values of several types.  They get the widest of them, the one
  that the newest files have: integers are also decimals and floating-point numbers.
- Without a common type the column is text, and values of other types are null: their order as text
  is another one, so that they would not be bounds.
- Parquet's columns have their logical types.  Columns of Avro's log records are as stored: times
  since 1970 and days are integers, a decimal is its unscaled number in big-endian bytes.

Source: https://hudi.apache.org/docs/metadata_indexing
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Context
from typing import Any, Final

import pyarrow as pa

from byteloom.errors import FormatError, Unsupported, found_by
from byteloom.hudi.records import child
from byteloom.late import pc

__all__ = ["NUMBERS", "common_type", "decimals", "logical_types", "native", "typed", "widened"]

_DIGITS: Final = {pa.int32(): 10, pa.int64(): 19}
"""Integers, and the digits that the largest of them has."""

NUMBERS: Final = (pa.int32(), pa.int64(), pa.float32(), pa.float64())
"""Numbers, in the order in which the type of a column may be changed."""

_BY_ORDINAL: Final[dict[int, Any]] = {
    2: pa.bool_(),
    3: pa.int32(),
    4: pa.int64(),
    5: pa.float32(),
    6: pa.float64(),
    7: pa.string(),
    8: pa.binary(),
    9: pa.binary(),
    11: pa.string(),
    12: pa.date32(),
    13: pa.time32("ms"),
    14: pa.time64("us"),
    15: pa.timestamp("ms", "UTC"),
    16: pa.timestamp("us", "UTC"),
    17: pa.timestamp("ns", "UTC"),
    18: pa.timestamp("ms"),
    19: pa.timestamp("us"),
    20: pa.timestamp("ns"),
}
"""Types by ``typeOrdinal``; 0 is unknown, 1 is null, 10 a decimal with parameters of its own."""

_WITHOUT_TYPE: Final = (0, 1)
_DECIMAL: Final = 10
_SHORT: Final = 38
"""Most digits that a decimal has in Hudi."""

_UNITS: Final = ("ms", "us", "ns")
"""Units of times, the coarsest first."""

_BY_WRAPPER: Final[dict[str, Any]] = {
    "BooleanWrapper": pa.bool_(),
    "IntWrapper": pa.int32(),
    "LongWrapper": pa.int64(),
    "FloatWrapper": pa.float32(),
    "DoubleWrapper": pa.float64(),
    "BytesWrapper": pa.binary(),
    "StringWrapper": pa.string(),
    "DateWrapper": pa.date32(),
    "LocalDateWrapper": pa.date32(),
    "DecimalWrapper": pa.decimal128(30, 15),
    "TimeMicrosWrapper": pa.time64("us"),
    "TimestampMicrosWrapper": pa.timestamp("us", "UTC"),
}


def native(stats: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Return the smallest and the greatest values of one column.

    Args:
        stats: Structs of its statistics, with minValue, maxValue and, perhaps, valueType.

    Raises:
        FormatError: For a type that does not fit the values.
    """
    type_numbers, kinds = _stored_types(stats)
    found = [_typed(child(stats, name), type_numbers, kinds) for name in ("minValue", "maxValue")]
    common = common_type({kind for each in found for kind, _ in each})
    low, high = (_merged(each, common, len(stats)) for each in found)
    return low, high


def _stored_types(stats: pa.Array) -> tuple[pa.Array, list[Any]]:
    """Return for each row the number of the type stored beside its values, and the types."""
    value_type = child(stats, "valueType")
    ordinals = child(value_type, "typeOrdinal", pa.int32())
    if value_type is None or ordinals is None:
        return pa.array([0] * len(stats), pa.int32()), [None]
    details = child(value_type, "additionalInfo", pa.string())
    words = [pc.fill_null(ordinals.cast(pa.string()), "1"), pc.fill_null(details, "")]
    coded = pc.binary_join_element_wise(*words, ";").dictionary_encode()
    return coded.indices, [
        _stored_type(*each.split(";", 1)) for each in coded.dictionary.to_pylist()
    ]


def _stored_type(ordinal: str, detail: str) -> Any:
    if int(ordinal) in _WITHOUT_TYPE:
        return None
    if int(ordinal) == _DECIMAL:
        precision, _, scale = detail.partition(",")
        try:
            return pa.decimal128(int(precision), int(scale))
        except ValueError as error:
            wanted = "a precision up to 38 and a scale"
            raise FormatError("valueType.additionalInfo", None, detail, wanted) from error
    if int(ordinal) not in _BY_ORDINAL:
        raise Unsupported("valueType.typeOrdinal", None, ordinal, "0 to 20")
    return _BY_ORDINAL[int(ordinal)]


def _typed(
    union: pa.Array | None, type_numbers: pa.Array, kinds: list[Any]
) -> list[tuple[Any, pa.Array]]:
    """Return the types that occur, and the values of each, null in other rows."""
    if union is None or not pa.types.is_struct(union.type):
        return []
    found = []
    for name in (field.name for field in union.type if field.name != "branch"):
        wrapped = pc.struct_field(union, name)
        if wrapped.null_count == len(wrapped):
            continue
        for number, kind in enumerate(kinds):
            own = (kind or _BY_WRAPPER[name]) if name in _BY_WRAPPER else pa.string()
            chosen = pc.and_(wrapped.is_valid(), pc.equal(type_numbers, number))
            if pc.any(chosen).as_py():
                values = pc.if_else(chosen, _unwrapped(name, wrapped), None)
                found.append((own, _cast(values, own)))
    return found


def common_type(kinds: set[Any]) -> Any:
    """Return the type to which values of *kinds* are converted: text if none can have them all."""
    kinds = kinds - {pa.null()}
    if not kinds:
        return pa.null()
    scales = [kind.scale for kind in kinds if pa.types.is_decimal(kind)]
    if scales and all(pa.types.is_decimal(kind) or kind in _DIGITS for kind in kinds):
        scale = max(scales)
        whole = max(_DIGITS.get(kind) or kind.precision - kind.scale for kind in kinds)
        # Up to 15 digits after the point (before version 9) and 38 before it make 53.
        digits = whole + scale
        return pa.decimal128(digits, scale) if digits <= _SHORT else pa.decimal256(digits, scale)
    wide = (one for one in kinds if all(_holds(one, other) for other in kinds))
    return next(wide, pa.string())


def _holds(wide: Any, narrow: Any) -> bool:
    """Whether type *wide* can hold the values of *narrow*, in files of one column.

    Before types were stored beside values, days and times could be kept as plain integers, and
    times of milliseconds were kept as microseconds.
    """
    if wide in NUMBERS and narrow in NUMBERS:
        return NUMBERS.index(wide) >= NUMBERS.index(narrow)
    if pa.types.is_timestamp(wide) and pa.types.is_timestamp(narrow):
        return wide.tz == narrow.tz and _UNITS.index(wide.unit) >= _UNITS.index(narrow.unit)
    if narrow == pa.time32("ms"):
        return wide in {narrow, pa.time64("us")}
    if narrow == pa.int32():
        return wide in {pa.date32(), pa.time32("ms")}
    if narrow == pa.int64():
        return bool(pa.types.is_timestamp(wide) or pa.types.is_time64(wide))
    return bool(wide == narrow)


def _merged(found: list[tuple[Any, pa.Array]], kind: Any, count: int) -> pa.Array:
    """Return values as *kind*, null in rows without one."""
    columns = [values if own == kind else widened(values, kind) for own, values in found]
    return pc.coalesce(*columns) if columns else pa.nulls(count, kind)


def _unwrapped(name: str, wrapped: pa.Array) -> pa.Array:
    """Return the values inside wrappers; those of an array wrapper as text."""
    if name in _BY_WRAPPER:
        return child(wrapped, "value", pa.null())
    return pa.array([None if each is None else str(each) for each in wrapped.to_pylist()])


def _cast(values: pa.Array, kind: Any) -> pa.Array:
    """Return values in their true type."""
    try:
        if pa.types.is_decimal(kind):
            return decimals(values, kind)
        if pa.types.is_timestamp(kind) or pa.types.is_time(kind):
            wide = pa.int32() if pa.types.is_time32(kind) else pa.int64()
            return values.cast(wide).cast(kind)
        return values.cast(pa.int32()).cast(kind) if kind == pa.date32() else values.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        found = found_by(f"values of type {values.type}", error)
        raise FormatError("valueType", None, found, f"values that are of type {kind}") from error


def decimals(values: pa.Array, kind: Any) -> pa.Array:
    """Return unscaled big-endian integers as decimals."""
    exact = Context(prec=77)
    made = [
        None
        if each is None
        else exact.scaleb(exact.create_decimal(int.from_bytes(each, signed=True)), -kind.scale)
        for each in values.cast(pa.binary()).to_pylist()
    ]
    return pa.array(made, kind)


def widened(values: pa.Array, kind: Any) -> pa.Array:
    """Return bounds in the common type of a column; null where their order in it is another one."""
    if kind == pa.string() and values.type != kind:
        return pa.nulls(len(values), kind)
    return values.cast(kind, safe=not pa.types.is_floating(kind))


def logical_types(tables: Iterable[pa.Table]) -> dict[str, pa.DataType]:
    """Return the types that columns are converted to, by name, for those that may need it."""
    found: dict[str, list[pa.DataType]] = {}
    for table in tables:
        for field in table.schema:
            found.setdefault(field.name, []).append(_in_micros(field.type))
    wanted = {name: _wanted(kinds) for name, kinds in found.items()}
    return {name: kind for name, kind in wanted.items() if kind is not None}


def _wanted(kinds: list[pa.DataType]) -> pa.DataType | None:
    """Return the type for the values of one column; None if they stay as they are."""
    temporal = [each for each in kinds if pa.types.is_temporal(each)]
    if temporal:
        return temporal[-1]
    numbers = {each for each in kinds if pa.types.is_decimal(each) or each in NUMBERS}
    is_decimal = any(pa.types.is_decimal(each) for each in numbers)
    return common_type(numbers) if is_decimal or len(numbers) > 1 else None


def typed(table: pa.Table, types: Mapping[str, pa.DataType]) -> pa.Table:
    """Return *table* with its columns converted to these types; columns of nulls stay as they are.

    Raises:
        pyarrow.ArrowException: For a column that cannot be converted.
    """
    for place, name in enumerate(table.column_names):
        wanted, column = types.get(name), table[name]
        if wanted is not None and column.type != wanted and not pa.types.is_null(column.type):
            if pa.types.is_decimal(wanted) and _is_bytes(column.type):
                made = decimals(column.combine_chunks(), wanted)
            else:
                made = column.cast(wanted, safe=False)
            table = table.set_column(place, name, made)
    return table


def _in_micros(of: pa.DataType) -> pa.DataType:
    """Return the type with microseconds for nanoseconds, which Hudi's logs do not have."""
    if pa.types.is_timestamp(of) and of.unit == "ns":
        return pa.timestamp("us", of.tz)
    return of


def _is_bytes(of: pa.DataType) -> bool:
    return bool(pa.types.is_binary(of) or pa.types.is_fixed_size_binary(of))
