"""Cells on their way into blocks: laid out plain, checked for order, split and encoded.

- Cells wait in one buffer until it is full; whole blocks then leave it, and the cells of the block
  that is still open move to the front of the next buffer, after the last one that left.
- Buffers take turns, so that blocks are written from one while the next cells are laid out in
  another: there is one for each batch that may be in flight, and one more.
- Order is checked over the whole key: row, family, qualifier, timestamp and type.  Equal keys may
  follow each other, by descending sequence number, and stay in one block.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from byteloom.columns.loops import REFUSED
from byteloom.columns.puts import SLACK
from byteloom.errors import ArgumentError, FormatError, beginning
from byteloom.hfile.dialect import ENCODINGS
from byteloom.hfile.keys import LATEST, Key, order_of_meta
from byteloom.hfile.writing.blocks import BlockSizes
from byteloom.hfile.writing.cell_columns import Columns, Summary, check_cells
from byteloom.hfile.writing.settings import Settings
from byteloom.kernels.hfile_cells import KEY_LEAST, SAME_KEY, split
from byteloom.kernels.hfile_write_encodings import encode, index_rows
from byteloom_generated.hfile.cell import Cell, KeyType
from byteloom_generated.hfile.cell_scan import PUT_CELLS

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["LEAST_CELL", "Plain", "PlainCells"]

_ROOM: Final = 1 << 20
"""Most bytes of waiting cells: enough for many blocks, and few enough for the CPU's cache."""

LEAST_CELL: Final = Cell.MIN_SIZE + KEY_LEAST
"""Bytes of the smallest cell."""

_DELTA: Final = 6
"""Bytes of a delta-coded block before its cells: the encoding, and their size when plain."""

_ROW_INDEX: Final = 10
"""Bytes of a ROW_INDEX_V1 block that are neither cells nor offsets of rows."""

_TYPES: Final = frozenset(map(int, KeyType))
_SHOWN: Final = 60

_CURE: Final = "; --sort sorts them, in Python `hfile.sorted_cells(table)`"


class Plain(NamedTuple):
    """A data block to write: the waiting cells from *begin* to *end*, and its payload.

    Attributes:
        is_last: No cell comes after it.
        encoded: Bytes of the payload that are cells or, in ROW_INDEX_V1, offsets of rows.
        lasts: Whether the payload stays valid until its batch is written, and not only until
            the next block is requested.
    """

    begin: int
    end: int
    payload: memoryview
    is_last: bool
    encoded: int
    lasts: bool = False


class PlainCells:
    """Cells that wait to be put into blocks.

    Attributes:
        left: Cells that have left; the others are numbered from 0.
        summary: Sums over all cells so far.
    """

    def __init__(self, settings: Settings, sizes: BlockSizes) -> None:
        """Begin without cells; *settings* and *sizes* say how they are split into blocks."""
        self._settings, self._sizes = settings, sizes
        self._form = {
            "has_columns": 1, "has_tags": settings.tags, "has_mvcc": settings.mvcc,
            "is_mvcc_wide": 1,
        }  # fmt: skip
        self._held = 0  # whether the first cell is in a block already: 0 or 1
        self.left = 0
        self._state = PUT_CELLS.state()
        self._room(max(_ROOM, 2 * settings.block_size))
        self._starts[0] = 0
        self.summary = Summary()
        self._given: deque[tuple[int, Columns]] = deque()
        self._family: bytes | None = None
        self._mvcc = 0  # of the last cell so far

    def _room(self, size: int) -> None:
        self._data = np.empty(size + SLACK, np.uint8)
        self._free = deque(np.empty(size + SLACK, np.uint8) for _ in range(self._settings.batches))
        self._starts = np.empty(size // LEAST_CELL + 2, np.int64)
        self._shared = np.empty(size // LEAST_CELL + 2, np.uint8)
        # What is added after a cell in an encoded block is less than the smallest cell.
        self._encoded = np.empty(2 * size + 512 if self._settings.is_encoded else 0, np.uint8)

    @property
    def count(self) -> int:
        """The number of waiting cells."""
        return int(self._state[0])

    @property
    def total(self) -> int:
        """The number of cells so far."""
        return self.left + self.count

    def take(self, columns: Columns) -> Iterator[None]:
        """Lay out all cells of *columns*; yield wherever there is no room for the next one.

        Raises:
            FormatError: HBase would not accept a cell or read it back, or its key is out of
                order; it names the cell.
        """
        check_cells(columns, self._settings, self._family, self.total)
        if self._settings.is_delta and len(columns):
            self._family = columns.binary[1].at(0)
        arrays, form, at = (
            [*columns.arrays()],
            [int(self._form[name]) for name in PUT_CELLS.parameters],
            0,
        )
        fill: Any = PUT_CELLS.fill  # mypy cannot count what a list spreads
        while at < len(columns):
            before, first = self.count, at
            code, at, count = fill(
                self._data, self._starts, self._shared, self._state, first, len(columns),
                *form, *arrays,
            )  # fmt: skip
            if code == REFUSED:
                raise self._refusal(columns, at, self.left + count)
            if self._settings.is_meta:
                self._check_meta_order(max(before, 1))
            elif self._state[1] >= 0:
                raise self._disorder(int(self._state[1]), "keys in ascending order" + _CURE)
            if at > first:
                self._check_mvcc(columns.numbers[2][first:at], before)
                self._note(columns.part(first, at), before)
            if at < len(columns):
                yield

    def _note(self, columns: Columns, first: int) -> None:
        """Add the cells from *first* on to the summary."""
        self._given.append((self.left + first, columns))
        index = self.summary.add(columns)
        if index is not None:
            self.summary.biggest_key = self.key(first + index)

    def _refusal(self, columns: Columns, index: int, number: int) -> FormatError:
        """Return the error about a cell that breaks a rule of the layout."""
        error = PUT_CELLS.refusal(columns.values(index), number, self._form)
        row = beginning(columns.binary[0].at(index), _SHOWN)
        error.found = f"{error.found} in row {row}"
        return error

    def _disorder(self, index: int, wanted: str) -> FormatError:
        found = f"{_shown(self.key(index))} after {_shown(self.key(index - 1))}"
        return ArgumentError(f"cells[{self.left + index}]", None, found, wanted)

    def _check_meta_order(self, first: int) -> None:
        self._state[1] = -1
        for index in range(first, self.count):
            if order_of_meta(self.key(index)) < order_of_meta(self.key(index - 1)):
                raise self._disorder(index, "keys in the order of HBase's catalog")

    def _check_mvcc(self, mvcc: NDArray[np.int64], first: int) -> None:
        """Refuse a cell that is newer than the previous one of the same key."""
        before = np.append(self._mvcc, mvcc[:-1])
        self._mvcc = int(mvcc[-1])
        wrong = np.flatnonzero((mvcc > before) & (self._shared[first : self.count] == SAME_KEY))
        if wrong.size:
            index = int(wrong[0])
            path = f"cells[{self.left + first + index}].mvcc"
            found = f"{mvcc[index]} after {before[index]} in {_shown(self.key(first + index))}"
            wanted = "cells of one key by descending sequence number" + _CURE
            raise ArgumentError(path, None, found, wanted)

    def given(self, begin: int, end: int) -> Iterator[Columns]:
        """Yield cells *begin* to *end* of the file as they were given; some of them still wait."""
        for first, columns in self._given:
            inside = range(max(begin - first, 0), min(end - first, len(columns)))
            if inside:
                yield columns.part(inside.start, inside.stop)

    def _forget(self, end: int) -> None:
        """Drop what was given before cell *end* of the file."""
        while self._given and self._given[0][0] + len(self._given[0][1]) <= end:
            self._given.popleft()

    def key(self, index: int) -> bytes:
        """Return the key of a waiting cell; -1 is the cell before the first of them."""
        at, cells = int(self._starts[index]), self._data.data
        size = int.from_bytes(cells[at : at + 4], "big")
        begin = at + Cell.MIN_SIZE
        return cells[begin : begin + size].tobytes()

    def blocks(self, *, is_last: bool) -> Iterator[Plain]:
        """Yield the complete blocks in order; their sizes may change from one to the next.

        Args:
            is_last: No more cells come, so the last block is complete too.
        """
        if self._settings.is_delta:
            yield from self._delta_blocks(is_last=is_last)
            return
        is_indexed = self._settings.is_encoded
        for begin, end in self._bounds(is_last=is_last):
            cells = self._data.data[self._starts[begin] : self._starts[end]]
            payload = self._row_indexed(begin, end, cells) if is_indexed else cells
            encoded = len(payload) - (_ROW_INDEX if is_indexed else 0)
            is_end = is_last and end == self.count
            yield Plain(begin, end, payload, is_end, encoded, not is_indexed)

    def _bounds(self, *, is_last: bool) -> Iterator[tuple[int, int]]:
        ends = np.empty(1 if self._sizes.is_adaptive else self.count + 1, np.int64)
        per_row = 4 if self._settings.is_encoded else 0
        begin, found = self._held, 1
        while found and begin < self.count:
            found = split(
                self._starts, self._shared, begin, self.count, self._sizes.limits, per_row, ends
            )
            bounds = [begin, *ends[:found].tolist()]
            yield from pairwise(bounds)
            begin = bounds[-1]
        if is_last and begin < self.count:
            yield begin, self.count

    def _row_indexed(self, begin: int, end: int, cells: memoryview) -> memoryview:
        out = self._encoded
        out[0], out[1] = 0, ENCODINGS["ROW_INDEX_V1"]
        behind = 2 + len(cells)
        out[2:behind] = np.frombuffer(cells, np.uint8)
        size = index_rows(self._starts, self._shared, begin, end, out[behind:])
        return out.data[: behind + size]

    def _delta_blocks(self, *, is_last: bool) -> Iterator[Plain]:
        settings, begin = self._settings, self._held
        while begin < self.count:
            end, size = encode(
                self._data, self._starts, self._shared, begin, self.count, is_last,
                ENCODINGS[settings.encoding], settings.tags, settings.packs_tags,
                self._sizes.limits, self._encoded,
            )  # fmt: skip
            if end < 0:
                return
            payload, is_end = self._encoded.data[:size], is_last and end == self.count
            yield Plain(begin, end, payload, is_end, size - _DELTA)
            begin = end

    def leave(self, end: int) -> None:
        """Drop the waiting cells before *end*, which are in blocks, but keep the last of them."""
        if end <= self._held:  # a block larger than the buffer
            self._grow()
            return
        first = end - 1
        at, stop = int(self._starts[first]), int(self._starts[self.count])
        before = self._data
        self._free.append(before)
        self._data = self._free.popleft()
        self._data[: stop - at] = before[at:stop]
        left = self.count - first
        self._starts[: left + 1] = self._starts[first : self.count + 1] - at
        self._shared[:left] = self._shared[first : self.count]
        self.left += first
        self._state[0], self._held = left, 1
        self._forget(self.left)

    def _grow(self) -> None:
        data, starts, marks, count = self._data, self._starts, self._shared, self.count
        self._room(2 * len(data))
        self._data[: starts[count]] = data[: starts[count]]
        self._starts[: count + 1] = starts[: count + 1]
        self._shared[:count] = marks[:count]


def _shown(key: bytes) -> str:
    """Return a key as errors show it."""
    row, family, qualifier, time, kind = Key.decode(key)
    name = f"{beginning(family, _SHOWN)}:{beginning(qualifier, _SHOWN)}"
    when = "no time given" if time == LATEST else f"time {time}"
    known = KeyType(kind).name.title().replace("_", "") if kind in _TYPES else f"type {kind}"
    return f"row {beginning(row, _SHOWN)}, column {name}, {when}, {known}"
