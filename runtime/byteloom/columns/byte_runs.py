"""Runs of bytes at an address, for walks: comparing them, checking text, making Arrow views.

The caller ensures that every byte that is read exists.

Source: https://arrow.apache.org/docs/format/Columnar.html#variable-size-binary-view-layout
"""

from __future__ import annotations

from byteloom.native.kernel import kernel
from byteloom.native.loads import be64, byte, le32, le64, put_le64

__all__ = ["compare", "is_ascii", "is_utf8", "put_view"]

_LOWEST = -(1 << 63)
"""Flips the sign, so that signed words compare as unsigned ones."""
_INLINE = 12


@kernel(forceinline=True)
def compare(base: int, a: int, len_a: int, b: int, len_b: int) -> int:
    """Return -1, 0 or 1: how two runs of unsigned bytes are ordered."""
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
def put_view(views: int, row: int, base: int, end: int, at: int, size: int) -> None:
    """Set row *row* of *views* to the *size* bytes at *at*, of *end* bytes in all.

    A view is two words: the size and the first four bytes, then the other bytes of a value of up to
    twelve, or the place of a longer one.
    """
    if at + 16 <= end:
        head, tail = le32(base, at), le64(base, at + 4)
    else:
        head, tail = _slow_words(base, at, min(size, _INLINE))
    if size > _INLINE:
        tail = at << 32
    elif size >= 4:
        half = 4 * (size - 4)  # in two steps, since a word cannot be shifted by all of its 64 bits
        tail &= ~((-1 << half) << half)
    else:
        head &= ~(-1 << (8 * size))
        tail = 0
    put_le64(views, 16 * row, head << 32 | size)
    put_le64(views, 16 * row + 8, tail)


@kernel
def _slow_words(base: int, at: int, size: int) -> tuple[int, int]:
    """Return what two loads would return, for bytes near the end of the buffer."""
    head, tail = 0, 0
    for i in range(size):
        if i < 4:
            head |= byte(base, at + i) << (8 * i)
        else:
            tail |= byte(base, at + i) << (8 * (i - 4))
    return head, tail


_HIGH_BITS = -0x7F7F_7F7F_7F7F_7F80
"""The highest bit of each byte of a word."""


@kernel
def is_ascii(base: int, at: int, size: int) -> bool:
    """Return whether no byte has its highest bit set."""
    first: int = _ascii_end(base, at, at + size)
    return first == at + size


@kernel(forceinline=True)
def _ascii_end(base: int, at: int, end: int) -> int:
    """Return the offset of the first byte with its highest bit set; *end* if there is none."""
    while at + 8 <= end and not le64(base, at) & _HIGH_BITS:
        at += 8
    while at < end and byte(base, at) < 0x80:
        at += 1
    return at


@kernel
def is_utf8(base: int, at: int, size: int) -> bool:
    """Return whether bytes are valid UTF-8: shortest forms, no surrogates, up to U+10FFFF.

    Source: https://www.unicode.org/versions/Unicode16.0.0/core-spec/chapter-3/#G27506
    """
    end = at + size
    at = _ascii_end(base, at, end)
    while at < end:
        lead = byte(base, at)
        low, high, more = 0x80, 0xBF, 1
        if lead < 0x80:
            at += 1
            continue
        if lead < 0xC2 or lead > 0xF4:
            return False
        if lead >= 0xF0:
            more = 3
            low = 0x90 if lead == 0xF0 else 0x80
            high = 0x8F if lead == 0xF4 else 0xBF
        elif lead >= 0xE0:
            more = 2
            low = 0xA0 if lead == 0xE0 else 0x80
            high = 0x9F if lead == 0xED else 0xBF
        if more >= end - at or not low <= byte(base, at + 1) <= high:
            return False
        for i in range(2, more + 1):
            if byte(base, at + i) & 0xC0 != 0x80:
                return False
        at += more + 1
    return True
