"""Arrow views of values inside a buffer, and their check as text; only short values are copied.

- A view takes 16 bytes: the size in four, then the value itself where it has 12 bytes or fewer,
  else its first four bytes, the number of a buffer and the offset in it.  Offsets are signed words
  of four bytes, so the same buffer is listed several times, each time 1 GiB further on.
- Whole columns of bytes are checked to be valid text in one step.  UTF-8 and ASCII are not copied
  after the check; charsets of one byte a character are converted, all values in one step.

Source: https://arrow.apache.org/docs/format/Columnar.html#variable-size-binary-view-layout
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.columns.loops import Loop
from byteloom.wire.stored import unknown_encoding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from byteloom.wire.reader import Buffer

__all__ = ["LONGEST", "BadRowError", "allocated", "binary_views", "text_array"]

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


_NOT_ASCII: Final = 0x80


class BadRowError(Exception):
    """The value of this row is not valid for its column; the scanner catches this error."""

    def __init__(self, row: int) -> None:
        """Keep the row, numbered in the table of its column."""
        super().__init__(row)
        self.row = row


def text_array(views: pa.Array, encoding: str) -> pa.Array:
    """Return *views*, a binary_view of text in *encoding*, as string_view.

    errors  BadRowError with the first row that is not text
    """
    try:
        name = codecs.lookup(encoding).name
    except LookupError as error:
        raise unknown_encoding("", encoding) from error
    if name == "utf-8":
        return _utf8(views)
    gathered = views.cast(pa.binary())
    used = _content(gathered)
    if name == "ascii" or _says_ascii(name):
        high = used >= _NOT_ASCII
        if not high.any():
            return _utf8(views)
        if name == "ascii":
            raise BadRowError(_row_of(gathered, int(high.argmax())))
    return _recoded(gathered, used, name)


def _utf8(views: pa.Array) -> pa.Array:
    try:
        return views.cast(pa.string_view())
    except pa.ArrowInvalid:
        raise BadRowError(_first_bad(views)) from None


def _first_bad(views: pa.Array) -> int:
    """Return the first row that is not UTF-8, by bisection."""
    first, end = 0, len(views)
    while end - first > 1:
        middle = (first + end) // 2
        try:
            views.slice(first, middle - first).cast(pa.string_view())
            first = middle
        except pa.ArrowInvalid:
            end = middle
    return first


def _says_ascii(name: str) -> bool:
    plain = bytes(range(0x80))
    return plain.decode(name, "replace") == plain.decode("ascii")


def _offsets(gathered: pa.Array) -> Any:
    count = len(gathered) + 1
    return np.frombuffer(gathered.buffers()[1], np.int32, count)


def _content(gathered: pa.Array) -> Any:
    size = int(_offsets(gathered)[-1])
    return np.frombuffer(gathered.buffers()[2] or b"", np.uint8, size)


def _row_of(gathered: pa.Array, at: int) -> int:
    """Return the row to which byte *at* of the concatenated values belongs."""
    return int(np.searchsorted(_offsets(gathered), at, "right")) - 1


def _recoded(gathered: pa.Array, used: Any, name: str) -> pa.Array:
    """Convert text in a single-byte charset to UTF-8, all values at once."""
    try:
        utf8 = bytes(used).decode(name).encode()
    except UnicodeDecodeError as error:
        raise BadRowError(_row_of(gathered, error.start)) from None
    letters = (bytes((byte,)).decode(name, "replace") for byte in range(0x100))
    widths = np.array([len(each.encode()) for each in letters], np.int64)
    ends = np.concatenate(([0], np.cumsum(widths[used])))[_offsets(gathered)]
    buffers = [gathered.buffers()[0], pa.py_buffer(ends.astype(np.int32)), pa.py_buffer(utf8)]
    return pa.Array.from_buffers(pa.string(), len(gathered), buffers).cast(pa.string_view())
