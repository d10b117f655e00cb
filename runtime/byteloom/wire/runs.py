"""Runs of bytes at an address, in walks: how they are ordered, and as Arrow's binary views.

Every read is of bytes that the caller has proved to be there.

Source: https://arrow.apache.org/docs/format/Columnar.html#variable-size-binary-view-layout
"""

from __future__ import annotations

from byteloom.wire.kernel import kernel
from byteloom.wire.loads import be64, byte, le32, le64, put_le64

__all__ = ["compare", "put_view"]

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
    """Make row *row* of *views* the *size* bytes at *at*, of *end* bytes in all.

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
        half = 4 * (size - 4)  # in two steps, for a word is not shifted by all of its 64 bits
        tail &= ~((-1 << half) << half)
    else:
        head &= ~(-1 << (8 * size))
        tail = 0
    put_le64(views, 16 * row, head << 32 | size)
    put_le64(views, 16 * row + 8, tail)


@kernel
def _slow_words(base: int, at: int, size: int) -> tuple[int, int]:
    """Return what two loads would, of bytes near the end of the buffer."""
    head, tail = 0, 0
    for i in range(size):
        if i < 4:
            head |= byte(base, at + i) << (8 * i)
        else:
            tail |= byte(base, at + i) << (8 * (i - 4))
    return head, tail
