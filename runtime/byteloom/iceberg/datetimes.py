"""Days and times as ISO 8601 text, in the storage values of the spec.

Counts are plain integers, so that years beyond 9999 and before 1, which Java writes as ``+10000``
and ``-0001``, survive a round trip.

    date                         days from 1970-01-01
    time                         microseconds since midnight
    timestamp, timestamptz       microseconds from 1970-01-01 00:00:00 (UTC)
    timestamp_ns, timestamptz_ns nanoseconds from the same moment

Source: Iceberg table spec, "Appendix C", JSON single-value serialization.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from byteloom.errors import FormatError

__all__ = [
    "MICROS_PER_DAY",
    "NANOS_PER_DAY",
    "date_text",
    "has_zone",
    "parse_date",
    "parse_time",
    "parse_timestamp",
    "time_text",
    "timestamp_text",
]

_SECONDS_PER_DAY: Final = 86_400
MICROS_PER_DAY: Final = _SECONDS_PER_DAY * 1_000_000
NANOS_PER_DAY: Final = _SECONDS_PER_DAY * 1_000_000_000

_DATE: Final = r"(?P<year>[+-]?\d{4,9})-(?P<month>\d\d)-(?P<day>\d\d)"
_TIME: Final = r"(?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.(?P<fraction>\d{1,9}))?)?"
_ZONE: Final = r"(?P<zone>Z|[+-]\d\d(?::?\d\d)?)"
_DATE_ALONE: Final = re.compile(_DATE)
_TIME_ALONE: Final = re.compile(_TIME)
_TIMESTAMP: Final = re.compile(rf"{_DATE}[T ]{_TIME}{_ZONE}?")

_UNITS_PER_SECOND: Final = {"us": 1_000_000, "ns": 1_000_000_000}
_DIGITS: Final = {"us": 6, "ns": 9}


def parse_date(text: str) -> int:
    """Return the days of ``2017-11-16``; `FormatError` for an invalid date."""
    found = _DATE_ALONE.fullmatch(text)
    if found is None:
        raise FormatError("date", None, repr(text), "a day as 2017-11-16")
    return _days(found)


def parse_time(text: str) -> int:
    """Return the microseconds of ``22:31:08.000001``; `FormatError` for an invalid time."""
    found = _TIME_ALONE.fullmatch(text)
    if found is None:
        raise FormatError("time", None, repr(text), "a time of day as 22:31:08.000001")
    return _of_day(found, "us")


def parse_timestamp(text: str, *, unit: str = "us", zoned: bool = False) -> int:
    """Return the microseconds or nanoseconds of ``2017-11-16T22:31:08`` since 1970.

    Args:
        unit: ``us`` or ``ns``.
        zoned: Whether a zone (``Z``, ``+00:00``) must be present; if not, it must be absent.

    Raises:
        FormatError: No such moment, or one finer than *unit*.
    """
    found = _TIMESTAMP.fullmatch(text)
    if found is None or (found["zone"] is not None) != zoned:
        example = "2017-11-16T22:31:08" + ("+00:00" if zoned else "")
        raise FormatError("timestamp", None, repr(text), f"a moment as {example}")
    per_second = _UNITS_PER_SECOND[unit]
    local = _days(found) * _SECONDS_PER_DAY * per_second + _of_day(found, unit)
    return local - _zone_seconds(found["zone"]) * per_second


def has_zone(text: str) -> bool:
    """Return whether a moment is written with a zone; False for text that is not a moment."""
    found = _TIMESTAMP.fullmatch(text)
    return found is not None and found["zone"] is not None


def date_text(days: int) -> str:
    """Return days since 1970-01-01 as ``2017-11-16``."""
    year, month, day = str(np.datetime64(days, "D")).rsplit("-", 2)
    sign = "-" if year[0] == "-" else "+" if len(year) > len("9999") else ""
    return f"{sign}{year.removeprefix('-'):0>4}-{month}-{day}"


def time_text(micros: int) -> str:
    """Return a time of day as ``22:31:08``, with the fraction, if any, in 3 or 6 digits."""
    return _time_of_day(micros, "us")


def timestamp_text(value: int, *, unit: str = "us", zoned: bool = False) -> str:
    """Return a timestamp as ``2017-11-16T22:31:08``, with ``+00:00`` if *zoned*."""
    days, rest = divmod(value, _SECONDS_PER_DAY * _UNITS_PER_SECOND[unit])
    return f"{date_text(days)}T{_time_of_day(rest, unit)}{'+00:00' if zoned else ''}"


def _days(found: re.Match[str]) -> int:
    """Return the days since 1970 of a matched date."""
    year = found["year"].removeprefix("+")
    try:
        return int(np.datetime64(f"{year}-{found['month']}-{found['day']}", "D").astype(np.int64))
    except ValueError as error:
        raise FormatError("date", None, repr(found.string), "a day of the calendar") from error


def _of_day(found: re.Match[str], unit: str) -> int:
    """Return the units since midnight of a matched time."""
    hour, minute, second = int(found["hour"]), int(found["minute"]), int(found["second"] or 0)
    if hour > 23 or minute > 59 or second > 59:  # noqa: PLR2004  the clock's own
        raise FormatError("time", None, repr(found.string), "a time from 00:00:00 to 23:59:59")
    digits = _DIGITS[unit]
    fraction = (found["fraction"] or "").ljust(digits, "0")
    if fraction[digits:].strip("0"):
        raise FormatError("time", None, repr(found.string), f"at most {digits} digits of a second")
    seconds = hour * 3600 + minute * 60 + second
    return seconds * _UNITS_PER_SECOND[unit] + int(fraction[:digits])


def _zone_seconds(zone: str | None) -> int:
    """Return how far a zone is ahead of UTC."""
    if zone is None or zone == "Z":
        return 0
    digits = zone[1:].replace(":", "").ljust(4, "0")
    seconds = int(digits[:2]) * 3600 + int(digits[2:]) * 60
    return -seconds if zone[0] == "-" else seconds


def _time_of_day(value: int, unit: str) -> str:
    """Return a time as ``22:31:08``, with its fraction, unless 0, in groups of three digits."""
    seconds, fraction = divmod(value, _UNITS_PER_SECOND[unit])
    minutes, second = divmod(seconds, 60)
    text = f"{minutes // 60:02}:{minutes % 60:02}:{second:02}"
    if not fraction:
        return text
    digits = f"{fraction:0{_DIGITS[unit]}}"
    while digits.endswith("000"):
        digits = digits[:-3]
    return f"{text}.{digits}"
