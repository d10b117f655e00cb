"""Partition values as text, as in partition paths.

The rules are those of Java's own types, since tables are compared by this text: the fraction of a
moment has no zeros at its end, that of a time of day has groups of three digits; seconds of a time
of day are left out if they are zero; a year has four places, its sign among them; floats below a
thousandth or from ten million on have an exponent.

Source: Iceberg table spec, "Partition Transforms"; Java's ``Transform.toHumanString``.
"""

from __future__ import annotations

import math
import re
from base64 import b64encode
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.iceberg.datetimes import date_text
from byteloom.iceberg.values import to_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.iceberg.transforms.transform import Transform
    from byteloom.iceberg.types import Type

__all__ = ["to_human"]

_MONTHS = 12
_HOURS = 24
_EPOCH_YEAR = 1970
_LAST_ZEROS: Final = re.compile(r"(\.\d+?)0+(?=\+|$)")
_NO_SECONDS: Final = re.compile(r"(?<=^\d\d:\d\d):00$")
_PLAIN: Final = (1e-3, 1e7)
"""The range, from the first to below the second, in which floats have no exponent."""


def to_human(transform: Transform, source: Type, value: Any) -> str:
    """Return ``2017-12`` for a month, ``null`` for null, base64 for bytes.

    Args:
        transform: The transform.
        source: The type of the source column.
        value: A result of *transform*: a storage value.

    Returns:
        The text.
    """
    form = transform.row.human if transform.is_known else "value"
    if value is None or form == "nothing":
        return "null"
    if form in _UNITS:
        return _UNITS[form](value)
    of = transform.result_type(source)
    return _WRITTEN.get(of.kind, _plain)(of, value)


def _plain(of: Type, value: Any) -> str:
    """Return the value as JSON writes it."""
    return str(to_json(of, value))


def _boolean(_: Type, value: bool) -> str:  # noqa: FBT001  a value, not a switch
    """Return ``true`` or ``false``."""
    return str(value).lower()


def _bytes(_: Type, value: bytes) -> str:
    """Return bytes in base64."""
    return b64encode(value).decode()


def _date(_: Type, value: int) -> str:
    """Return a date as ``2017-12-01``."""
    return _day(value)


def _time(of: Type, value: int) -> str:
    """Return a time of day as ``10:12``, with seconds and a fraction if they are not zero."""
    return _NO_SECONDS.sub("", _plain(of, value))


def _timestamp(of: Type, value: int) -> str:
    """Return a timestamp as ``2017-12-01T10:12:55.5``."""
    return _LAST_ZEROS.sub(r"\1", _plain(of, value))


def _float(of: Type, value: float) -> str:
    """Return the fewest digits that identify a float, at least one after the point."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    least, most = _PLAIN
    number = np.float32(value) if of.kind == "float" else np.float64(value)
    if value == 0 or least <= abs(value) < most:
        return np.format_float_positional(number, unique=True, trim="0")
    text = np.format_float_scientific(number, unique=True, trim="0", exp_digits=1)
    return text.replace("e+", "E").replace("e", "E")


def _day(days: int) -> str:
    """Return a day since 1970 as ``2017-12-01``, with at least four characters for the year."""
    year, month, day = date_text(days).rsplit("-", 2)
    return f"{int(year):04d}-{month}-{day}"


def _year(years: int) -> str:
    """Return a year since 1970 as text of at least four characters."""
    return f"{_EPOCH_YEAR + years:04d}"


def _month(months: int) -> str:
    """Return a month since 1970 as year and month."""
    years, month = divmod(months, _MONTHS)
    return f"{_year(years)}-{month + 1:02d}"


def _hour(hours: int) -> str:
    """Return an hour since 1970 as day and hour."""
    days, hour = divmod(hours, _HOURS)
    return f"{_day(days)}-{hour:02d}"


_UNITS: Final[dict[str, Callable[[int], str]]] = {
    "year": _year,
    "month": _month,
    "day": _day,
    "hour": _hour,
}
"""Functions that write whole units since 1970, by the unit in the transform's row."""

_WRITTEN: Final[dict[str, Callable[[Type, Any], str]]] = {
    "boolean": _boolean,
    "float": _float,
    "double": _float,
    "date": _date,
    "time": _time,
    "timestamp": _timestamp,
    "timestamptz": _timestamp,
    "timestamp_ns": _timestamp,
    "timestamptz_ns": _timestamp,
    "fixed": _bytes,
    "binary": _bytes,
}
