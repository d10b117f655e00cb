"""Cells on their way into blocks: laid out plain, held against each other, split and encoded.

- Cells wait in one buffer until it is full; whole blocks then leave it, and the cells of the block
  that is still open move to its front, behind the last one that left.
- Order is checked over the whole key: row, family, qualifier, time and type.  Equal keys may follow
  each other, and stay in one block.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from byteloom.errors import FormatError
from byteloom.hfile.bloom_keys import Keys
from byteloom.hfile.dialect import ENCODINGS
from byteloom.hfile.keys import order_of_meta

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from byteloom.hfile.writing.columns import Columns
    from byteloom.hfile.writing.settings import Settings

__all__ = ["Plain", "PlainCells"]

_ROOM: Final = 1 << 20
"""Bytes of cells that wait: many blocks, and still in the processor's cache."""

_LEAST: Final = 20
"""Bytes of the smallest cell."""

_SHOWN: Final = 60

_CURE: Final = ": `sorted_cells` puts them so, on the command line --sort"


class Plain(NamedTuple):
    """A data block to be: cells *begin* to *end* of those that wait, and its payload.

    is_last  no cell comes behind it
    """

    begin: int
    end: int
    payload: memoryview
    is_last: bool


class PlainCells:
    """Cells that wait.

    left  cells that have left; the others are numbered from 0
    """

    def __init__(self, settings: Settings) -> None:
        """Wait for blocks as *settings* want them."""
        self._settings = settings
        self._held = 0  # whether the first cell is in a block already: 0 or 1
        self.left = 0
        self._told = np.zeros(8, np.int64)
        self._room(max(_ROOM, 2 * settings.block_size))
        self._starts[0] = 0
        self._biggest_key = b""

    def _room(self, size: int) -> None:
        from byteloom.kernels.hfile_write import SLACK

        self._data = np.empty(size + SLACK, np.uint8)
        self._starts = np.empty(size // _LEAST + 2, np.int64)
        self._marks = np.empty(size // _LEAST + 2, np.uint8)
        # What is added behind a cell in an encoded block is less than the smallest cell.
        self._encoded = np.empty(2 * size + 512 if self._settings.is_encoded else 0, np.uint8)

    @property
    def count(self) -> int:
        """Cells that wait."""
        return int(self._told[0])

    @property
    def total(self) -> int:
        """Cells so far."""
        return self.left + self.count

    def lay(self, columns: Columns, first: int) -> int:
        """Take cells of *columns* from *first* on; return the next one, for which there is no room.

        raises  `FormatError` for a cell that HBase would not take or not read back, and for keys
                out of order, both of them named
        """
        from byteloom.kernels.hfile_write import lay

        settings, told, before = self._settings, self._told, self.count
        arrays = [array for keys in columns.binary for array in keys]
        fill: Any = lay  # mypy cannot count what a list spreads
        wrong = fill(
            *arrays, *columns.numbers, first, settings.tags, settings.mvcc, settings.is_delta,
            not settings.is_meta, self._data, self._starts, self._marks, told,
        )  # fmt: skip
        if told[7] >= 0:
            self._biggest_key = self.key(int(told[7]))
        if wrong:
            raise self._refusal(columns, wrong)
        if settings.is_meta:
            self._check_meta_order(max(before, 1))
        return int(told[1])

    def _refusal(self, columns: Columns, code: int) -> FormatError:
        from byteloom.kernels.hfile_write import OUT_OF_ORDER, REFUSED

        name, wanted = REFUSED[code]
        index = int(self._told[1])
        path = f"cells[{self.total}]{'.' if name else ''}{name}"
        if code == OUT_OF_ORDER:
            found = f"{_shown(self._next_key())} behind {_shown(self.key(self.count - 1))}"
            return FormatError(path, None, found, wanted + _CURE)
        row = columns.binary[0].at(index)
        value = columns.told(name, index) if name else "more"
        return FormatError(path, None, f"{value} in row {row[:_SHOWN]!r}", wanted)

    def _next_key(self) -> bytes:
        """Return the key that was laid and not taken."""
        at = int(self._starts[self.count])
        size = int.from_bytes(self._data[at : at + 4].tobytes(), "big")
        return self._data[at + 8 : at + 8 + size].tobytes()

    def _check_meta_order(self, first: int) -> None:
        for index in range(first, self.count):
            before, key = self.key(index - 1), self.key(index)
            if order_of_meta(key) < order_of_meta(before):
                path = f"cells[{self.left + index}]"
                found = f"{_shown(key)} behind {_shown(before)}"
                raise FormatError(path, None, found, "keys in the order of HBase's catalog")

    def key(self, index: int) -> bytes:
        """Return the key of one of the cells that wait, or of the one before them (-1)."""
        at = int(self._starts[index])
        size = int.from_bytes(self._data[at : at + 4].tobytes(), "big")
        return self._data[at + 8 : at + 8 + size].tobytes()

    def blocks(self, *, is_last: bool) -> Iterator[Plain]:
        """Yield the blocks that are whole, in turn; a payload lasts until the next is asked for.

        is_last  no more cells come, so that the last block is whole too
        """
        if self._settings.is_delta:
            yield from self._delta_blocks(is_last=is_last)
            return
        for begin, end in self._bounds(is_last=is_last):
            cells = self._data.data[self._starts[begin] : self._starts[end]]
            payload = self._row_indexed(begin, end, cells) if self._settings.is_encoded else cells
            yield Plain(begin, end, payload, is_last and end == self.count)

    def _bounds(self, *, is_last: bool) -> list[tuple[int, int]]:
        from byteloom.kernels.hfile_write import split

        ends = np.empty(self.count + 1, np.int64)
        per_row = 4 if self._settings.is_encoded else 0
        found = split(
            self._starts, self._marks, self._held, self.count,
            self._settings.block_size, per_row, ends,
        )  # fmt: skip
        bounds = [self._held, *ends[:found].tolist()]
        if is_last and bounds[-1] < self.count:
            bounds.append(self.count)
        return list(pairwise(bounds))

    def _row_indexed(self, begin: int, end: int, cells: memoryview) -> memoryview:
        from byteloom.kernels.hfile_write_encodings import index_rows

        out = self._encoded
        out[0], out[1] = 0, ENCODINGS["ROW_INDEX_V1"]
        behind = 2 + len(cells)
        out[2:behind] = np.frombuffer(cells, np.uint8)
        size = index_rows(self._starts, self._marks, begin, end, out[behind:])
        return out.data[: behind + size]

    def _delta_blocks(self, *, is_last: bool) -> Iterator[Plain]:
        from byteloom.kernels.hfile_write_encodings import encode

        settings, begin = self._settings, self._held
        while begin < self.count:
            end, size = encode(
                self._data, self._starts, self._marks, begin, self.count, is_last,
                ENCODINGS[settings.encoding], settings.tags, settings.packs_tags,
                settings.block_size, self._encoded,
            )  # fmt: skip
            if end < 0:
                return
            yield Plain(begin, end, self._encoded.data[:size], is_last and end == self.count)
            begin = end

    def leave(self, end: int) -> None:
        """Forget the cells before *end*, which are in blocks, but for the last of them."""
        if end <= self._held:  # a block larger than the buffer
            self._grow()
            return
        first = end - 1
        at, stop = int(self._starts[first]), int(self._starts[self.count])
        self._data[: stop - at] = self._data[at:stop].copy()
        left = self.count - first
        self._starts[: left + 1] = self._starts[first : self.count + 1] - at
        self._marks[:left] = self._marks[first : self.count].copy()
        self.left += first
        self._told[0], self._held = left, 1

    def _grow(self) -> None:
        data, starts, marks, count = self._data, self._starts, self._marks, self.count
        self._room(2 * len(data))
        self._data[: starts[count]] = data[: starts[count]]
        self._starts[: count + 1] = starts[: count + 1]
        self._marks[:count] = marks[:count]

    def names(self, begin: int, end: int, *, is_qualifier: bool = False) -> Keys:
        """Return the rows, or the qualifiers, of cells *begin* to *end*."""
        from byteloom.kernels.hfile_write import gather

        count = max(end - begin, 0)
        size = int(self._starts[end] - self._starts[begin]) if count else 0
        keys = Keys(np.empty(size + 8, np.uint8), np.empty(count + 1, np.int64))
        gather(self._data, self._starts, begin, begin + count, is_qualifier, *keys)
        return keys

    def types(self, begin: int, end: int) -> NDArray[np.uint8]:
        """Return the types of cells *begin* to *end*."""
        from byteloom.kernels.hfile_write import types_of

        out = np.empty(max(end - begin, 0), np.uint8)
        types_of(self._data, self._starts, begin, out)
        return out

    def summary(self) -> Summary:
        """Return what the file info says of all cells."""
        told = self._told.tolist()
        return Summary(told[2], told[3], told[4], told[5], told[6], self._biggest_key)


class Summary(NamedTuple):
    """What all cells add up to.

    biggest  bytes of the biggest cell, as HBase counts them
    """

    len_keys: int
    len_values: int
    max_mvcc: int
    max_tags: int
    biggest: int
    biggest_key: bytes


def _shown(key: bytes) -> str:
    """Return a key in words."""
    row = key[2 : 2 + int.from_bytes(key[:2], "big")]
    family = 3 + len(row)
    end = family + key[family - 1]
    time = int.from_bytes(key[-9:-1], "big", signed=True)
    name = f"{key[family:end][:_SHOWN]!r}:{key[end:-9][:_SHOWN]!r}"
    return f"row {row[:_SHOWN]!r}, column {name}, time {time}, type {key[-1]}"
