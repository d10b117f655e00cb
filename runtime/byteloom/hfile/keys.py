"""Cell keys, and the order they have.

- Row, family and qualifier ascend as unsigned bytes; timestamp and type descend.
- A key of type 0 with neither family nor qualifier stands behind its whole row.
- In HBase's catalog rows are compared by the parts before, between and after their commas.

Source: specs/hfile/cell.ksy
"""

from __future__ import annotations

from typing import Any, Final

from byteloom.errors import FormatError

__all__ = [
    "LATEST",
    "is_sound_fake",
    "order_of_cells",
    "order_of_meta",
    "order_of_rows",
    "row_of",
]

LATEST: Final = (1 << 63) - 1
"""The timestamp of keys that come before all times of a column."""

_SUFFIX: Final = 9
_MAXIMUM: Final = 255


def row_of(key: bytes) -> bytes:
    """Return the row of a cell key."""
    size = int.from_bytes(key[:2], "big")
    if len(key) < 2 + size or len(key) < 2:  # noqa: PLR2004  the length's own bytes
        raise FormatError("key", None, key[:40], "a row behind its length")
    return key[2 : 2 + size]


def is_sound_fake(key: bytes) -> bool:
    """Whether a key, if HBase made it up between two cells, has the time that such keys have."""
    is_row = len(key) == 2 + len(row_of(key))
    return is_row or key[-1] != _MAXIMUM or key[-9:-1] == LATEST.to_bytes(8, "big")


def order_of_rows(key: bytes) -> tuple[Any, ...]:
    """Return what orders keys of Hudi: the row."""
    return (row_of(key),)


def order_of_cells(key: bytes) -> tuple[Any, ...]:
    """Return what orders keys of HBase."""
    row = row_of(key)
    return (row, *_columns(key, 2 + len(row)))


def order_of_meta(key: bytes) -> tuple[Any, ...]:
    """Return what orders keys of HBase's catalog."""
    row = row_of(key)
    table, comma, rest = row.partition(b",")
    start, last, region = rest.rpartition(b",")
    parts = (table, comma, start, last, region) if last else (table, comma, rest, b"", b"")
    return (*parts, *_columns(key, 2 + len(row)))


def _columns(key: bytes, at: int) -> tuple[Any, ...]:
    if at == len(key):
        return (0, b"", b"", -LATEST, 0)
    family = at + 1
    qualifier = family + key[at]
    end = len(key) - _SUFFIX
    if qualifier > end:
        raise FormatError("key", None, key[:40], "a family inside the key")
    time, kind = int.from_bytes(key[end : end + 8], "big", signed=True), key[-1]
    if qualifier == family == end and kind == 0:
        return (1,)
    return (0, key[family:qualifier], key[qualifier:end], -time, 255 - kind)
