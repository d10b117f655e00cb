"""Plain columns of small Parquet files, decoded for the rows that are wanted.

The rules:

- The library takes some 40 microseconds for each column of each file, however few rows it has, and
  decodes all of them.  A column with at most one number or text in a row, in a common encoding, is
  decoded by our own loop instead, together for all files.
- Damage is not described here: a `FormatError` for anything unusual or damaged means that the
  library has to read the files one by one.

Source: https://parquet.apache.org/docs/file-format/data-pages/encodings/
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.kernels.parquet_fields import numbers
from byteloom.parquet.codecs import COMPRESSED, UNCOMPRESSED
from byteloom.parquet.held_files import are_sound, decompressed, found_chunks, found_pages
from byteloom_generated.parquet.footers import TYPES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from byteloom.parquet.forms import Form
    from byteloom.parquet.held_files import Footers

    Numbers = NDArray[np.int64]
    Bytes = NDArray[np.uint8]

__all__ = ["PlainColumns", "is_plain"]

_INT32, _INT64, _FLOAT, _DOUBLE, _BYTE_ARRAY = numbers(
    TYPES, "INT32", "INT64", "FLOAT", "DOUBLE", "BYTE_ARRAY"
)
_NUMBERS: Final = (_INT32, _INT64, _FLOAT, _DOUBLE)
_WIDTHS: Final = {each.number: each.size or 0 for each in TYPES if each.number in _NUMBERS}

_AT_A_TIME: Final = 8 << 20
"""Bytes of the pages that are decoded at a time: more would not stay in the processor's cache, and
with fewer the calls would take longer than their work."""

_HELD: Final = 256 << 20
"""Most bytes of the values of the columns that are decoded at a time."""

_HIGH: Final = 0x80
"""Bytes below this one are text by themselves."""

_LINE: Final = 64
"""Bytes whose multiples are the sizes of buffers."""


def is_plain(of: pa.DataType, leaf: Numbers) -> bool:
    """Whether pages store the values of an Arrow type without conversion.

    leaf  physical type, bytes of a bound, highest repetition and definition level
    """
    kind, _, repeated, defined = leaf.tolist()
    if repeated or defined > 1:
        return False
    if kind == _BYTE_ARRAY:
        return bool(pa.types.is_string(of) or pa.types.is_binary(of))
    if kind in {_FLOAT, _DOUBLE}:
        return bool(of == (pa.float32() if kind == _FLOAT else pa.float64()))
    is_counted = of in {pa.int32(), pa.int64(), pa.date32()} or pa.types.is_timestamp(of)
    is_counted |= pa.types.is_time(of)
    return bool(is_counted and of.bit_width == 8 * _WIDTHS.get(kind, 0))


class PlainColumns:
    """The plain columns of files of one form, with the rows of one file after those of another.

    files  number of rows of each file
    rows   number of rows of all files
    taken  bytes of the values that have been taken
    """

    def __init__(self, data: Bytes, form: Form, chunks: Numbers, files: Numbers) -> None:
        """Find the pages of columns; nothing is decompressed.

        data         the bytes in which the chunks have their places
        chunks       int64[chunk, CHUNK_FIELDS]: those of the columns, which must all be plain, in
                     the order of their rows; changed here
        files        int64[file]: number of rows of each file
        FormatError  unusual pages
        """
        from byteloom.kernels.parquet_pages import ZSTD
        from byteloom.kernels.parquet_plain_pages import PAGE_FIELDS, describe_pages

        self.form, self._data = form, data
        self.files, self.rows, self.taken = files, int(files.sum()), 0
        codecs = chunks[:, 5].copy()
        if not {UNCOMPRESSED, *COMPRESSED}.issuperset(codecs.tolist()):
            raise _unusual("codecs")
        chunks[:, 5] = ZSTD  # makes the loop find the pages of all columns
        pages, sums = found_pages(data, chunks)
        if pages is None or not are_sound(data, pages, sums):
            raise _unusual("pages")
        said = np.zeros((len(pages), PAGE_FIELDS), np.int64)
        if describe_pages(data, pages, said) < len(pages):
            raise _unusual("page headers")
        codecs = codecs[pages[:, 0]]
        is_stored = codecs == UNCOMPRESSED
        packed = pages[:, 5] - pages[:, 4]
        if (is_stored & (packed != pages[:, 7])).any() or (said[:, 1] > self._most(pages)).any():
            raise _unusual("sizes of pages")
        pages[is_stored, 6] = packed[is_stored]
        leaves = chunks[pages[:, 0], 1]
        order = np.argsort(leaves, kind="stable")
        self._pages, self._said, self._codecs = pages[order], said[order], codecs[order]
        count = len(form.leaves)
        self._ends = np.searchsorted(leaves[order], np.arange(count + 1))
        self._sizes = np.bincount(leaves, pages[:, 7], count).astype(np.int64)

    @classmethod
    def of_files(cls, data: Bytes, footers: Footers, form: Form, wanted: Bytes) -> PlainColumns:
        """Return the columns of files; raises the errors of the constructor.

        data    the files, one after the other
        wanted  uint8[leaf]: 1 for the columns
        """
        files, _, chunks = found_chunks(footers, form, wanted)
        return cls(data, form, chunks, files[:, 4].copy())

    def _most(self, pages: Numbers) -> Numbers:
        """Return the most values of each page: all rows, or of a dictionary its number of bytes."""
        return np.maximum(pages[:, 7], self.rows)

    def take(
        self, leaves: Sequence[int], types: Sequence[pa.DataType], rows: Numbers | None
    ) -> list[pa.Array]:
        """Return the columns of some leaves.

        types        their Arrow types; text becomes large text
        rows         numbers of the wanted rows, ascending; None for all
        FormatError  unusual or damaged pages, or too many bytes
        """
        if rows is not None and not len(rows):
            return [pa.nulls(0, _large(of)) for of in types]
        found: list[pa.Array] = []
        held = begin = 0
        numbers = np.array(leaves, np.int64)
        sizes = np.cumsum(self._sizes[numbers])
        while begin < len(leaves):
            before = sizes[begin - 1] if begin else 0
            end = begin + 1 + int(np.searchsorted(sizes[begin + 1 :], before + _AT_A_TIME, "right"))
            arrays, size = self._taken(numbers[begin:end], types[begin:end], rows)
            found, held, begin = found + arrays, held + size, end
            if held > _HELD:
                raise _unusual("sizes of values")
        self.taken += held
        return found

    def _taken(
        self, leaves: Numbers, types: Sequence[pa.DataType], rows: Numbers | None
    ) -> tuple[list[pa.Array], int]:
        """Return columns that are decoded in one call, and their number of bytes."""
        from byteloom.kernels.parquet_values import copy_texts, take_values

        first, last = self._ends[leaves], self._ends[leaves + 1]
        ends = np.cumsum(last - first)
        which = np.arange(ends[-1]) + np.repeat(last - ends, last - first)
        pages, said = self._pages[which], self._said[which]
        data = self._decompressed(pages, said, self._codecs[which])
        count = self.rows if rows is None else len(rows)
        columns, size = self._columns(leaves, count)
        columns[:, 2], columns[:, 3] = ends - (last - first), ends
        texts = np.flatnonzero(columns[:, 0] == 0)
        room = int(said[:, 1].max(initial=0))
        starts = _memory((len(texts), count))
        buffer = pa.allocate_buffer(size)
        out = np.frombuffer(buffer, np.uint8)
        taken = take_values(
            data, said, columns, np.zeros(0, np.int64) if rows is None else rows, self.rows, out,
            starts, _memory((3, room)), _memory((2, room, 2)),
        )  # fmt: skip
        total = int(columns[:, 7].sum())
        if taken < len(columns) or total > _HELD:
            raise _unusual("values")
        content = pa.allocate_buffer(total)
        letters = np.frombuffer(content, np.uint8)
        copy_texts(data, columns[texts], starts, out, letters)
        arrays = _arrays(columns, types, count, buffer, content)
        if letters.max(initial=0) >= _HIGH:
            _check_texts(arrays)
        return arrays, size + total

    def _decompressed(self, pages: Numbers, said: Numbers, codecs: Numbers) -> Bytes:
        """Return the decompressed bytes of some pages; fill in the place of each."""
        from byteloom.kernels.parquet_plain_pages import SLACK

        ends = np.cumsum(pages[:, 7])
        said[:, 4], said[:, 5] = ends - pages[:, 7], ends
        data = np.frombuffer(pa.allocate_buffer(int(pages[:, 7].sum()) + SLACK), np.uint8)
        has_plain = pages[:, 6] > 0
        plain = np.stack([said[:, 4], pages[:, 4], pages[:, 6]], axis=1)[has_plain]
        for place, begin, size in plain.tolist():
            data[place : place + size] = self._data[begin : begin + size]
        if not decompressed(self._data, pages, codecs, said[:, 4] + pages[:, 6], data):
            raise _unusual("compressed pages")
        return data

    def _columns(self, leaves: Numbers, count: int) -> tuple[Numbers, int]:
        """Return the arguments of `take_values` for each column, and the bytes of all values."""
        from byteloom.kernels.parquet_values import COLUMN_FIELDS

        columns = np.zeros((len(leaves), COLUMN_FIELDS), np.int64)
        of = self.form.leaves[leaves]
        columns[:, 0] = np.where(of[:, 0] == _BYTE_ARRAY, 0, of[:, 1])
        columns[:, 1] = of[:, 3]
        sizes = np.where(columns[:, 0], columns[:, 0] * count, 8 * (count + 1))
        values, bits = _whole(sizes), _whole(columns[:, 1] * ((count + 7) // 8))
        columns[:, 5] = np.cumsum(values + bits) - bits
        columns[:, 4] = columns[:, 5] - values
        return columns, int((values + bits).sum())


def _memory(shape: tuple[int, ...]) -> Numbers:
    """Return an array for numbers, in memory that Arrow's pool reuses."""
    held = pa.allocate_buffer(8 * max(1, prod(shape)))
    return np.frombuffer(held, np.int64)[: prod(shape)].reshape(shape)


def _whole(sizes: Numbers) -> Numbers:
    """Return sizes rounded up to multiples of a cache line."""
    return -(-sizes // _LINE) * _LINE


def _arrays(
    columns: Numbers, types: Sequence[pa.DataType], count: int, buffer: pa.Buffer, content: Any
) -> list[pa.Array]:
    """Return the columns that `take_values` has put into a buffer."""
    found, place, bits = [], 0, (count + 7) // 8
    for of, column in zip(types, columns.tolist(), strict=True):
        width, _, _, _, at, valid, nulls, size = column
        held = [
            buffer.slice(valid, bits) if nulls else None,
            buffer.slice(at, width * count if width else 8 * (count + 1)),
        ]
        if not width:
            held.append(content.slice(place, size))
            place += size
        found.append(pa.Array.from_buffers(_large(of), count, held, nulls))
    return found


def _check_texts(arrays: Sequence[pa.Array]) -> None:
    """Refuse text that is not UTF-8; its place is found when the file is read by itself."""
    try:
        for each in arrays:
            if pa.types.is_large_string(each.type):
                each.validate(full=True)
    except pa.ArrowInvalid as error:
        raise _unusual("text") from error


def _large(of: pa.DataType) -> pa.DataType:
    """Return the type of a decoded column."""
    return _LARGE.get(of, of)


_LARGE: Final = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}


def _unusual(what: str) -> FormatError:
    """Return the error for files that have to be read one by one."""
    return FormatError("parquet", None, f"unusual {what}", "files as most writers leave them")
