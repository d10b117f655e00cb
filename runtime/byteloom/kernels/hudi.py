"""Keys and file ids of Hudi's indexes, for a whole column: hashes, secondary keys, UUIDs as text.

- Text has Arrow's layout, UTF-8 bytes and offsets; the caller ensures that it is valid UTF-8.
- Java hashes UTF-16: a character of four bytes in UTF-8 is two units there.

Source: https://hudi.apache.org/docs/hudi_technical_specification;
https://docs.oracle.com/javase/8/docs/api/java/lang/String.html#hashCode--
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.native.kernel import kernel

__all__ = [
    "file_groups",
    "split_secondary",
    "uuid_text",
]

word: Any = np.int64

_MASK = 0xFFFFFFFF
_ESCAPE, _SEPARATOR, _NUL = 0x5C, 0x24, 0x00


@kernel
def _hash(data: np.ndarray, at: int, end: int) -> Any:
    """Return Java's hash of text, a signed integer of 32 bits."""
    h = word(0)
    while at < end:
        byte = word(data[at])
        if byte < 0x80:
            unit = byte
            at += 1
        elif byte < 0xE0:
            unit = (byte & 0x1F) << 6 | word(data[at + 1]) & 0x3F
            at += 2
        elif byte < 0xF0:
            unit = (byte & 0xF) << 12 | (word(data[at + 1]) & 0x3F) << 6 | word(data[at + 2]) & 0x3F
            at += 3
        else:
            point = (byte & 7) << 18 | (word(data[at + 1]) & 0x3F) << 12
            point |= (word(data[at + 2]) & 0x3F) << 6 | word(data[at + 3]) & 0x3F
            point -= 0x10000
            h = (31 * h + 0xD800 + (point >> 10)) & _MASK
            unit = 0xDC00 + (point & 0x3FF)
            at += 4
        h = (31 * h + unit) & _MASK
    return h - ((h >> 31) << 32)


@kernel
def file_groups(data: np.ndarray, offsets: np.ndarray, count: int, groups: np.ndarray) -> None:
    """Assign text to *count* file groups: the absolute remainder of Java's absolute hash.

    groups  set to the group of each text

    The absolute value of Java's smallest integer is negative, and so is its remainder.
    """
    for i in range(len(groups)):
        h = _hash(data, offsets[i], offsets[i + 1])
        if h == -0x80000000:
            groups[i] = 0x80000000 % count
        else:
            groups[i] = abs(h) % count


@kernel
def split_secondary(
    data: np.ndarray,
    offsets: np.ndarray,
    out: np.ndarray,
    values: np.ndarray,
    nulls: np.ndarray,
    records: np.ndarray,
) -> int:
    """Split keys at their separator, and unescape both halves.

    out      as long as *data*; filled with all values, and then all records
    values   set to the offset of each value, and the end of the last
    nulls    set to 1 for null values, which are a single unescaped NUL character
    records  likewise, for the records
    returns  -1, or the index of the first key without a separator, or with an escape at its end
    """
    at = 0
    for part in range(2):
        for i in range(len(nulls)):
            (values if part == 0 else records)[i] = at
            end = word(offsets[i + 1])
            place = word(offsets[i])
            seen = 0
            escaped = 0
            while place < end:
                byte = data[place]
                place += 1
                if byte == _ESCAPE:
                    if place == end:
                        return i
                    byte = data[place]
                    place += 1
                    escaped = 1
                elif byte == _SEPARATOR and seen == 0:
                    seen = 1
                    if part == 0:
                        break
                    continue
                if seen == part:
                    out[at] = byte
                    at += 1
            if seen == 0:
                return i
            if part == 0:
                nulls[i] = at - values[i] == 1 and escaped == 0 and out[at - 1] == _NUL
                if nulls[i]:
                    at -= 1
        (values if part == 0 else records)[len(nulls)] = at
    return -1


place_of: Any = np.uint64
"""Makes an unsigned index, for which numba need not handle counting from the end."""

ONE = np.uint64(1)

_HEX = np.frombuffer(bytes(range(256)).hex().encode(), np.uint8)
"""The two hexadecimal digits of each byte."""


@kernel(work=lambda high, *_: 64 * len(high))
def uuid_text(
    high: np.ndarray, low: np.ndarray, index: np.ndarray, offsets: np.ndarray, out: np.ndarray
) -> None:
    """Write UUIDs of two words each as text, followed by ``-`` and *index* unless that is -1.

    offsets  set to the offset of each text, and the end of the last
    out      with 48 bytes for each
    """
    at = 0
    for i in range(len(high)):
        offsets[i] = at
        for half in range(2):
            bits = np.uint64(high[i]) if half == 0 else np.uint64(low[i])
            for place in range(8):
                digits = (bits >> np.uint64(56 - 8 * place) & np.uint64(0xFF)) << ONE
                out[place_of(at)] = _HEX[digits]
                out[place_of(at + 1)] = _HEX[digits | ONE]
                at += 2
                if 8 * half + place in (3, 5, 7, 9):
                    out[place_of(at)] = 0x2D
                    at += 1
        number = word(index[i])
        if number != -1:
            out[at] = 0x2D
            at += 1
            if number < 0:
                out[at] = 0x2D
                at += 1
                number = -number
            size = 1
            rest = number // 10
            while rest:
                size += 1
                rest //= 10
            for place in range(size):
                out[at + size - 1 - place] = 0x30 + number % 10
                number //= 10
            at += size
    offsets[len(high)] = at
