"""What cells and their keys are made of: integers, and the order of bytes and of columns.

Every read is of bytes that the caller has proved to be there; `vlong` proves its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.wire.kernel import kernel
from byteloom.wire.loads import be16, be32, be64, byte

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "columns_in_order",
    "compare",
    "compare_at",
    "s32",
    "tags_fit",
    "u16",
    "vlong",
    "vlong_at",
]

_LOWEST = -(1 << 63)
"""Flips the sign, so that signed words compare as unsigned ones."""


@kernel
def u16(data: np.ndarray, at: int) -> int:
    """Return two bytes, the highest first."""
    return be16(data.ctypes.data, at)


@kernel
def s32(data: np.ndarray, at: int) -> int:
    """Return four bytes as a signed integer, the highest first."""
    return be32(data.ctypes.data, at)


@kernel
def vlong(data: np.ndarray, at: int, end: int) -> tuple[int, int]:
    """Return Hadoop's integer of variable length, and one past its end; 0 past it if cut off."""
    return vlong_at(data.ctypes.data, at, end)


@kernel
def vlong_at(base: int, at: int, end: int) -> tuple[int, int]:
    """Return what `vlong` does."""
    if at >= end:
        return 0, 0
    first = byte(base, at)
    first -= (first >> 7) << 8
    if first >= -112:
        return first, at + 1
    size = -112 - first if first >= -120 else -120 - first
    if at + 1 + size > end:
        return 0, 0
    value = byte(base, at + 1)
    if size == 8:
        value -= (value >> 7) << 8
    for i in range(1, size):
        value = value << 8 | byte(base, at + 1 + i)
    return (value if first >= -120 else ~value), at + 1 + size


@kernel
def compare(data: np.ndarray, a: int, len_a: int, b: int, len_b: int) -> int:
    """Return -1, 0 or 1: how two runs of unsigned bytes are ordered."""
    return compare_at(data.ctypes.data, a, len_a, b, len_b)


@kernel
def compare_at(base: int, a: int, len_a: int, b: int, len_b: int) -> int:
    """Return what `compare` does."""
    shared = min(len_a, len_b)
    i = 0
    while i + 8 <= shared:
        left, right = be64(base, a + i), be64(base, b + i)
        if left != right:
            return -1 if (left ^ _LOWEST) < (right ^ _LOWEST) else 1
        i += 8
    if i < shared and shared >= 8:
        left, right = be64(base, a + shared - 8), be64(base, b + shared - 8)
        if left != right:
            return -1 if (left ^ _LOWEST) < (right ^ _LOWEST) else 1
        i = shared
    while i < shared:
        left, right = byte(base, a + i), byte(base, b + i)
        if left != right:
            return -1 if left < right else 1
        i += 1
    return 0 if len_a == len_b else (-1 if len_a < len_b else 1)


@kernel
def columns_in_order(
    base: int,
    one: int,
    len_family_one: int,
    len_qualifier_one: int,
    time_one: int,
    type_one: int,
    two: int,
    len_family_two: int,
    len_qualifier_two: int,
    time_two: int,
    type_two: int,
) -> bool:
    """Whether, of two cells of a row, the first may stand before the second.

    one, two  where their families begin
    """
    # A key without columns and of type 0 stands behind its whole row.
    last_two = len_family_two + len_qualifier_two + type_two == 0
    if last_two or len_family_one + len_qualifier_one + type_one == 0:
        return last_two
    order = compare_at(base, one, len_family_one, two, len_family_two)
    if order == 0:
        one += len_family_one
        order = compare_at(base, one, len_qualifier_one, two + len_family_two, len_qualifier_two)
    if order != 0:
        return order < 0
    if time_one != time_two:
        return time_one > time_two
    return type_one >= type_two


@kernel
def tags_fit(base: int, at: int, end: int) -> bool:
    """Return whether *at* to *end* is whole tags: two bytes of length, at least one more."""
    while at < end:
        if at + 3 > end:
            return False
        size = be16(base, at)
        at += 2 + size
        if size == 0 or at > end:
            return False
    return True
