"""Thrift's compact protocol, in which Parquet stores its footers and page headers.

- A field is a byte with its type and the difference of its number, then the value; unwanted fields
  are skipped.
- After the end of the bytes there are zeros, which end every struct.

Source: Apache Thrift, ``thrift-compact-protocol.md``.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from byteloom.native.integers import long_uleb128_at, put_uleb128, signed
from byteloom.native.kernel import kernel

__all__ = [
    "BINARY",
    "I16",
    "I32",
    "I64",
    "LIST",
    "STRUCT",
    "TRUE",
    "list_head",
    "next_field",
    "number_at",
    "passed",
    "put_list",
    "put_number",
    "put_varint",
    "varint",
]

word: Any = np.int64

TRUE: Final = 1
I16: Final = 4
I32: Final = 5
I64: Final = 6
BINARY: Final = 8
LIST: Final = 9
STRUCT: Final = 12

_BYTE, _DOUBLE, _SET, _MAP, _UUID = 3, 7, 10, 11, 13
_SIXTEEN: Final = 16
_LONG_LIST: Final = 15
_DEEPEST: Final = 64
"""The deepest nesting of containers; a value with more is skipped past the end."""
_POSITIVE: Final = (1 << 63) - 1


@kernel
def _byte(data: np.ndarray, at: int) -> int:
    """Return the byte at an offset."""
    return word(data[at]) if 0 <= at < len(data) else word(0)


@kernel
def varint(data: np.ndarray, at: int) -> tuple[int, int]:
    """Return a number below 2^63, and the offset after it; past the end if it is incomplete."""
    if not 0 <= at < len(data):
        return word(0), at + 1
    if data[at] < 0x80:
        return word(data[at]), at + 1
    value, after = long_uleb128_at(data.ctypes.data, at, len(data))
    if after < 0:
        return word(0), len(data) + 1
    return value & _POSITIVE, after


@kernel
def number_at(data: np.ndarray, at: int) -> tuple[int, int]:
    """Return a zigzag number, and the offset after it."""
    value, at = varint(data, at)
    return signed(value), at


@kernel
def next_field(data: np.ndarray, at: int, number: int) -> tuple[int, int, int]:
    """Return number and type of the field after *number*, and its value's offset; type 0 ends."""
    head = word(data[at]) if 0 <= at < len(data) else word(0)
    at, kind, step = at + 1, head & 15, head >> 4
    if kind and step:
        return number + step, kind, at
    if kind:
        value, at = varint(data, at)
        return signed(value), kind, at
    return 0, 0, at


@kernel
def list_head(data: np.ndarray, at: int) -> tuple[int, int, int]:
    """Return the length and type of a list, and the offset of its first item."""
    head = _byte(data, at)
    size, at = head >> 4, at + 1
    if size == _LONG_LIST:
        size, at = varint(data, at)
    return min(size, len(data)), head & 15, at


@kernel
def passed(data: np.ndarray, at: int, kind: int) -> int:
    """Return the offset after an unwanted value; true and false consist of their type only.

    It is not recursive, since recursive calls fail when numba loads callers from its cache.
    """
    if kind not in (STRUCT, LIST, _SET, _MAP):
        return _plain_passed(data, at, kind)
    if kind == LIST:
        size, inner, first = list_head(data, at)
        if inner in (I32, I64, BINARY):  # most lists
            for _ in range(size):
                first = _plain_passed(data, first, inner)
            return first
    # For each container: items left, -1 for a struct; types of every first and second item.
    open_ones = np.empty((_DEEPEST, 3), np.int64)
    depth = 0
    while True:
        if kind in (STRUCT, LIST, _SET, _MAP):
            if depth == _DEEPEST:
                return len(data) + 1
            here = open_ones[depth]
            depth += 1
            if kind == STRUCT:
                here[0] = -1
            elif kind == _MAP:
                size, at = varint(data, at)
                kinds = _byte(data, at)
                at += size > 0
                here[0], here[1], here[2] = 2 * min(size, len(data)), kinds >> 4, kinds & 15
            else:
                here[0], here[1], at = list_head(data, at)
                here[2] = here[1]
        else:
            at = _plain_passed(data, at, kind)
        kind = 0
        while not kind:
            if not depth or at > len(data):
                return at
            here = open_ones[depth - 1]
            if here[0] < 0:
                _, kind, at = next_field(data, at, 0)
                depth -= not kind
            elif not here[0]:
                depth -= 1
            else:
                here[0] -= 1
                kind = here[1] if here[0] & 1 else here[2]
                if kind <= _BYTE:  # in a list, true and false are a byte as well
                    at += 1
                    kind = 0


@kernel
def _plain_passed(data: np.ndarray, at: int, kind: int) -> int:
    """Return the offset after a value that is not a container."""
    if kind == BINARY:
        size, at = varint(data, at)
        return at + min(size, len(data) + 1)
    if kind == _DOUBLE:
        return at + 8
    if kind == _UUID:
        return at + _SIXTEEN
    if kind > _BYTE:
        return varint(data, at)[1]
    return at + (kind == _BYTE)


@kernel
def put_varint(out: np.ndarray, at: int, value: int) -> int:
    """Write a varint; return the offset after it."""
    return put_uleb128(out.ctypes.data, at, value)


@kernel
def put_number(out: np.ndarray, at: int, head: int, value: int) -> int:
    """Write the head of a field and a number that is not negative."""
    out[at] = head
    return put_varint(out, at + 1, value << 1)


@kernel
def put_list(out: np.ndarray, at: int, head: int, size: int, kind: int) -> int:
    """Write the head of a field that is a list, and that of the list."""
    out[at] = head
    if size < _LONG_LIST:
        out[at + 1] = size << 4 | kind
        return at + 2
    out[at + 1] = _LONG_LIST << 4 | kind
    return put_varint(out, at + 2, size)
