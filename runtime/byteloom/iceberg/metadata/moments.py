"""Moments in a table's past: parsed from text, and as the milliseconds of metadata.

- A moment without a zone is in UTC, as all moments in metadata are.
- A day, a month or a year means its first moment.

Source: Iceberg table spec, "Snapshots", ``timestamp-ms``.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias

from byteloom.errors import ArgumentError

__all__ = ["Moment", "millis_of", "text_of"]

Moment: TypeAlias = "int | str | datetime"
"""Milliseconds since 1970-01-01 00:00 UTC, ISO 8601 text or a `datetime`."""

_MILLIS: Final = 1000
_WANTED: Final = (
    "ISO 8601 as 2024, 2024-05-31 or 2024-05-31T12:00, a datetime, or milliseconds from 1970"
)
_YEAR: Final = re.compile("[0-9]{4}(-[0-9]{2})?")


def millis_of(moment: Any) -> int:
    """Return a `Moment` in milliseconds since 1970; `FormatError` for an invalid one."""
    if isinstance(moment, int):
        return moment
    try:
        found = datetime.fromisoformat(_day(moment)) if isinstance(moment, str) else moment
        zoned = found if found.tzinfo is not None else found.replace(tzinfo=UTC)
        return round(zoned.timestamp() * _MILLIS)
    except (ValueError, OverflowError, AttributeError, TypeError) as error:
        raise ArgumentError("moment", None, repr(moment), _WANTED) from error


def _day(text: str) -> str:
    """Return a year or a month as its first day, which Python requires; other text is unchanged."""
    found = _YEAR.fullmatch(text)
    return text if found is None else f"{text}{'' if found[1] else '-01'}-01"


def text_of(millis: int) -> str:
    """Return milliseconds since 1970 as ISO 8601, or as a number if no calendar has the moment."""
    try:
        return datetime.fromtimestamp(millis / _MILLIS, UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError, OSError):
        return str(millis)
