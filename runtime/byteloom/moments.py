"""Moments in the past of a table or a dataset: parsed from text, and as milliseconds.

- A moment without a zone is in UTC, as all moments in metadata are.
- A day, a month or a year means its first moment.

Source: Iceberg table spec, "Snapshots", ``timestamp-ms``.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias

from byteloom.errors import ArgumentError

__all__ = ["EPOCH", "Moment", "instant_of", "millis_of", "text_of"]

Moment: TypeAlias = "int | str | datetime"
"""Milliseconds since 1970-01-01 00:00 UTC, ISO 8601 text or a `datetime`."""

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

_MILLIS: Final = 1000
_WANTED: Final = (
    "ISO 8601 as 2024, 2024-05-31 or 2024-05-31T12:00, a datetime, or milliseconds from 1970"
)
_YEAR: Final = re.compile("[0-9]{4}(-[0-9]{2})?")


def millis_of(moment: Any) -> int:
    """Return a `Moment` in milliseconds since 1970; `FormatError` for an invalid one."""
    if isinstance(moment, int):
        return moment
    return round((instant_of(moment) - EPOCH) / timedelta(milliseconds=1))


def instant_of(moment: Any) -> datetime:
    """Return a `Moment` as a `datetime` with a zone; `FormatError` for an invalid one."""
    try:
        if isinstance(moment, int):
            return EPOCH + timedelta(milliseconds=moment)
        found = datetime.fromisoformat(_day(moment)) if isinstance(moment, str) else moment
    except (ValueError, OverflowError) as error:
        raise ArgumentError("moment", None, repr(moment), _WANTED) from error
    if not isinstance(found, datetime):
        raise ArgumentError("moment", None, repr(moment), _WANTED)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


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
