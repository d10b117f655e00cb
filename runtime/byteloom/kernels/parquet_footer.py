"""What the footer of a Parquet file says of its column chunks, held to what its schema says.

- The footer is one of Thrift's compact structs: a field is a byte of type and step, then its value;
  what is not asked for is passed over.
- Behind the end of the bytes there are zeros, which end every struct.

Source: https://github.com/apache/parquet-format, ``parquet.thrift``; Apache Thrift,
``thrift-compact-protocol.md``.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from byteloom.wire.kernel import kernel

__all__ = ["BOUND", "ENCRYPTED", "HISTOGRAM", "TEXT_SIZE", "TYPE", "check_chunks"]

word: Any = np.int64

TYPE: Final = 1
BOUND: Final = 2
HISTOGRAM: Final = 3
TEXT_SIZE: Final = 4
ENCRYPTED: Final = 5

_BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT, _UUID = 3, 7, 8, 9, 10, 11, 12, 13
_SIXTEEN: Final = 16
_LONG_LIST: Final = 15
_BYTE_ARRAY: Final = 6

_ROW_GROUPS, _COLUMNS, _META_DATA, _CRYPTO, _SEALED = 4, 1, 3, 8, 9
_TYPE, _STATISTICS, _SIZES = 1, 12, 16
_MAX, _MIN, _MAX_VALUE, _MIN_VALUE = 1, 2, 5, 6


@kernel
def _byte(data: np.ndarray, at: int) -> int:
    """The byte at a place."""
    return word(data[at]) if 0 <= at < len(data) else word(0)


@kernel
def _varint(data: np.ndarray, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, and the place behind it."""
    value, shift = word(0), 0
    while True:
        each = _byte(data, at)
        at += 1
        if shift < 63:
            value |= (each & 0x7F) << shift
        shift += 7
        if each < 0x80:
            return value, at


@kernel
def _next(data: np.ndarray, at: int, number: int) -> tuple[int, int, int]:
    """The number and type of the field after *number*, and its value's place; type 0 ends."""
    head = _byte(data, at)
    at, kind, step = at + 1, head & 15, head >> 4
    if kind and step:
        return number + step, kind, at
    if kind:
        value, at = _varint(data, at)
        return (value >> 1) ^ -(value & 1), kind, at
    return 0, 0, at


@kernel
def _list(data: np.ndarray, at: int) -> tuple[int, int, int]:
    """The length and type of a list, and the place of its first item."""
    head = _byte(data, at)
    size, at = head >> 4, at + 1
    if size == _LONG_LIST:
        size, at = _varint(data, at)
    return min(size, len(data)), head & 15, at


@kernel
def _passed(data: np.ndarray, at: int, kind: int) -> int:
    """The place behind a value that nobody asked for; true and false are their type alone."""
    if kind == _STRUCT:
        number = 0
        while True:
            number, inner, at = _next(data, at, number)
            if not inner:
                return at
            at = _passed(data, at, inner)
    if kind in (_LIST, _SET):
        size, inner, at = _list(data, at)
        for _ in range(size):
            at = at + 1 if inner <= _BYTE else _passed(data, at, inner)
        return at
    if kind == _MAP:
        size, at = _varint(data, at)
        kinds = _byte(data, at)
        at += size > 0
        for _ in range(min(size, len(data))):
            at = _passed(data, _passed(data, at, kinds >> 4), kinds & 15)
        return at
    if kind == _BINARY:
        size, at = _varint(data, at)
        return at + size
    if kind == _DOUBLE:
        return at + 8
    if kind == _UUID:
        return at + _SIXTEEN
    if kind > _BYTE:
        return _varint(data, at)[1]
    return at + (kind == _BYTE)


@kernel
def _bounds(data: np.ndarray, at: int, width: int) -> tuple[int, int]:
    """What is wrong with statistics, and the place behind them."""
    number = wrong = 0
    while True:
        number, kind, at = _next(data, at, number)
        if not kind:
            return wrong, at
        if kind == _BINARY and number in (_MAX, _MIN, _MAX_VALUE, _MIN_VALUE):
            size, _ = _varint(data, at)
            wrong = wrong if width < 0 or size == width else BOUND
        at = _passed(data, at, kind)


@kernel
def _sizes(data: np.ndarray, at: int, leaf: np.ndarray) -> tuple[int, int]:
    """What is wrong with the numbers of values of each level, and the place behind them."""
    number = wrong = 0
    while True:
        number, kind, at = _next(data, at, number)
        if not kind:
            return wrong, at
        if kind == _LIST and 2 <= number <= 3:
            size, _, _ = _list(data, at)
            wrong = wrong if size in (0, leaf[number] + 1) else HISTOGRAM
        elif number == 1 and leaf[0] != _BYTE_ARRAY:
            wrong = TEXT_SIZE
        at = _passed(data, at, kind)


@kernel
def _chunk(data: np.ndarray, at: int, leaf: np.ndarray) -> tuple[int, int]:
    """What is wrong with a column chunk, and the place behind it."""
    number = inner = wrong = 0
    is_inside = False
    while True:
        number, kind, at = _next(data, at, number)
        code = 0
        if not kind:
            if not is_inside:
                return wrong, at
            number, is_inside = _META_DATA, False
        elif not is_inside and number == _META_DATA and kind == _STRUCT:
            number, is_inside = 0, True
        elif not is_inside:
            code = ENCRYPTED if number in (_CRYPTO, _SEALED) else 0
            at = _passed(data, at, kind)
        elif number == _TYPE:
            inner, at = _varint(data, at)
            code = 0 if inner == 2 * leaf[0] else TYPE  # zigzag
        elif number == _STATISTICS and kind == _STRUCT:
            code, at = _bounds(data, at, leaf[1])
        elif number == _SIZES and kind == _STRUCT:
            code, at = _sizes(data, at, leaf)
        else:
            at = _passed(data, at, kind)
        wrong = wrong or code


@kernel
def check_chunks(data: np.ndarray, leaves: np.ndarray) -> tuple[int, int, int]:
    """Return what is wrong, 0 for nothing, and the row group and the column where it is.

    data    the footer, as Thrift's compact protocol has it
    leaves  int64[leaf, 4]: physical type, bytes of a bound or -1, the highest repetition level and
            the highest definition level
    """
    number = at = 0
    while True:
        number, kind, at = _next(data, at, number)
        if not kind:
            return 0, 0, 0
        if number != _ROW_GROUPS or kind != _LIST:
            at = _passed(data, at, kind)
            continue
        groups, _, at = _list(data, at)
        for group in range(groups):
            inner = 0
            while True:
                inner, kind, at = _next(data, at, inner)
                if not kind:
                    break
                if inner != _COLUMNS or kind != _LIST:
                    at = _passed(data, at, kind)
                    continue
                columns, _, at = _list(data, at)
                for column in range(min(columns, len(leaves))):
                    code, at = _chunk(data, at, leaves[column])
                    if code:
                        return code, group, column
