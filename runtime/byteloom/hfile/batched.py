"""Many rows or keys in one call: one pass over the blocks that they hit, no object per key.

- Keys need no order.  Those that lead to the same entry of an index block go down together, so that
  each block is read once, in the order of the file.
- A key whose cells reach the end of a block goes on to the next block; so does one that is behind
  all cells of its block, for which the next block proves that it is nowhere.
- Cells are copied as they are stored; who asks puts them into order and walks them once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from byteloom.hfile.keys import Key
    from byteloom.hfile.nodes import Node, Page
    from byteloom.hfile.tree import Tree

__all__ = ["Asked", "Search", "asked_keys", "asked_rows", "rows_array"]

_ROW_KEPT: Final = 0x8000
_NONE: Final = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class Asked:
    """Serialized keys.

    places  where each begins in *data*, and where the last one ends
    order   what is compared, a number of `kernels.hfile_order`
    """

    data: NDArray[np.uint8]
    places: NDArray[np.int64]
    order: int


@dataclass(slots=True)
class _Frame:
    """An index block on the way down, and the keys that go down it.

    at       the next entry
    numbers  entries that keys lead to, ascending
    keys     which keys lead to each
    stop     the key of the entry behind this block; None at the end of the file
    """

    node: Node
    numbers: list[int]
    keys: list[NDArray[np.int64]]
    stop: bytes | None
    is_first: bool
    at: int = 0
    taken: int = 0
    known: dict[int, bytes] = field(default_factory=dict)

    def key_behind(self, number: int) -> bytes | None:
        """Return the key of the entry behind *number*."""
        return self.node.key(number + 1) if number + 1 < len(self.node) else self.stop


def rows_array(rows: Iterable[bytes] | pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return rows that are asked for as Arrow's; text is taken as UTF-8.

    raises  `ValueError` for nulls, pyarrow's errors for what is neither bytes nor text
    """
    if isinstance(rows, pa.ChunkedArray):
        rows = rows.combine_chunks()
    if not isinstance(rows, pa.Array):
        rows = pa.array(list(rows), pa.large_binary())
    if rows.null_count:
        msg = "a row to look up is null"
        raise ValueError(msg)
    return rows.cast(pa.large_binary())


def asked_rows(rows: pa.Array, order: int) -> Asked:
    """Return rows behind their lengths; of those that are too long, what has the same place."""
    from byteloom.kernels.hfile_order import pack_rows

    _, ends, data = rows.buffers()
    bounds = np.frombuffer(ends, np.int64, len(rows) + 1, 8 * rows.offset)
    raw = np.frombuffer(data or b"", np.uint8)
    out = np.empty(int(bounds[-1] - bounds[0]) + 2 * len(rows), np.uint8)
    places = np.empty(len(rows) + 1, np.int64)
    pack_rows(raw, bounds, _ROW_KEPT, out, places)
    out.flags.writeable = False
    return Asked(out, places, order)


def asked_keys(keys: Sequence[Key], order: int) -> Asked:
    """Return keys as they are stored."""
    stored = [key.encode() for key in keys]
    places = np.cumsum([0, *map(len, stored)], dtype=np.int64)
    return Asked(np.frombuffer(b"".join(stored), np.uint8), places, order)


class Search:
    """One pass.

    runs    of cells found: number of the key, cells, bytes
    copies  the bytes of all runs, one behind the other
    page    the last block in which something was found
    """

    def __init__(self, tree: Tree, asked: Asked) -> None:
        """Look for *asked* in the file of *tree*."""
        self._tree, self._asked = tree, asked
        self.runs: list[NDArray[np.int64]] = []
        self.copies: list[NDArray[np.uint8]] = []
        self.page: Page | None = None

    def run(self) -> None:
        """Visit the blocks."""
        count = len(self._asked.places) - 1
        if not len(self._tree.root) or not count:
            return
        carried = _NONE
        stack = [self._frame(self._tree.root, np.arange(count), None, is_first=True)]
        while stack:
            frame = stack[-1]
            number, keys = self._next(frame, carried)
            if number < 0:
                stack.pop()
                continue
            carried, first = _NONE, frame.is_first and number == 0
            stop = frame.key_behind(number)
            if frame.node.level > 1:
                below = self._tree.node(frame.node, number, stop)
                stack.append(self._frame(below, keys, stop, is_first=first))
            else:
                carried = self._visit(frame, number, keys, stop, is_first=first)

    def _frame(
        self, node: Node, keys: NDArray[np.int64], stop: bytes | None, *, is_first: bool
    ) -> _Frame:
        """Deal *keys* to the entries that they lead to."""
        from byteloom.kernels.hfile_order import descent

        to = np.empty(len(keys), np.int64)
        asked = self._asked
        descent(node.data, node.starts, node.ends, asked.data, asked.places, keys, asked.order, to)
        sorting = np.argsort(to, kind="stable")
        numbers, starts = np.unique(to[sorting], return_index=True)
        dealt = np.split(keys[sorting], starts[1:])
        return _Frame(node, numbers.tolist(), dealt, stop, is_first)

    @staticmethod
    def _next(frame: _Frame, carried: NDArray[np.int64]) -> tuple[int, NDArray[np.int64]]:
        """Return the next entry to visit and the keys for it; -1 where this block is done."""
        if carried.size and frame.at == len(frame.node):
            frame.taken = len(frame.numbers)
            return -1, carried
        there = frame.taken < len(frame.numbers)
        if carried.size:
            number, keys = frame.at, carried
            if there and frame.numbers[frame.taken] == number:
                keys = np.concatenate([carried, frame.keys[frame.taken]])
                frame.taken += 1
        elif there:
            number, keys = frame.numbers[frame.taken], frame.keys[frame.taken]
            frame.taken += 1
        else:
            return -1, carried
        frame.at = number + 1
        return number, keys

    def _visit(
        self,
        frame: _Frame,
        number: int,
        keys: NDArray[np.int64],
        stop: bytes | None,
        *,
        is_first: bool,
    ) -> NDArray[np.int64]:
        """Search a data block; return the keys that go on to the next one."""
        from byteloom.kernels.hfile_order import bounds, spans

        if number not in frame.known:
            frame.known = self._tree.ahead(frame.node, frame.numbers[max(frame.taken - 1, 0) :])
        page = self._tree.page(frame.node, number, stop, frame.known.pop(number, None))
        asked = self._asked
        found = np.empty((len(keys), 2), np.int64)
        size = bounds(page.data, page.starts, asked.data, asked.places, keys, asked.order, found)
        if size:
            out = np.empty(size, np.uint8)
            runs = np.empty((len(keys), 3), np.int64)
            count = spans(page.data, page.starts, keys, found, out, runs)
            self.copies.append(out)
            self.runs.append(runs[:count])
            self.page = page
        if not is_first and not found[:, 1].all():
            self._check_before(keys[found[:, 1] == 0][0])
        onward: NDArray[np.int64] = keys[found[:, 1] == len(page)]
        return onward

    def _check_before(self, number: int) -> None:
        """Read the block before the one that a key leads to, which holds the index against it.

        What lies before the first cell of its block is nowhere, if the index tells the truth.
        """
        asked = self._asked
        key = asked.data[asked.places[number] : asked.places[number + 1]].tobytes()
        path = self._tree.find(key)
        before = path.stepped(-1) if path is not None else None
        if before is not None:
            before.page()
