"""Values of the file info of an HFile as text: numbers, moments, keys of cells, flags.

Source: specs/hfile/info_entries.yaml
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Final

from byteloom.errors import ByteloomError
from byteloom.hfile.info_names import (
    BIGGEST_KEY,
    CREATED,
    EARLIEST_PUT,
    LAST_KEY,
    PACKED_TAGS,
    SIZES,
    TIME_RANGE,
)
from byteloom.hfile.keys import LATEST, Key
from byteloom.hfile.time_range import time_range
from byteloom_generated.hfile.cell import KeyType

__all__ = ["info_text", "printable_or_hex"]

_MOMENTS: Final = {CREATED, EARLIEST_PUT}
_KEYS: Final = {LAST_KEY, BIGGEST_KEY}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def info_text(name: bytes, value: bytes) -> str:
    """Return the value of an entry as what its name says; as text or hex where it is not that."""
    with suppress(ByteloomError, OverflowError):
        if len(value) == SIZES.get(name):
            number = int.from_bytes(value, "big", signed=True)
            return _moment(number) if name in _MOMENTS and number != LATEST else str(number)
        if name == TIME_RANGE:
            return " to ".join(map(_moment, time_range(value)))
        if name in _KEYS:
            return _key(Key.decode(value))
        if name == PACKED_TAGS and len(value) == 1:
            return str(value != b"\0").lower()
    return printable_or_hex(value)


def printable_or_hex(value: bytes) -> str:
    """Return *value* as text if it is printable, otherwise as hex."""
    text = value.decode("utf-8", "replace")
    return text if text.isprintable() and "\ufffd" not in text else value.hex()


def _moment(milliseconds: int) -> str:
    """Return a time with its milliseconds; `OverflowError` beyond the year 9999."""
    return (_EPOCH + timedelta(milliseconds=milliseconds)).isoformat(timespec="milliseconds")


def _key(key: Key) -> str:
    """Return a key as HBase's tools print it: ``row/family:qualifier/timestamp/Put``."""
    row = printable_or_hex(key.row)
    if key == Key(key.row):
        return row
    names = f"{printable_or_hex(key.family)}:{printable_or_hex(key.qualifier)}"
    kind = next((each.name for each in KeyType if each == key.type), str(key.type))
    return f"{row}/{names}/{key.timestamp}/{kind.title().replace('_', '')}"
