"""Find the box around shapes in well-known binary.

- Numbers are compared as integers in the order of the numbers that their bits stand for.
- Shapes inside others follow them, each with its own head, so that no stack is needed.

Source: ISO 13249-3 (SQL/MM, Spatial), "Well-known binary representation".
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from byteloom.native.kernel import kernel
from byteloom.native.loads import be32, be64, byte, le32, le64

__all__ = ["EAST", "MOST", "WEST", "Y", "box_around"]

word: Any = np.int64

WEST, EAST, Y, _Z, _M = range(5)
"""The columns of a box: x below 0, other x, y, z and m."""

MOST: Final = (1 << 63) - 1
_INFINITE: Final = 0x7FF0_0000_0000_0000
_POINT, _LINE, _POLYGON, _POINTS, _COLLECTION = 1, 2, 3, 4, 7
_DIMENSIONS: Final = 1000
"""What is added to the number of a kind for z, twice that for m, and three times for both."""

_HEAD: Final = 5
"""Bytes of the order of bytes and the kind."""


@kernel
def _widen(box: np.ndarray, at: int, bits: int) -> None:
    """Widen a box in one dimension, unless the number is NaN."""
    if bits & MOST > _INFINITE:
        return
    key = bits ^ ((bits >> 63) & MOST)
    box[0, at] = min(box[0, at], key)
    box[1, at] = max(box[1, at], key)


@kernel
def _add_point(box: np.ndarray, base: int, at: int, order: int, dimensions: int) -> None:
    """Widen a box by a point."""
    x = le64(base, at) if order else be64(base, at)
    y = le64(base, at + 8) if order else be64(base, at + 8)
    _widen(box, WEST if x < 0 else EAST, x)
    _widen(box, Y, y)
    if dimensions:
        third = le64(base, at + 16) if order else be64(base, at + 16)
        _widen(box, _M if dimensions == 2 else _Z, third)
    if dimensions == 3:
        _widen(box, _M, le64(base, at + 24) if order else be64(base, at + 24))


@kernel
def box_around(
    data: np.ndarray, starts: np.ndarray, ends: np.ndarray, box: np.ndarray, edges: np.ndarray
) -> int:
    """Widen a box by shapes; return the number of the first that is no shape, or -1.

    starts, ends  where each shape is in *data*
    box           int64[2, 5]: the least and the greatest x below 0, other x, y, z and m, each as an
                  integer in the order of the numbers
    edges         int64[1]: set to 1 if there is a shape other than points
    """
    base = word(data.ctypes.data)
    for row in range(len(starts)):
        at, end, left = word(starts[row]), word(ends[row]), word(1)
        while left > 0:
            left -= 1
            if at + _HEAD > end or byte(base, at) > 1:
                return row
            order = byte(base, at)
            kind = le32(base, at + 1) if order else be32(base, at + 1)
            dimensions, kind = kind // _DIMENSIONS, kind % _DIMENSIONS
            if not (0 <= dimensions <= 3 and _POINT <= kind <= _COLLECTION):
                return row
            at += _HEAD
            count = word(1)
            if kind != _POINT:
                if at + 4 > end:
                    return row
                count = le32(base, at) if order else be32(base, at)
                at += 4
                if count < 0:
                    return row
            if kind >= _POINTS:
                left += count
                if left * _HEAD > end - at:
                    return row
                continue
            if kind != _POINT:
                edges[0] = 1
            width = 16 + 8 * (dimensions > 0) + 8 * (dimensions > 2)
            runs = count if kind == _POLYGON else word(1)
            for _ in range(runs):
                if kind == _POLYGON:
                    if at + 4 > end:
                        return row
                    count = le32(base, at) if order else be32(base, at)
                    at += 4
                if count < 0 or count * width > end - at:
                    return row
                for _ in range(count):
                    _add_point(box, base, at, order, dimensions)
                    at += width
        if at != end:
            return row
    return -1
