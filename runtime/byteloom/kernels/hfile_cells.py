"""Parts of an HFile's cells: the integers of their keys, their tags, and where data blocks end.

- Keys: the caller ensures that every byte that is read exists.
- Tags of encoded blocks are decoded from their dictionary form to plain ones.  Each block has a
  dictionary of the 127 tags used most recently: 0xff is followed by a new tag, any other byte is
  the first byte of the number of a tag in the dictionary.
- A data block ends before a cell with a new key, once it has reached its size.

Source: https://hbase.apache.org/book.html#_hfile_format_2
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.native.integers import uleb128_at
from byteloom.native.kernel import kernel
from byteloom.native.loads import be16, be32, byte, copy, put_be16
from byteloom_generated.hfile.cell import Columns, Key, KeyType
from byteloom_generated.hfile.cell_scan import PUT_CELLS

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "FAMILY_MOST",
    "KEPT",
    "KEY_LEAST",
    "KINDS",
    "MAXIMUM",
    "ROW_MOST",
    "SAME_KEY",
    "SAME_ROW",
    "TIME_AND_TYPE",
    "expand",
    "length_at",
    "s32",
    "split",
    "u16",
]

ROW_MOST: Final = Key.MOST["len_row"]
FAMILY_MOST: Final = Columns.MOST["len_family"]
KEY_LEAST: Final = Key.MIN_SIZE + Columns.MIN_SIZE
"""The size of a key without row, family and qualifier."""

TIME_AND_TYPE: Final = Columns.MIN_SIZE - 1
"""The size of the end of a key: timestamp and type."""

KINDS: Final = tuple(int(each) for each in KeyType)
"""The valid types of keys."""
MAXIMUM: Final = int(KeyType.MAXIMUM)


@kernel
def u16(data: np.ndarray, at: int) -> int:
    """Return two bytes, the highest first."""
    return be16(data.ctypes.data, at)


@kernel
def s32(data: np.ndarray, at: int) -> int:
    """Return four bytes as a signed integer, the highest first."""
    return be32(data.ctypes.data, at)


KEPT = 127
"""The tags that a dictionary has room for."""

_BAD = -1
_LITERAL = 255


@kernel
def length_at(base: int, at: int, end: int) -> tuple[int, int]:
    """Return a length below 2^31, and the offset after it, which is -1 if it is invalid."""
    size, at = uleb128_at(base, at, end)
    return (size, at) if 0 <= size < 1 << 31 else (0, _BAD)


@kernel
def _touch(links: np.ndarray, state: np.ndarray, slot: int) -> None:
    """Make *slot* the most recently used; links are [towards the oldest, towards the newest]."""
    if state[1] == slot:
        return
    older, newer = links[slot, 0], links[slot, 1]
    if newer >= 0:
        links[newer, 0] = older
    if older >= 0:
        links[older, 1] = newer
    if state[2] == slot:
        state[2] = newer
    links[slot, 0], links[slot, 1] = state[1], -1
    if state[1] >= 0:
        links[state[1], 1] = slot
    state[1] = slot
    if state[2] < 0:
        state[2] = slot


@kernel
def _keep(links: np.ndarray, state: np.ndarray) -> int:
    """Return the slot for a new tag: a free one, or that of the least recently used tag."""
    if state[0] < KEPT:
        slot = state[0]
        state[0] += 1
        links[slot, 0], links[slot, 1] = -1, -1
    else:
        slot = state[2]
    _touch(links, state, slot)
    return slot


@kernel
def expand(
    base: int,
    at: int,
    end: int,
    out: int,
    to: int,
    size: int,
    places: np.ndarray,
    links: np.ndarray,
    state: np.ndarray,
) -> int:
    """Decode *size* bytes of tags from their dictionary form; return the offset after it, or -1.

    places  the offset in *out* and the length of each tag in the dictionary
    links   for each slot, the slots used before and after it
    state   the number of used slots, the newest, the oldest
    """
    stop = to + size
    while to < stop:
        if at >= end:
            return _BAD
        status = byte(base, at)
        at += 1
        if status == _LITERAL:
            length, at = length_at(base, at, end)
            if at < 0 or length > end - at or to + 2 + length > stop:
                return _BAD
            copy(base + at, out + to + 2, length, 0)
            at += length
            slot = _keep(links, state)
            places[slot, 0], places[slot, 1] = to + 2, length
        else:
            if at >= end:
                return _BAD
            slot = (status << 8) | byte(base, at)
            at += 1
            if slot >= state[0]:
                return _BAD
            length = int(places[slot, 1])
            if to + 2 + length > stop:
                return _BAD
            copy(out + int(places[slot, 0]), out + to + 2, length, 0)
            _touch(links, state, slot)
        put_be16(out, to, length)
        to += 2 + length
    return at


SAME_ROW: Final = 1
"""The number of parts of the sort key that a cell shares with the previous one: only the row."""

SAME_KEY: Final = PUT_CELLS.ranks
"""The same: all parts."""


@kernel
def split(
    starts: np.ndarray, shared: np.ndarray, first: int, count: int, limits: np.ndarray,
    per_row: int, ends: np.ndarray,
) -> int:  # fmt: skip
    """Put the index of the cell after each whole block into *ends*; return the number of blocks.

    The search stops when *ends* is full.

    shared   for each cell, the number of key parts that it shares with the previous cell
    first    the first cell that is not in a block yet
    limits   as in `byteloom.hfile.writing.blocks`
    per_row  bytes that each row adds to its block
    """
    found = 0
    begin = starts[first]
    rows = 0
    for i in range(first, count):
        plain = starts[i] - begin
        size = plain + per_row * rows
        is_full = (plain >= limits[0] or size >= limits[1]) and size >= limits[2]
        if is_full and i > first and shared[i] < SAME_KEY:
            ends[found] = i
            found += 1
            if found == len(ends):
                return found
            begin, first, rows = starts[i], i, 0
        if i == first or shared[i] < SAME_ROW:
            rows += 1
    return found
