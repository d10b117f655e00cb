"""Columns of text as lines of CSV, in one buffer and without a Python object per row.

Fields are quoted where they have a comma, a quote or the end of a line in them, as Python's `csv`
does it; a row of one empty field is ``""``.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.late import pc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["as_text", "csv_lines", "rewritten"]

_TEXT: Final = pa.large_string()
_SPECIAL: Final = r'[,"\r\n]'


def csv_lines(columns: Sequence[pa.Array]) -> str:
    """Return lines, each ended by a newline; *columns* are large_string, their nulls empty."""
    fields = [_quoted(pc.fill_null(each, "")) for each in columns]
    if len(fields) == 1:
        is_empty = pc.equal(pc.binary_length(fields[0]), 0)
        fields = [pc.if_else(is_empty, pa.scalar('""', _TEXT), fields[0])]
    comma, newline = pa.scalar(",", _TEXT), pa.scalar("\n", _TEXT)
    pieces = [piece for field in fields for piece in (field, comma)]
    lines = pc.binary_join_element_wise(*pieces[:-1], newline, pa.scalar("", _TEXT))
    return str(_content(lines)[0].tobytes(), "utf-8")


def rewritten(column: pa.Array, forms: tuple[str, ...]) -> pa.Array:
    """Return a column of bytes as text; *forms* has the ASCII text for each of 256 byte values."""
    data, offsets = _content(column.cast(pa.large_binary()))
    letters, sizes = _table(forms)
    there = np.flatnonzero(np.bincount(data, minlength=256))
    widths = np.unique(sizes[there])
    if len(widths) == 1:  # the usual case: nothing is escaped, or all bytes are in hex
        offsets, out = offsets * widths[0], letters[:, : widths[0]][data].ravel()
    elif len(widths):
        ends = np.concatenate([[0], np.cumsum(sizes[data])])
        offsets, out = (
            ends[offsets],
            letters[data][np.arange(letters.shape[1]) < sizes[data][:, None]],
        )
    else:
        out = data
    buffers = [pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(out))]
    made = pa.Array.from_buffers(_TEXT, len(column), [None, *buffers])
    return pc.if_else(pc.is_valid(column), made, None) if column.null_count else made


def as_text(column: pa.Array) -> pa.Array | None:
    """Return integers or text as large_string; None for types whose text in Arrow differs."""
    of = column.type
    is_text = pa.types.is_string(of) or pa.types.is_large_string(of) or pa.types.is_string_view(of)
    return column.cast(_TEXT) if is_text or pa.types.is_integer(of) else None


def _quoted(field: pa.Array) -> pa.Array:
    """Return a column with its special fields in quotes."""
    data, _ = _content(field)
    if not _is_special()[data].any():
        return field
    quote = pa.scalar('"', _TEXT)
    doubled = pc.replace_substring(field, '"', '""')
    inside = pc.binary_join_element_wise(quote, doubled, quote, pa.scalar("", _TEXT))
    return pc.if_else(pc.match_substring_regex(field, _SPECIAL), inside, field)


@cache
def _is_special() -> NDArray[np.bool_]:
    """The bytes that require a field to be quoted."""
    return np.isin(np.arange(256), np.frombuffer(b',"\r\n', np.uint8))


@cache
def _table(forms: tuple[str, ...]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the letters of each form in a row of an array, and their number."""
    sizes = np.array([len(each) for each in forms], np.int64)
    width = int(sizes.max())
    packed = b"".join(each.encode().ljust(width) for each in forms)
    return np.frombuffer(packed, np.uint8).reshape(256, width), sizes


def _content(array: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the bytes of a column with 64-bit offsets, and where each value begins in them."""
    _, places, data = array.buffers()
    if places is None or data is None:
        return np.empty(0, np.uint8), np.zeros(len(array) + 1, np.int64)
    offsets = np.frombuffer(places, np.int64)[array.offset : array.offset + len(array) + 1]
    content = np.frombuffer(data, np.uint8)[offsets[0] : offsets[-1]]
    return content, offsets - offsets[0]
