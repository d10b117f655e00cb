"""Plain columns of Parquet files or row groups, decoded for the rows that are wanted.

The rules:

- The library takes some 40 microseconds for each column of each file, however few rows it has, and
  decodes all of them.  A column of numbers, texts or lists of numbers in a common encoding
  is decoded by our own loops instead; several small files are decoded together.
- Which files have such columns is chosen before (`byteloom.datafiles.parquet_plan`).  Damage is not
  described here: `Unusual`, raised for pages that are damaged or belie their footer, means that the
  library has to read the files.

Source: https://parquet.apache.org/docs/file-format/data-pages/encodings/
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from byteloom.arrow.texts import arrow_memory
from byteloom.kernels.parquet_forms import TEXTS
from byteloom.kernels.parquet_pages import DICTIONARY_PAGE, ZSTD
from byteloom.kernels.parquet_plain_pages import (
    KIND,
    PAGE_FIELDS,
    RANGE_FIELDS,
    SLACK,
    VALUES,
    describe_pages,
    place_pages,
)
from byteloom.kernels.parquet_values import COLUMN_FIELDS, copy_texts, place_columns, take_values
from byteloom.parquet.codecs import are_filled
from byteloom.parquet.held_files import CODEC, LEAF, Unusual, are_sound, found_pages
from byteloom.parquet.plain_lists import ListPages, taken_list
from byteloom.parquet.plain_types import OFFSET, value_form

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from byteloom.parquet.forms import Form

    Numbers = NDArray[np.int64]
    Bytes = NDArray[np.uint8]

__all__ = ["PlainColumns", "Scratch"]

_AT_A_TIME: Final = 8 << 20
"""Bytes of the pages that are decoded at a time: more would not stay in the processor's cache, and
with fewer the calls would take longer than their work."""

_HELD: Final = 256 << 20
"""Most bytes of the values of the columns that are decoded at a time."""

_ITEMS: Final = 1 << 20
"""Values that a page of lists may have, though it has fewer bytes and there are fewer rows."""

_HIGH: Final = 0x80
"""Bytes below this one are text by themselves."""

_NO_ROWS: Final = np.zeros(0, np.int64)
_SIDES: Final = ("left", "right")


class Scratch:
    """Memory for numbers and bytes that one call after another uses.

    It stays in the processor's cache, and nobody clears it.
    """

    def __init__(self) -> None:
        """Hold nothing yet."""
        self._held: dict[str, NDArray[Any]] = {}

    def bytes(self, name: str, count: int) -> Bytes:
        """Return memory for bytes, uninitialised; it is that of the last call with this name."""
        return self._of(name, count, np.dtype(np.uint8))

    def numbers(self, name: str, *shape: int) -> Numbers:
        """Return memory for an array of int64, as `bytes` does."""
        return self._of(name, prod(shape), np.dtype(np.int64)).reshape(shape)

    def _of(self, name: str, count: int, of: np.dtype[Any]) -> NDArray[Any]:
        held = self._held.get(name)
        if held is None or len(held) < count:
            _, held = arrow_memory(count, of)
            self._held[name] = held
        return held[:count]


class PlainColumns:
    """The plain columns of files of one form, with the rows of one file after those of another.

    files  number of rows of each file
    rows   number of rows of all files
    taken  bytes of the values that have been taken
    """

    def __init__(
        self,
        data: Bytes,
        form: Form,
        chunks: Numbers,
        files: Numbers,
        scratch: Scratch | None = None,
    ) -> None:
        """Find the pages of columns; nothing is decompressed.

        data         the bytes in which the chunks have their places
        chunks       int64[chunk, CHUNK_FIELDS]: those of the columns, which must all be plain,
                     ascending by leaf, then in the order of their rows; changed here
        files        int64[file]: number of rows of each file
        scratch      None for memory of its own
        Unusual      unusual pages
        """
        self.form, self._data = form, data
        self.files, self.rows, self.taken = files, int(files.sum()), 0
        self._scratch = scratch or Scratch()
        self._codecs = chunks[:, CODEC].copy()
        chunks[:, CODEC] = ZSTD  # makes the loop find the pages of all columns
        pages, sums = found_pages(data, chunks)
        if pages is None or not are_sound(data, pages, sums):
            raise _unusual("pages")
        self._of_chunks = form.leaves[chunks[:, LEAF]]
        said = np.empty((len(pages), PAGE_FIELDS), np.int64)
        most = max(self.rows, _ITEMS) if (self._of_chunks[:, 2] > 0).any() else self.rows
        if describe_pages(data, pages, self._codecs, most, said) < len(pages):
            raise _unusual("page headers")
        self._pages, self._said = pages, said
        self._leaves = chunks[pages[:, 0], LEAF]

    def take(
        self, leaves: Sequence[int], types: Sequence[pa.DataType], rows: Numbers | None
    ) -> list[pa.Array]:
        """Return the columns of some leaves, ascending.

        types        their types, as `plain_type` returns them
        rows         numbers of the wanted rows, ascending; None for all
        Unusual      unusual or damaged pages, or too many bytes
        """
        if rows is not None and not len(rows):
            return [pa.nulls(0, of) for of in types]
        are_lists = np.array([pa.types.is_large_list(of) for of in types], np.bool_)
        found: dict[int, pa.Array] = {}
        size = 0
        for some in self._runs(leaves, are_lists):
            columns = self._columns([leaves[each] for each in some], [types[each] for each in some])
            read = self._taken_list if are_lists[some[0]] else self._taken
            arrays, taken = read(columns, rows)
            found.update(zip(some, arrays, strict=True))
            size += taken
            if size > _HELD:
                raise _unusual("sizes of values")
        self.taken += size
        return [found[each] for each in range(len(leaves))]

    def _runs(self, leaves: Sequence[int], are_lists: NDArray[np.bool_]) -> Iterator[list[int]]:
        """Yield the indexes of columns that are decoded in one call: of one list, or of others."""
        yield from ([each] for each in np.flatnonzero(are_lists).tolist())
        flat = np.flatnonzero(~are_lists)
        firsts, lasts = (np.searchsorted(self._leaves, np.array(leaves)[flat], s) for s in _SIDES)
        raw = np.concatenate([[0], np.cumsum(self._pages[:, 7])])
        sizes = np.cumsum(raw[lasts] - raw[firsts])
        begin = 0
        while begin < len(flat):
            before = sizes[begin - 1] if begin else 0
            end = begin + 1 + int(np.searchsorted(sizes[begin + 1 :], before + _AT_A_TIME, "right"))
            yield flat[begin:end].tolist()
            begin = end

    def _columns(self, leaves: Sequence[int], types: Sequence[pa.DataType]) -> _Columns:
        """Return columns with their pages."""
        numbers = np.array(leaves, np.int64)
        firsts, lasts = (np.searchsorted(self._leaves, numbers, side) for side in _SIDES)
        return _Columns(numbers, types, firsts, lasts)

    def _taken_list(self, wanted: _Columns, rows: Numbers | None) -> tuple[list[pa.Array], int]:
        """Return a column of lists, and its number of bytes."""
        data, said = self._decompressed(wanted, None)
        (leaf,), (of,) = self.form.leaves[wanted.leaves], wanted.types
        index = self._scratch.numbers("index", 4, int(said[:, 1].max(initial=0)) + 1)
        pages = ListPages(data, self._data, said, self.rows, index, _HELD)
        form = value_form(of.value_type, int(leaf[0]))
        found = taken_list(pages, form, leaf, of, rows)
        if found is None:
            raise _unusual("lists")
        return [found[0]], found[1]

    def _taken(self, wanted: _Columns, rows: Numbers | None) -> tuple[list[pa.Array], int]:
        """Return columns that are decoded in one call, and their number of bytes."""
        data, said = self._decompressed(wanted, rows)
        count = self.rows if rows is None else len(rows)
        columns = np.zeros((len(wanted.leaves), COLUMN_FIELDS), np.int64)
        leaves = self.form.leaves[wanted.leaves]
        columns[:, 0] = [*map(value_form, wanted.types, leaves[:, 0].tolist())]
        size = place_columns(leaves, wanted.lasts - wanted.firsts, count, columns)
        texts = np.flatnonzero(columns[:, 0] == TEXTS)
        room = int(said[:, 1].max(initial=0))
        starts = self._scratch.numbers("starts", len(texts), count)
        buffer = pa.allocate_buffer(size)
        out = np.frombuffer(buffer, np.uint8)
        taken = take_values(
            data, self._data, said, columns, _NO_ROWS if rows is None else rows, self.rows, out,
            starts, self._scratch.numbers("index", 3, room),
            self._scratch.numbers("texts", 2, room, 2),
        )  # fmt: skip
        total = int(columns[:, 8].sum())
        if taken < len(columns) or total > _HELD:
            raise _unusual("values")
        content = pa.allocate_buffer(total)
        letters = np.frombuffer(content, np.uint8)
        copy_texts(data, columns[texts], starts, out, letters)
        arrays = _arrays(columns, wanted.types, count, buffer, content)
        if letters.max(initial=0) >= _HIGH:
            _check_texts(arrays)
        return arrays, size + total

    def _decompressed(self, wanted: _Columns, rows: Numbers | None) -> tuple[Bytes, Numbers]:
        """Return the bytes of pages that are not read in the file, and all pages of columns.

        rows  numbers of the wanted rows: pages without any are left out; None for all
        """
        which = wanted.pages()
        pages, said = self._pages[which], self._said[which]
        needed = np.ones(len(pages), np.bool_) if rows is None else wanted.needed(said, rows)
        data = self._scratch.bytes("data", int(pages[:, 7].sum()) + SLACK)
        ranges = self._scratch.numbers("ranges", len(pages), RANGE_FIELDS)
        count = place_pages(
            self._data, pages, self._codecs, self._of_chunks, needed, said, data, ranges
        )
        if not are_filled(ranges[:count, 4], self._data, ranges[:count, :4], data):
            raise _unusual("compressed pages")
        return data, said


class _Columns(NamedTuple):
    """Columns that are decoded in one call, and the pages of each."""

    leaves: Numbers
    types: Sequence[pa.DataType]
    firsts: Numbers
    lasts: Numbers

    def pages(self) -> Numbers | slice:
        """Return the numbers of their pages."""
        counts = self.lasts - self.firsts
        ends = np.cumsum(counts)
        if ends[-1] == self.lasts[-1] - self.firsts[0]:
            return slice(self.firsts[0], self.lasts[-1])
        return np.arange(ends[-1]) + np.repeat(self.lasts - ends, counts)

    def needed(self, pages: Numbers, rows: Numbers) -> NDArray[np.bool_]:
        """Return which of their pages have wanted rows, and dictionaries.

        pages  as `describe_pages` fills them in
        rows   numbers of the wanted rows, ascending
        """
        is_dictionary = pages[:, KIND] == DICTIONARY_PAGE
        counts = np.where(is_dictionary, 0, pages[:, VALUES])
        ends = np.cumsum(counts)
        of_column = self.lasts - self.firsts
        firsts = np.cumsum(of_column) - of_column
        ends -= np.repeat((ends - counts)[firsts], of_column)
        first, last = (np.searchsorted(rows, each) for each in (ends - counts, ends))
        return np.asarray(is_dictionary | (last > first), np.bool_)


def _arrays(
    columns: Numbers, types: Sequence[pa.DataType], count: int, buffer: pa.Buffer, content: Any
) -> list[pa.Array]:
    """Return the columns that `take_values` has put into a buffer."""
    found, place, bits = [], 0, (count + 7) // 8
    for of, column in zip(types, columns.tolist(), strict=True):
        form, _, _, _, _, at, valid, nulls, size = column
        wide = OFFSET * (count + 1) if form == TEXTS else (of.bit_width * count + 7) // 8
        held = [buffer.slice(valid, bits) if nulls else None, buffer.slice(at, wide)]
        if form == TEXTS:
            held.append(content.slice(place, size))
            place += size
        found.append(pa.Array.from_buffers(of, count, held, nulls))
    return found


def _check_texts(arrays: Sequence[pa.Array]) -> None:
    """Refuse text that is not UTF-8; its place is found when the file is read by itself."""
    try:
        for each in arrays:
            if pa.types.is_large_string(each.type):
                each.validate(full=True)
    except pa.ArrowInvalid as error:
        raise _unusual("text") from error


def _unusual(what: str) -> Unusual:
    """Return the error for files that the library has to read."""
    return Unusual("parquet", None, f"unusual {what}", "files as most writers leave them")
