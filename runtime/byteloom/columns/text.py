"""Text columns: whole columns of bytes are checked to be valid text in one step.

Arrow stores text as UTF-8.  UTF-8 and ASCII are not copied after the check; charsets of
one byte a character are converted, all values in one step.
"""

from __future__ import annotations

import codecs
from typing import Any, Final

import numpy as np
import pyarrow as pa

from byteloom.wire.stored import unknown_encoding

__all__ = ["BadRowError", "text_array"]


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
