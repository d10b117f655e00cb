"""Make Arrow binary views of values inside a buffer; only short values are copied.

A view takes 16 bytes: the size in four, then the value itself where it has 12 bytes or fewer, else
its first four bytes, the number of a buffer and the offset in it.  Offsets are signed words of four
bytes, so the same buffer is listed several times, each time 1 GiB further on.

Source: https://arrow.apache.org/docs/format/Columnar.html#variable-size-binary-view-layout
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.columns.loops import Loop

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from byteloom.wire.reader import Buffer

__all__ = ["LONGEST", "allocated", "binary_views"]

LONGEST: Final = 0x7FFF_FFFF
"""The most bytes of one value: Arrow stores sizes in signed words of four bytes."""

_STEP: Final = 1 << 30
_INLINE: Final = 12


def allocated(count: int, dtype: str) -> NDArray[Any]:
    """Allocate an array of *count* values in Arrow's pool, which reuses earlier memory."""
    form = np.dtype(dtype)
    return np.frombuffer(pa.allocate_buffer(count * form.itemsize), form)


def binary_views(
    data: Buffer, starts: NDArray[Any], sizes: NDArray[Any], valid: pa.Buffer | None = None
) -> pa.Array:
    """Return the parts of *data* as an array of binary_view that refers to *data*.

    starts  the offset of each part; the caller ensures that all parts are inside *data*
    sizes   the size of each, at most LONGEST
    valid   a bitmap, or None where no value is null
    """
    views = allocated(2 * len(starts), "i8").reshape(-1, 2)
    if _fill_loop.would_interpret(len(data)):
        _fill_with_numpy(data, starts, sizes, views)
    else:
        _fill_loop(data, len(data), starts, sizes, views)
    whole = pa.py_buffer(data)
    buffers = [whole.slice(at) for at in range(0, max(len(data), 1), _STEP)]
    return pa.Array.from_buffers(
        pa.binary_view(), len(starts), [valid, pa.py_buffer(views), *buffers]
    )


def _fill(data: bytes, starts: NDArray[Any], sizes: NDArray[Any], views: NDArray[Any]) -> None:
    for row in range(len(starts)):
        at = int(starts[row])
        size = int(sizes[row])
        head = 0
        tail = 0
        for index in range(min(size, 4)):
            head |= data[at + index] << 8 * index
        if size > _INLINE:
            tail = at >> 30 | (at & 0x3FFF_FFFF) << 32
        else:
            # The sign of the last byte is that of the word, since Python's integers do not wrap.
            for index in range(4, min(size, 11)):
                tail |= data[at + index] << 8 * (index - 4)
            if size == _INLINE:
                tail |= ((data[at + 11] ^ 0x80) - 0x80) << 56
        views[row, 0] = size | ((head ^ 0x8000_0000) - 0x8000_0000) << 32
        views[row, 1] = tail


_fill_loop: Final = Loop(_fill)


def _fill_with_numpy(
    data: Buffer, starts: NDArray[Any], sizes: NDArray[Any], views: NDArray[Any]
) -> None:
    """Fill *views* as the loop does, which would be interpreted: most values may be empty."""
    views[:] = 0
    rows = np.flatnonzero(sizes)
    if not len(rows):
        return
    at, size = starts[rows].astype(np.int64), sizes[rows].astype(np.int64)
    is_long = size > _INLINE
    kept = np.where(is_long, 4, size)[:, None]
    places = np.arange(_INLINE)
    source = np.minimum(at[:, None] + places, len(data) - 1)
    filled = np.zeros((len(rows), 4 + _INLINE), np.uint8)
    filled[:, 4:] = np.where(places < kept, np.frombuffer(data, np.uint8)[source], 0)
    words = filled.view("<i4")
    words[:, 0] = size
    words[is_long, 2], words[is_long, 3] = at[is_long] >> 30, at[is_long] & (_STEP - 1)
    views[rows] = words.view("<i8")
