"""How expressions are written as text: names, literals and terms.

The rules:

- `byteloom.iceberg.expressions.text` parses this text to the same expression.
- A part of a name is quoted if it would otherwise not be read as a name.
- A float has an exponent and a decimal has none, so that both keep their type when read.

Source: the grammar in `byteloom.iceberg.expressions.text`.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import numpy as np

from byteloom.iceberg.transforms import Bucket, Identity, TimeTransform, Truncate, Void
from byteloom.iceberg.values import to_json

if TYPE_CHECKING:
    from byteloom.iceberg.transforms import Transform
    from byteloom.iceberg.types import Type

__all__ = ["RESERVED", "literal_text", "name_text", "quoted", "storage_text", "term_text"]

RESERVED: Final = frozenset(
    {
        *("and", "or", "not", "in", "is", "null", "nan", "true", "false"),
        *("between", "like", "starts", "with"),
    }
)
"""Words that are names only when quoted."""

_PLAIN_NAME: Final = re.compile(r"[^\W\d]\w*")
_TYPED: Final = {
    "date": "date",
    "time": "time",
    "timestamp": "timestamp",
    "timestamptz": "timestamp",
    "timestamp_ns": "timestamp",
    "timestamptz_ns": "timestamp",
    "uuid": "uuid",
}
_MOST_DIGITS: Final = 100
"""Most zeros that pad a decimal; with more it is written with an exponent."""


def name_text(name: str) -> str:
    """Return a name as text: ``point.x``, or ``point."my x"`` if a part is not a plain word."""
    return ".".join(map(_part_text, name.split(".")))


def quoted(text: str, mark: str = "'") -> str:
    """Return *text* in quotation marks; those inside it are doubled."""
    return f"{mark}{text.replace(mark, mark * 2)}{mark}"


def term_text(transform: Transform, name: str) -> str:
    """Return ``bucket(16, id)``, ``day(ts)``; any other transform as ``transform('text', id)``."""
    if isinstance(transform, Bucket):
        return f"bucket({transform.buckets}, {name})"
    if isinstance(transform, Truncate):
        return f"truncate({transform.width}, {name})"
    if isinstance(transform, TimeTransform | Identity | Void):
        return f"{transform}({name})"
    return f"transform({quoted(str(transform))}, {name})"


def literal_text(value: Any) -> str:
    """Return a literal as a user would write it."""
    if isinstance(value, np.generic):
        value = value.item()
    for kind, write in _WRITTEN:
        if isinstance(value, kind):
            return str(write(value))
    return quoted(str(value))


def storage_text(of: Type, value: Any) -> str:
    """Return a storage value of a type as a user would write it."""
    if of.kind in _TYPED:
        return f"{_TYPED[of.kind]} {quoted(to_json(of, value))}"
    return literal_text(value)


def _part_text(part: str) -> str:
    """Return one part of a path as text."""
    is_plain = _PLAIN_NAME.fullmatch(part) and part.lower() not in RESERVED
    return part if is_plain else quoted(part, '"')


def _float_text(value: float) -> str:
    """Return a float with an exponent; infinity and NaN with their type, as quoted text."""
    if not math.isfinite(value):
        return f"double '{value}'"
    text = repr(value)
    return text if "e" in text else f"{text}e0"


def _decimal_text(value: Decimal) -> str:
    """Return a decimal without an exponent, unless that is very long."""
    if not value.is_finite() or abs(value.adjusted()) + len(value.as_tuple().digits) > _MOST_DIGITS:
        return f"decimal '{value}'"
    text = f"{value:f}"
    return text if "." in text else f"{text}."


def _moment_text(value: dt.datetime) -> str:
    """Return a moment as text, in UTC if it has a zone."""
    if value.tzinfo is not None:
        with suppress(OverflowError):  # in the first or last hours that Python knows
            value = value.astimezone(dt.UTC)
    return f"timestamp '{value.isoformat()}'"


_WRITTEN: Final[tuple[tuple[Any, Any], ...]] = (
    (bool, lambda value: "true" if value else "false"),
    (int, str),
    (float, _float_text),
    (Decimal, _decimal_text),
    (str, quoted),
    ((bytes, bytearray, memoryview), lambda value: f"X'{bytes(value).hex()}'"),
    (UUID, lambda value: f"uuid '{value}'"),
    (dt.datetime, _moment_text),
    (dt.date, lambda value: f"date '{value.isoformat()}'"),
    (dt.time, lambda value: f"time '{value.isoformat()}'"),
)
"""How literals are written, by type; the order matters, as a bool is an int and a datetime a date.
"""
