"""The statistics of an ORC file's stripes: counts and bounds.

The rules:

- Only counts of columns outside of structs are used: inside, ORC skips rows with a null parent.
- Moments are stored in milliseconds and rounded either way, so bounds are widened by one
  millisecond.
- The first writers stored wrong bounds of text (HIVE-8732), which are ignored.

Source: https://orc.apache.org/specification/ORCv1/ ("Column Statistics", "Stripe Statistics").
"""

from __future__ import annotations

import struct
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.datafiles.data_file import UNKNOWN, Stated
from byteloom.datafiles.fields import field_id, inner_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from byteloom.documents.messages import Message
    from byteloom.orc.layout import OrcLayout
    from byteloom_generated.orc.messages import (
        ColumnStatistics,
        DateStatistics,
        DecimalStatistics,
        DoubleStatistics,
        IntegerStatistics,
        StringStatistics,
        TimestampStatistics,
    )

    Bounds = tuple[bytes | None, bytes | None]

__all__ = ["StripeStats"]

_SOUND: Final = 1
"""The first version of writers whose bounds of text are correct."""

_NONE: Final = (None, None)
_OF_MILLI: Final = {"us": 1_000, "ns": 1_000_000}
"""Units of a timestamp in a millisecond."""

_MOST_DIGITS: Final = 38
"""Digits of the largest decimal."""


class StripeStats:
    """The statistics of each stripe, one row per stripe."""

    def __init__(
        self, layout: OrcLayout, fields: Sequence[pa.Field], wanted: Sequence[pa.Field]
    ) -> None:
        """Keep the layout of a file.

        fields  the fields of its columns
        wanted  columns with their ids, in whose types bounds are returned
        """
        self._rows = np.array([each.numberOfRows for each in layout.stripes], np.int64)
        self._types = dict(_types(wanted))
        self._columns = dict(_columns(layout, fields, 0))
        held = layout.statistics() if layout.postscript.writerVersion >= _SOUND else []
        self._stripes = held if len(held) == len(self._rows) else []

    @property
    def record_count(self) -> NDArray[np.int64]:
        """The number of rows of each stripe."""
        return self._rows

    def stated(self, field_id: int) -> list[Stated]:
        """Return what each stripe states of a column."""
        if not self._stripes:
            return [UNKNOWN] * len(self._rows)
        stripes = zip(self._stripes, self._rows.tolist(), strict=True)
        return [self._of_stripe(stripe, rows, field_id) for stripe, rows in stripes]

    def _of_stripe(self, stripe: Sequence[ColumnStatistics], rows: int, field_id: int) -> Stated:
        """Return what a stripe of *rows* rows states of a column."""
        column, depth = self._columns.get(field_id, (-1, 0))
        if not 0 <= column < len(stripe):
            return UNKNOWN
        stored, of = stripe[column], self._types.get(field_id)
        lower, upper = _NONE if of is None else _bounds(stored, of)
        is_counted = stored.HasField("numberOfValues") and 0 <= stored.numberOfValues <= rows
        if depth > 1 or not is_counted:
            return Stated(-1, -1, lower, upper)
        return Stated(rows, rows - stored.numberOfValues, lower, upper)


def _types(fields: Iterable[pa.Field]) -> Iterator[tuple[int, pa.DataType]]:
    """Yield the types of columns by id, including those inside structs."""
    for each in fields:
        yield field_id(each), each.type
        if pa.types.is_struct(each.type):
            yield from _types(each.type)


def _columns(
    layout: OrcLayout, fields: Sequence[pa.Field], outer: int, level: int = 1
) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield each column's number in ORC, and its depth, by id."""
    for field, number in zip(fields, layout.types[outer].subtypes, strict=False):
        if field_id(field) >= 0:
            yield field_id(field), (number, level)
        if pa.types.is_struct(field.type) and number < len(layout.types):
            yield from _columns(layout, inner_fields(field.type), number, level + 1)


def _bounds(stored: ColumnStatistics, of: pa.DataType) -> Bounds:
    """Return the bounds of a column, in the binary form of its wanted type."""
    for name, read in _READ.items():
        if stored.HasField(name):
            return read(getattr(stored, name), of)
    return _NONE


def _field(stored: Message, name: str) -> Any:
    """Return a field of a message; None if it is absent."""
    return getattr(stored, name) if stored.HasField(name) else None


def _ends(stored: Message, form: str) -> Bounds:
    """Return minimum and maximum as they are stored."""
    low, high = (_field(stored, name) for name in ("minimum", "maximum"))
    return _packed(form, low), _packed(form, high)


def _integers(stored: IntegerStatistics, of: pa.DataType) -> Bounds:
    """Return the bounds of integers, ints as longs, to which they may have been promoted."""
    if not (pa.types.is_int32(of) or pa.types.is_int64(of) or pa.types.is_time64(of)):
        return _NONE
    return _ends(stored, "<i" if pa.types.is_int32(of) else "<q")


def _days(stored: DateStatistics, of: pa.DataType) -> Bounds:
    """Return the bounds of dates, in days since 1970."""
    return _ends(stored, "<i") if pa.types.is_date32(of) else _NONE


def _moments(stored: TimestampStatistics, of: pa.DataType) -> Bounds:
    """Return the bounds of timestamps, which are stored in milliseconds."""
    if not pa.types.is_timestamp(of):
        return _NONE
    unit = _OF_MILLI[of.unit]
    low, high = (_field(stored, name) for name in ("minimumUtc", "maximumUtc"))
    return (
        _packed("<q", None if low is None else (low - 1) * unit),
        _packed("<q", None if high is None else (high + 1) * unit),
    )


def _doubles(stored: DoubleStatistics, of: pa.DataType) -> Bounds:
    """Return the bounds of floats and doubles."""
    if not (pa.types.is_float32(of) or pa.types.is_float64(of)):
        return _NONE
    return _ends(stored, "<f" if pa.types.is_float32(of) else "<d")


def _texts(stored: StringStatistics, of: pa.DataType) -> Bounds:
    """Return the bounds of text; if they were cut off, they are wider than the values."""
    if not (pa.types.is_string(of) or pa.types.is_large_string(of)):
        return _NONE
    low, high = (_field(stored, name) for name in ("minimum", "maximum"))
    return (
        _field(stored, "lowerBound") if low is None else low,
        _field(stored, "upperBound") if high is None else high,
    )


def _decimals(stored: DecimalStatistics, of: pa.DataType) -> Bounds:
    """Return the bounds of decimals, which are stored as text."""
    if not pa.types.is_decimal128(of):
        return _NONE
    low, high = (_field(stored, name) for name in ("minimum", "maximum"))
    return _unscaled(low, of.scale), _unscaled(high, of.scale)


_READ: Final[dict[str, Callable[[Any, pa.DataType], Bounds]]] = {
    "intStatistics": _integers,
    "doubleStatistics": _doubles,
    "stringStatistics": _texts,
    "decimalStatistics": _decimals,
    "dateStatistics": _days,
    "timestampStatistics": _moments,
}


def _packed(form: str, value: float | None) -> bytes | None:
    """Return a bound in binary form; None if it is missing or does not fit."""
    try:
        return None if value is None else struct.pack(form, value)
    except (struct.error, OverflowError):
        return None


def _unscaled(text: Any, scale: int) -> bytes | None:
    """Return a decimal's digits as two's complement; None if it is no decimal of that scale."""
    try:
        sign, digits, exponent = Decimal(bytes(text).decode()).as_tuple()
    except (ArithmeticError, ValueError, TypeError):
        return None
    # An exponent has few digits, but may stand for more digits than memory can hold.
    if not isinstance(exponent, int) or abs(exponent + scale) > 2 * _MOST_DIGITS:
        return None
    moved = exponent + scale
    power: int = 10 ** abs(moved)
    number = int("".join(map(str, digits)))
    number, rest = (number * power, 0) if moved >= 0 else divmod(number, power)
    if rest:
        return None
    number = -number if sign else number
    return number.to_bytes((number.bit_length() // 8) + 1, "big", signed=True)
