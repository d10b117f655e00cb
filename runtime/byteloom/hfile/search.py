"""Look up many rows or keys in one call: one pass over the blocks they hit, no object per key.

- Keys may be in any order. Those that lead to the same entry of an index block go down together,
  so that each block is read once, in the order of the file.
- A key whose cells reach the end of a block goes on to the next block; so does one that is after
  all cells of its block, since only the next block can show that it is absent.
- Cells are copied as they are stored; the caller sorts them and walks them once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import ArgumentError, beginning, found_by
from byteloom.hfile.bloom_keys import keys_of
from byteloom.hfile.decoded_blocks import DataBlock, IndexBlock
from byteloom.hfile.index_tree import IndexTree, check_ascent
from byteloom.hfile.keys import Key
from byteloom.kernels.hfile_order import descent, pack_rows, visit

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["Search", "SearchKeys", "rows_array", "serialized_keys", "serialized_rows"]

_ROW_KEPT: Final = 0x8000
_NONE: Final = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class SearchKeys:
    """Serialized keys to look up.

    Attributes:
        places: Where each begins in *data*, and where the last one ends.
        order: What is compared, a number of `kernels.hfile_order`.
    """

    data: NDArray[np.uint8]
    places: NDArray[np.int64]
    order: int


@dataclass(slots=True)
class _Frame:
    """An index block of the current path, and the keys that are looked up in the blocks below it.

    Attributes:
        numbers: The entries that keys lead to, ascending.
        keys: Numbers of the keys, grouped by entry.
        starts: Where the group of each of *numbers* begins in *keys*, and where the last ends.
        stop: The key of the entry after this block; None at the end of the file.
        is_first: The entry before it was searched, or does not exist.
        at: The next entry to visit.
        taken: How many of *numbers* are done.
        known: Bytes of blocks that were fetched ahead, by entry.
    """

    index_block: IndexBlock
    numbers: list[int]
    keys: NDArray[np.int64]
    starts: list[int]
    stop: bytes | None
    is_first: bool
    at: int = 0
    taken: int = 0
    known: dict[int, bytes] = field(default_factory=dict)

    def key_after(self, number: int) -> bytes | None:
        """Return the key of the entry after *number*."""
        return self.index_block.key(number + 1) if number + 1 < len(self.index_block) else self.stop

    def take(self, carried: NDArray[np.int64]) -> tuple[int, NDArray[np.int64]]:
        """Return the next entry to visit and the keys to look up below it; -1 if none is left.

        Args:
            carried: Keys that were not settled at the previous entry and so are looked up at
                the next one.
        """
        if self.taken < len(self.numbers):
            number = self.numbers[self.taken]
            first, end = self.starts[self.taken : self.taken + 2]
            if not carried.size or number == self.at:
                self.taken += 1
                self.at = number + 1
                keys = self.keys[first:end]
                return number, np.concatenate([carried, keys]) if carried.size else keys
        if not carried.size or self.at == len(self.index_block):
            return -1, carried
        self.at += 1
        return self.at - 1, carried


def rows_array(rows: Iterable[bytes] | pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return the rows to look up as an Arrow array; text is encoded as UTF-8.

    Raises:
        FormatError: For nulls, and for values that are neither bytes nor text.
    """
    wanted = "bytes or text, none of them null"
    try:
        if isinstance(rows, pa.ChunkedArray):
            rows = rows.combine_chunks()
        if not isinstance(rows, pa.Array):
            if isinstance(rows, bytes | str):
                raise ArgumentError("rows", None, beginning(rows), "a list of rows")
            rows = pa.array(list(rows), pa.large_binary())
        if rows.null_count:
            raise ArgumentError("rows", None, "null", wanted)
        return rows.cast(pa.large_binary())
    except (pa.ArrowException, TypeError) as error:
        raise ArgumentError(
            "rows", None, found_by("values of other types", error), wanted
        ) from error


def serialized_rows(rows: pa.Array, order: int) -> SearchKeys:
    """Return rows serialized as keys are: each after its length.

    Over-long rows are truncated without changing their order.
    """
    raw, bounds = keys_of(rows)
    out = np.empty(int(bounds[-1] - bounds[0]) + 2 * len(rows), np.uint8)
    places = np.empty(len(rows) + 1, np.int64)
    pack_rows(raw, bounds, _ROW_KEPT, out, places)
    out.flags.writeable = False
    return SearchKeys(out, places, order)


def serialized_keys(keys: Sequence[Key], order: int) -> SearchKeys:
    """Return *keys* serialized, for a search that compares them by *order*."""
    stored = [key.encode() for key in keys]
    places = np.cumsum([0, *map(len, stored)], dtype=np.int64)
    return SearchKeys(np.frombuffer(b"".join(stored), np.uint8), places, order)


class Search:
    """A search for many keys in one pass over the file.

    Attributes:
        runs: For the cells found: number of the key, number of cells, bytes.
        data: The bytes of all runs, one after another.
        data_block: The last block in which something was found; None for nothing.
    """

    def __init__(self, tree: IndexTree, asked: SearchKeys) -> None:
        """Look for *asked* in the file of *tree*."""
        self._tree, self._asked = tree, asked
        self._runs = np.empty((len(asked.places) + 16, 3), np.int64)
        self._data = np.empty(len(asked.data) * 4 + 4096, np.uint8)
        self._onward = np.empty(len(asked.places), np.int64)
        self._totals = np.zeros(4, np.int64)
        self._last = -1
        self.data_block: DataBlock | None = None

    @property
    def runs(self) -> NDArray[np.int64]:
        """Number of the key, number of cells, and bytes of each run."""
        return self._runs[: self._totals[0]]

    @property
    def data(self) -> NDArray[np.uint8]:
        """The bytes of all runs."""
        return self._data[: self._totals[1]]

    def run(self) -> None:
        """Visit the blocks."""
        count = len(self._asked.places) - 1
        if not len(self._tree.root) or not count:
            return
        carried = _NONE
        stack = [self._frame(self._tree.root, np.arange(count), None, is_first=True)]
        while stack:
            frame = stack[-1]
            number, keys = frame.take(carried)
            if number < 0:
                stack.pop()
                continue
            is_first = bool(carried.size) or (frame.is_first and number == 0)
            carried = _NONE
            if frame.index_block.level > 1:
                stop = frame.key_after(number)
                below = self._tree.index_block(frame.index_block, number, stop)
                stack.append(self._frame(below, keys, stop, is_first=is_first))
            else:
                carried = self._visit(self._page(frame, number), keys, is_first=is_first)

    def _frame(
        self,
        index_block: IndexBlock,
        keys: NDArray[np.int64],
        stop: bytes | None,
        *,
        is_first: bool,
    ) -> _Frame:
        """Assign *keys* to the entries that they lead to."""
        to = np.empty(len(keys), np.int64)
        asked = self._asked
        descent(
            index_block.data,
            index_block.starts,
            index_block.ends,
            asked.data,
            asked.places,
            keys,
            asked.order,
            to,
        )
        sorting = np.argsort(to, kind="stable")
        numbers, starts = np.unique(to[sorting], return_index=True)
        ends = [*starts.tolist(), len(keys)]
        return _Frame(index_block, numbers.tolist(), keys[sorting], ends, stop, is_first)

    def _page(self, frame: _Frame, number: int) -> DataBlock:
        offset = int(frame.index_block.places[number, 0])
        check_ascent(self._last, offset)
        self._last = offset
        data_block = self._tree.kept(frame.index_block, number)
        if data_block is None:
            if number not in frame.known:
                frame.known = self._tree.ahead(
                    frame.index_block, [number, *islice(frame.numbers, frame.taken, None)]
                )
            known = frame.known.pop(number, None)
            data_block = self._tree.data_block(
                frame.index_block, number, frame.key_after(number), known
            )
        return data_block

    def _visit(
        self, data_block: DataBlock, keys: NDArray[np.int64], *, is_first: bool
    ) -> NDArray[np.int64]:
        """Search a data block; return the keys to look up in the next block as well."""
        asked, totals = self._asked, self._totals
        before = int(totals[0])
        more = 1
        while more:
            if before + len(keys) > len(self._runs):
                self._runs = _longer(self._runs, before + len(keys))
            more = visit(
                data_block.data, data_block.starts, asked.data, asked.places, keys, asked.order,
                self._data, self._runs, self._onward, totals,
            )  # fmt: skip
            if more:
                self._data = _longer(self._data, len(self._data) + more)
        if totals[0] > before:
            self.data_block = data_block
        if totals[3] >= 0 and not is_first:
            self._check_before(int(totals[3]))
        return self._onward[: totals[2]].copy() if totals[2] else _NONE

    def _check_before(self, number: int) -> None:
        """Read the block before the one that a key leads to, which checks the index against it.

        If the index is right, a key that is not after the first cell of its block is in no other
        block.
        """
        asked = self._asked
        key = asked.data[asked.places[number] : asked.places[number + 1]].tobytes()
        path = self._tree.find(key)
        before = path.stepped(-1) if path is not None else None
        if before is not None:
            before.data_block()


def _longer(array: NDArray[Any], wanted: int) -> NDArray[Any]:
    """Return *array*, enlarged to one and a half times *wanted* elements."""
    out = np.empty((wanted + wanted // 2, *array.shape[1:]), array.dtype)
    out[: len(array)] = array
    return out
