"""Integers of variable length, one at a time, as in records.

    uleb128, protobuf  below 2^64, seven bits a byte, lowest first; the eighth bit: another follows
    zigzag             the same, of integers whose sign is the lowest bit
    hadoop             from -2^63 to 2^63 - 1: one byte from -112 up, else a count and its bytes

An integer that was stored in more bytes than it needs is a `StoredInt`, which keeps them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from mmap import mmap

__all__ = ["FORMS", "ONE_BYTE", "RANGES", "StoredInt", "signed", "taken"]

_LONGEST: Final = 10


class StoredInt(int):
    """An integer that keeps the bytes it was read from as `stored`."""

    stored: bytes

    def __new__(cls, value: int, stored: bytes = b"") -> Self:
        """Make a value that keeps *stored*."""
        self = super().__new__(cls, value)
        self.stored = stored
        return self


def uleb128(data: bytes | mmap, at: int, end: int) -> tuple[int, int]:
    """Return the integer at *at*, and the offset after it; ValueError if there is none."""
    value = shift = 0
    for here in range(at, min(end, at + _LONGEST)):
        byte = data[here]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:  # noqa: PLR2004  (the bit that says another byte follows)
            if value >> 64:
                break
            return value, here + 1
        shift += 7
    raise ValueError


def zigzag(data: bytes | mmap, at: int, end: int) -> tuple[int, int]:
    """Return the integer at *at*, whose lowest bit is its sign, and the offset after it."""
    value, stop = uleb128(data, at, end)
    return signed(value), stop


def signed(value: int) -> int:
    """Return the integer whose zigzag form is *value*."""
    return value >> 1 ^ -(value & 1)


def hadoop(data: bytes | mmap, at: int, end: int) -> tuple[int, int]:
    """Return Hadoop's integer at *at*, and the offset after it."""
    if at >= end:
        raise ValueError
    first = data[at]
    if first < 128 or first >= 144:  # noqa: PLR2004  (as a signed byte: -112 and up)
        return first - 256 * (first >> 7), at + 1
    count = 144 - first if first >= 136 else 136 - first  # noqa: PLR2004
    stop = at + 1 + count
    if stop > end:
        raise ValueError
    value = int.from_bytes(data[at + 1 : stop], "big")
    if value >> 63:  # not an integer of 64 bits: its sign contradicts the first byte
        raise ValueError
    return value if first >= 136 else ~value, stop  # noqa: PLR2004


def uleb128_bytes(value: int) -> bytes:
    """Encode *value*, from 0 to 2^64 - 1."""
    parts = bytearray()
    while value >= 0x80:  # noqa: PLR2004
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)


def zigzag_bytes(value: int) -> bytes:
    """Encode *value*, from -2^63 to 2^63 - 1."""
    return uleb128_bytes(value << 1 if value >= 0 else ~value << 1 | 1)


def hadoop_bytes(value: int) -> bytes:
    """Encode *value*, from -2^63 to 2^63 - 1."""
    if -112 <= value <= 127:  # noqa: PLR2004
        return bytes((value & 0xFF,))
    magnitude = value if value >= 0 else ~value
    count = (magnitude.bit_length() + 7) // 8
    return bytes(((144 if value >= 0 else 136) - count,)) + magnitude.to_bytes(count, "big")


FORMS: Final[
    dict[str, tuple[Callable[[bytes | mmap, int, int], tuple[int, int]], Callable[[int], bytes]]]
] = {
    "uleb128": (uleb128, uleb128_bytes),
    "protobuf": (uleb128, uleb128_bytes),
    "zigzag": (zigzag, zigzag_bytes),
    "hadoop": (hadoop, hadoop_bytes),
}
"""How each form is read and written."""

ONE_BYTE: Final = {"uleb128": 128, "protobuf": 128, "zigzag": 0, "hadoop": 128}
"""A first byte below this is the whole integer."""

RANGES: Final = {
    "uleb128": (0, (1 << 64) - 1),
    "protobuf": (0, (1 << 64) - 1),
    "zigzag": (-(1 << 63), (1 << 63) - 1),
    "hadoop": (-(1 << 63), (1 << 63) - 1),
}
"""The least and the largest integer of each form."""


def taken(form: str, data: bytes | mmap, at: int, end: int) -> tuple[int, int]:
    """Return the integer at *at*, and the offset after it; ValueError if there is none."""
    read, write = FORMS[form]
    value, stop = read(data, at, end)
    if form != "hadoop" and data[stop - 1]:  # there must be no unnecessary bytes
        return value, stop
    raw = data[at:stop]
    return (value if write(value) == raw else StoredInt(value, raw)), stop
