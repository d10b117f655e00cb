"""Convert a user's literals to storage values of the column with which they are compared.

The rules:

- A literal beyond the column's range is not an error: `Fitted.side` says on which side it is.
- Nor is a literal between two possible values of the column (``id < 1.5``): it becomes the greatest
  value below it, and `Fitted.is_exact` is False.
- Text becomes a day, a moment, a UUID or bytes (as hexadecimal) if the column has that type.
- A moment without a zone is one in UTC if the column's moments have a zone; the reverse is refused.
- A comparison with NaN is a `FormatError` that names the predicate to use.

Source: Iceberg table spec, "Appendix C", JSON single-value serialization.
"""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal, InvalidOperation, localcontext
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import numpy as np

from byteloom.errors import ArgumentError
from byteloom.iceberg.datetimes import (
    MICROS_PER_DAY,
    NANOS_PER_DAY,
    has_zone,
    parse_date,
    parse_timestamp,
)
from byteloom.iceberg.types import DecimalType, FixedType, Type
from byteloom.iceberg.values import from_json

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Fitted", "fit"]

_BITS: Final = {"int": 31, "long": 63, "date": 31, "time": 63}
_FLOAT_MAX: Final = float(np.finfo(np.float32).max)
_NUMBERS: Final = (int, float, Decimal)
_EPOCH: Final = dt.datetime(1970, 1, 1)  # noqa: DTZ001  in no zone, as timestamps are
_PRECISION: Final = 80


@dataclass(frozen=True, slots=True)
class Fitted:
    """A literal, placed among the values of a type.

    Attributes:
        value: The storage value; the greatest one below the literal if *is_exact* is False.
        is_exact: Whether the type has the literal's exact value.
        side: 0 within the type's range, -1 below all of its values, 1 above.
    """

    value: Any
    is_exact: bool = True
    side: int = 0


def fit(of: Type, literal: Any) -> Fitted:
    """Return *literal* as a value of type *of*.

    Raises:
        FormatError: A literal that cannot be compared with such values.
    """
    if isinstance(literal, np.generic):
        literal = literal.item()
    if isinstance(literal, float) and math.isnan(literal):
        raise ArgumentError("literal", None, "NaN", "a number; ask for NaN by `is nan`")
    found = _FITS[of.kind](of, literal) if of.kind in _FITS else None
    if found is None:
        raise ArgumentError("literal", None, repr(literal), f"a value to compare with {of}")
    return found


def _boolean(_: Type, literal: Any) -> Fitted | None:
    """Fit a literal to booleans."""
    return Fitted(literal) if isinstance(literal, bool) else None


def _integer(of: Type, literal: Any) -> Fitted | None:
    """Fit a number to integers: the same number, or the next lower one."""
    if isinstance(literal, bool) or not isinstance(literal, _NUMBERS):
        return None
    if literal in (math.inf, -math.inf):
        return Fitted(None, side=1 if literal > 0 else -1)
    bound = 1 << _BITS.get(of.kind, 63)
    if not -bound <= literal < bound:
        return Fitted(None, side=1 if literal > 0 else -1)
    below = math.floor(literal)
    return Fitted(below, is_exact=below == literal)


def _float(of: Type, literal: Any) -> Fitted | None:
    """Fit a number to floats: the nearest one, as users write 0.1 and mean it; or a side."""
    found = _double(of, literal)
    if found is None or found.side or math.isinf(found.value):
        return found
    if abs(found.value) > _FLOAT_MAX:
        return Fitted(None, side=1 if found.value > 0 else -1)
    return Fitted(float(np.float32(found.value)))


def _double(_: Type, literal: Any) -> Fitted | None:
    """Fit a number to doubles: the nearest one."""
    if isinstance(literal, bool) or not isinstance(literal, _NUMBERS):
        return None
    try:
        return Fitted(float(literal))
    except OverflowError:
        return Fitted(None, side=1 if literal > 0 else -1)


def _decimal(of: Type, literal: Any) -> Fitted | None:
    """Fit a number to decimals: one of the type's scale, or the next lower one."""
    assert isinstance(of, DecimalType)  # noqa: S101  by its kind
    exact = _exact_decimal(literal)
    if exact is None:
        return None
    with localcontext(prec=_PRECISION):
        most = Decimal(10**of.precision - 1).scaleb(-of.scale)
        if not -most <= exact <= most:
            return Fitted(None, side=1 if exact > 0 else -1)
        below = exact.quantize(Decimal(1).scaleb(-of.scale), rounding=ROUND_FLOOR)
        return Fitted(below, is_exact=below == exact)


def _exact_decimal(literal: Any) -> Decimal | None:
    """Return the exact number of a literal; a float means its shortest digits, as users type it."""
    if isinstance(literal, bool) or not isinstance(literal, (*_NUMBERS, str)):
        return None
    try:
        number = Decimal(repr(literal) if isinstance(literal, float) else literal)
    except InvalidOperation:
        return None
    return None if number.is_nan() else number


def _date(of: Type, literal: Any) -> Fitted | None:
    """Fit a literal to dates: a day, or the day of a moment."""
    if isinstance(literal, dt.datetime):
        return _within_day(literal)
    if isinstance(literal, dt.date):
        return Fitted((literal - _EPOCH.date()).days)
    if isinstance(literal, str):
        return Fitted(parse_date(literal))
    return _integer(of, literal) if isinstance(literal, int) else None


def _within_day(moment: dt.datetime) -> Fitted | None:
    """Fit a moment without a zone to dates: its day, exact at midnight."""
    if moment.tzinfo is not None:
        return None
    days, rest = divmod(moment - _EPOCH, dt.timedelta(days=1))
    return Fitted(days, is_exact=not rest)


def _time(of: Type, literal: Any) -> Fitted | None:
    """Fit a literal to times of day."""
    if isinstance(literal, dt.time):
        literal = literal.isoformat()
    if isinstance(literal, str):
        return Fitted(from_json(of, literal))
    return _integer(of, literal) if isinstance(literal, int) else None


def _timestamp(of: Type, literal: Any) -> Fitted | None:
    """Fit a literal to timestamps: a moment, zoned if the type is; a day means its midnight."""
    unit, zoned = of.row.unit or "us", of.row.zoned
    if isinstance(literal, dt.datetime):
        return _moment(literal, unit=unit, zoned=zoned)
    if isinstance(literal, dt.date):
        return _midnight((literal - _EPOCH.date()).days, unit)
    if isinstance(literal, str):
        if "T" not in literal and " " not in literal.strip():
            return _midnight(parse_date(literal), unit)
        return _written(literal, unit, zoned=zoned)
    return _integer(of, literal) if isinstance(literal, int) else None


def _midnight(days: int, unit: str) -> Fitted:
    """Return the first moment of a day."""
    return _integer_of_64_bits(days * (MICROS_PER_DAY if unit == "us" else NANOS_PER_DAY))


def _written(text: str, unit: str, *, zoned: bool) -> Fitted:
    """Parse a timestamp, in UTC if it lacks a zone; digits finer than the unit are rounded down."""
    if zoned and not has_zone(text):
        text += "Z"
    nanos = parse_timestamp(text, unit="ns", zoned=zoned)
    if unit == "ns":
        return _integer_of_64_bits(nanos)
    micros, rest = divmod(nanos, 1000)
    return Fitted(micros, is_exact=not rest)


def _moment(moment: dt.datetime, *, unit: str, zoned: bool) -> Fitted | None:
    """Fit Python's `datetime`; None if it has a zone and the type has none."""
    if moment.tzinfo is not None:
        if not zoned:
            return None
        moment = moment.astimezone(dt.UTC).replace(tzinfo=None)
    micros = (moment - _EPOCH) // dt.timedelta(microseconds=1)
    return _integer_of_64_bits(micros if unit == "us" else micros * 1000)


def _integer_of_64_bits(value: int) -> Fitted:
    """Return a count that fits 64 bits, or the side on which it is."""
    if -1 << 63 <= value < 1 << 63:
        return Fitted(value)
    return Fitted(None, side=1 if value > 0 else -1)


def _string(_: Type, literal: Any) -> Fitted | None:
    """Fit a literal to text."""
    return Fitted(literal) if isinstance(literal, str) else None


def _uuid(_: Type, literal: Any) -> Fitted | None:
    """Fit a UUID, the text of one, or its bytes."""
    if isinstance(literal, UUID):
        return Fitted(literal)
    try:
        if isinstance(literal, bytes):
            return Fitted(UUID(bytes=literal))
        return Fitted(UUID(literal)) if isinstance(literal, str) else None
    except ValueError:
        return None


def _bytes(of: Type, literal: Any) -> Fitted | None:
    """Fit bytes, or their hexadecimal text."""
    if isinstance(literal, str):
        try:
            literal = bytes.fromhex(literal)
        except ValueError:
            return None
    if not isinstance(literal, (bytes, bytearray, memoryview)):
        return None
    value = bytes(literal)
    if isinstance(of, FixedType) and len(value) != of.length:
        return None
    return Fitted(value)


_FITS: Final[dict[str, Callable[[Type, Any], Fitted | None]]] = {
    "boolean": _boolean,
    "int": _integer,
    "long": _integer,
    "float": _float,
    "double": _double,
    "decimal": _decimal,
    "date": _date,
    "time": _time,
    "timestamp": _timestamp,
    "timestamptz": _timestamp,
    "timestamp_ns": _timestamp,
    "timestamptz_ns": _timestamp,
    "string": _string,
    "uuid": _uuid,
    "fixed": _bytes,
    "binary": _bytes,
}
