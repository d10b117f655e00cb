"""Integers of seven bits a byte, the lowest first, as tests write and read them."""

from __future__ import annotations

__all__ = ["folded", "varint", "varint_at", "zigzag_at"]


def varint(value: int) -> bytes:
    """An integer that is not negative."""
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def folded(value: int) -> int:
    """The integer that stands for one with a sign, which is its lowest bit."""
    return value << 1 if value >= 0 else (-value << 1) - 1


def varint_at(data: bytes, at: int) -> tuple[int, int]:
    """An integer, and the place after it; IndexError at the end of the data."""
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128:
            return value, at


def zigzag_at(data: bytes, at: int) -> tuple[int, int]:
    """An integer with a sign, and the place after it, as `varint_at`."""
    value, at = varint_at(data, at)
    return value >> 1 ^ -(value & 1), at
