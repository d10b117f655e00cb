"""Cell keys and their order.

- Row, family and qualifier ascend as unsigned bytes; timestamp and type descend.
- A key of type 0 with neither family nor qualifier comes after its whole row.
- In HBase's catalog rows are compared by the parts before, between and after their commas.

Source: specs/hfile/cell.ksy
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from byteloom.errors import ArgumentError, FormatError, beginning
from byteloom_generated.hfile.cell import Columns, KeyType
from byteloom_generated.hfile.cell import Key as StoredKey

__all__ = [
    "FIRST",
    "LATEST",
    "ROW_AT",
    "SUFFIX",
    "Key",
    "is_row_alone",
    "is_sound_fake",
    "order_of_cells",
    "order_of_meta",
    "order_of_rows",
    "row_bytes",
    "row_of",
    "sized_row",
]

ROW_AT: Final = StoredKey.MIN_SIZE
"""Offset of the row in a key, after the row's length."""

SUFFIX: Final = Columns.MIN_SIZE - 1
"""Bytes at the end of a key: its timestamp and its type."""

_TIME: Final = SUFFIX - 1

LATEST: Final = (1 << 63) - 1
"""The timestamp of keys that come before all timestamps of a column."""

_MAXIMUM: Final = KeyType.MAXIMUM
FIRST: Final = LATEST.to_bytes(_TIME, "big") + bytes([_MAXIMUM])
"""Timestamp and type of a key that comes before all cells of its row, family or column."""

_ROW_KEPT: Final = StoredKey.MOST["len_row"] + 1
"""Bytes of a row that decide its order: one more than the longest row of a file."""
_FAMILY_MOST: Final = Columns.MOST["len_family"]
_TYPES: Final = 256


class Key(NamedTuple):
    """The key of a cell; with a row alone, the position before all cells of that row.

    Attributes:
        row: The row.
        family: The column's family.
        qualifier: The column's name in its family.
        timestamp: Milliseconds since 1970, from -2^63 to 2^63 - 1.
        type: 4 Put, 8 Delete, 10 DeleteFamilyVersion, 12 DeleteColumn, 14 DeleteFamily, 0 and
            255 those that come last and first.
    """

    row: bytes
    family: bytes = b""
    qualifier: bytes = b""
    timestamp: int = LATEST
    type: int = int(_MAXIMUM)

    def encode(self) -> bytes:
        """Return the key as it is stored; an over-long row is truncated without changing its order.

        Raises:
            FormatError: For values that do not fit a key.
        """
        time_fits = -LATEST - 1 <= self.timestamp <= LATEST
        if len(self.family) > _FAMILY_MOST or not time_fits or not 0 <= self.type < _TYPES:
            raise FormatError("key", None, f"no cell key: {self}", "the key of a cell")
        row = self.row[:_ROW_KEPT]
        names = bytes([len(self.family)]) + self.family + self.qualifier
        time = self.timestamp.to_bytes(_TIME, "big", signed=True)
        return sized_row(row) + names + time + bytes([self.type])

    @classmethod
    def decode(cls, key: bytes) -> Key:
        """Return the key that *key* serializes; a row after its length is a key too.

        Raises:
            FormatError: The bytes are not a key.
        """
        row = row_of(key)
        at = ROW_AT + len(row)
        if at == len(key):
            return cls(row)
        end = len(key) - SUFFIX
        if at + 1 + key[at] > end:
            raise FormatError("key", None, key, "a family inside the key")
        names = key[at + 1 : at + 1 + key[at]], key[at + 1 + key[at] : end]
        return cls(row, *names, int.from_bytes(key[end:-1], "big", signed=True), key[-1])


def row_bytes(row: object) -> bytes:
    """Return a row to look up as bytes; text is encoded as UTF-8.

    Raises:
        FormatError: For a value that is neither bytes nor text.
    """
    if isinstance(row, str):
        return row.encode("utf-8", "surrogateescape")
    if isinstance(row, bytes | bytearray | memoryview):
        return bytes(row)
    raise ArgumentError("row", None, beginning(row), "bytes, or text")


def sized_row(row: bytes) -> bytes:
    """Return a row after its length, which is how keys begin."""
    return len(row).to_bytes(ROW_AT, "big") + row


def row_of(key: bytes) -> bytes:
    """Return the row of a cell key."""
    end = ROW_AT + int.from_bytes(key[:ROW_AT], "big")
    if len(key) < end:
        raise FormatError("key", None, key, "a row after its length")
    return key[ROW_AT:end]


def is_row_alone(key: bytes) -> bool:
    """Return whether a key is only a row after its length."""
    return len(key) == ROW_AT + int.from_bytes(key[:ROW_AT], "big")


def is_sound_fake(key: bytes) -> bool:
    """Return whether a key that HBase made up between two cells has the timestamp of such keys."""
    is_row = len(key) == ROW_AT + len(row_of(key))
    return is_row or key[-1] != _MAXIMUM or key[-SUFFIX:] == FIRST


def order_of_rows(key: bytes) -> tuple[Any, ...]:
    """Return the sort key of a key in a file by Hudi: its row."""
    return (row_of(key),)


def order_of_cells(key: bytes) -> tuple[Any, ...]:
    """Return the sort key of a key in a file by HBase."""
    row = row_of(key)
    return (row, *_columns(key, ROW_AT + len(row)))


def order_of_meta(key: bytes) -> tuple[Any, ...]:
    """Return the sort key of a key in HBase's catalog."""
    row = row_of(key)
    table, comma, rest = row.partition(b",")
    start, last, region = rest.rpartition(b",")
    parts = (table, comma, start, last, region) if last else (table, comma, rest, b"", b"")
    return (*parts, *_columns(key, ROW_AT + len(row)))


def _columns(key: bytes, at: int) -> tuple[Any, ...]:
    if at == len(key):
        return (0, b"", b"", -LATEST, 0)
    family = at + 1
    qualifier = family + key[at]
    end = len(key) - SUFFIX
    if qualifier > end:
        raise FormatError("key", None, key, "a family inside the key")
    time, kind = int.from_bytes(key[end:-1], "big", signed=True), key[-1]
    if qualifier == family == end and kind == 0:
        return (1,)
    return (0, key[family:qualifier], key[qualifier:end], -time, _MAXIMUM - kind)
