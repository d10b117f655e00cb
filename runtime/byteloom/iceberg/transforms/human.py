"""Partition values as people read them, and as partition paths spell them.

Source: Iceberg table spec, "Partition Transforms"; Java's ``Transform.toHumanString``.
"""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any

from byteloom.iceberg.datetimes import date_text
from byteloom.iceberg.transforms.transform import (
    Day,
    Hour,
    Month,
    TimeTransform,
    Transform,
    Void,
    Year,
)
from byteloom.iceberg.values import to_json

if TYPE_CHECKING:
    from byteloom.iceberg.types import Type

__all__ = ["to_human"]

_MONTHS = 12
_HOURS = 24
_EPOCH_YEAR = 1970


def to_human(transform: Transform, source: Type, value: Any) -> str:
    """Return ``2017-12`` for a month, ``null`` for null, base64 for bytes.

    source  the type of the source column
    value   a result of *transform*: a storage value
    """
    if value is None or isinstance(transform, Void):
        return "null"
    if isinstance(transform, TimeTransform):
        return _time(transform, value)
    if isinstance(value, bytes):
        return b64encode(value).decode()
    text = to_json(transform.result_type(source), value)
    return str(text).lower() if isinstance(value, bool) else str(text)


def _time(transform: TimeTransform, value: int) -> str:
    """Whole units from 1970 as the part of a date that they are."""
    if isinstance(transform, Year):
        return f"{_EPOCH_YEAR + value:04d}"
    if isinstance(transform, Month):
        years, month = divmod(value, _MONTHS)
        return f"{_EPOCH_YEAR + years:04d}-{month + 1:02d}"
    if isinstance(transform, Hour):
        days, hour = divmod(value, _HOURS)
        return f"{date_text(days)}-{hour:02d}"
    assert isinstance(transform, Day)  # noqa: S101  the last of them
    return date_text(value)
