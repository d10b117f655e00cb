"""Arrow batches as rows: nested values stay nested, bytes are hex, moments ISO 8601."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from byteloom.cli.printing.rows import slices, text_of
from byteloom.late import pa

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from byteloom.cli.printing.rows import Part

__all__ = ["parts_of", "plain", "text_column"]

_DIGITS: Final = {"s": 0, "ms": 3, "us": 6, "ns": 9}
"""Decimal digits of a second that units have."""


def parts_of(batches: Iterable[pa.RecordBatch]) -> Iterator[Part]:
    """Yield the rows a part at a time, each as columns of JSON values."""
    for part in slices(batches):
        yield [_values(column) for column in part.columns]


def text_column(column: pa.Array, _: str) -> pa.Array:
    """Return the values of a column as large_string, each as a table prints it."""
    from byteloom.cli.printing.csv_lines import as_text

    made = as_text(column)
    return pa.array(map(text_of, _values(column)), pa.large_string()) if made is None else made


def plain(value: Any) -> Any:
    """Convert a value to one that JSON can represent."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, UUID | Decimal):
        return str(value)
    if isinstance(value, timedelta):
        return _duration(value // timedelta(microseconds=1), "us")
    return value if isinstance(value, bool | int | float | str | None) else value.isoformat()


def _duration(count: int, unit: str) -> str:
    """Return a number of units of time as ISO 8601 has it, in seconds."""
    return f"PT{Decimal(count).scaleb(-_DIGITS[unit]).normalize():f}S"


def _values(column: pa.Array) -> list[Any]:
    """Return a column as JSON values."""
    try:
        values: list[Any] = column.cast(_printable(column.type)).to_pylist()
    except (ValueError, OverflowError, pa.ArrowException):
        return [_value(each) for each in column]  # years beyond 9999, or nanoseconds inside lists
    return list(map(plain, values))


def _value(each: Any) -> Any:
    """Return a scalar of Arrow's as a JSON value; Arrow prints moments that Python lacks."""
    if not each.is_valid:
        return None
    if isinstance(each, pa.ExtensionScalar):
        return _value(each.value)
    if isinstance(each, pa.ListScalar | pa.StructScalar):
        return _nested(each)
    if isinstance(each, pa.DurationScalar):
        return _duration(each.value, each.type.unit)
    try:
        return plain(each.as_py())
    except (ValueError, OverflowError):
        return str(each.cast(pa.string())).replace(" ", "T")


def _nested(each: Any) -> Any:
    """Return a list, a map (as a list of pairs) or a struct, value by value."""
    if isinstance(each, pa.StructScalar):
        return {field.name: _value(each[at]) for at, field in enumerate(each.type)}
    if isinstance(each, pa.MapScalar):
        return [[_value(entry[0]), _value(entry[1])] for entry in each.values]
    return [_value(inner) for inner in each.values]


def _printable(of: pa.DataType) -> pa.DataType:
    """Return a type without moments in nanoseconds, which Python lacks."""
    if pa.types.is_struct(of):
        return pa.struct([pa.field(each.name, _printable(each.type), each.nullable) for each in of])
    if (pa.types.is_timestamp(of) or pa.types.is_time64(of)) and of.unit == "ns":
        return pa.string()
    return of
