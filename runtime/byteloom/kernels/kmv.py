"""Keep the smallest hashes of a column, the inner loop of a Theta sketch.

- A table holds the distinct hashes below theta, at most 2k of them; 0 marks a free slot.
- When it is full, the k smallest are kept and the next one becomes theta (quick-select). From then
  on almost every value is dropped by one comparison, so that hashing is the main cost.
- Values are hashed in blocks; a block without a hash below theta needs no further work.
- Nulls are checked last, only for the few values that would be kept: their slots contain arbitrary
  bytes.
- State is an array of two: theta, and the number of hashes in the table. All integers are unsigned
  words: numba turns a mix of signed and unsigned integers into floats.
"""

from __future__ import annotations

import numpy as np

from byteloom.kernels.murmur3 import hash_bytes, hash_word
from byteloom.native.kernel import kernel

__all__ = ["keep_ascending", "keep_bytes", "keep_decimals", "keep_fixed", "keep_words"]

_BLOCK = 64
_ONE, _TWO = np.uint64(1), np.uint64(2)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel
def _insert(hashed: np.uint64, table: np.ndarray, state: np.ndarray) -> None:
    mask = np.uint64(len(table) - 1)
    slot = hashed & mask
    while table[slot] != 0:
        if table[slot] == hashed:
            return
        slot = (slot + _ONE) & mask
    table[slot] = hashed
    state[1] += _ONE
    if state[1] * _TWO >= np.uint64(len(table)):
        _rebuild(table, state)


@kernel
def _rebuild(table: np.ndarray, state: np.ndarray) -> None:
    """Keep the smallest quarter of the table."""
    k = len(table) // 4
    kept = table[table != 0]
    next_one = _at_rank(kept, k)
    table[:] = 0
    state[0] = min(state[0], next_one)  # a merged sketch may have brought a smaller theta
    state[1] = k
    mask = np.uint64(len(table) - 1)
    for hashed in kept:
        if hashed >= next_one:
            continue
        slot = hashed & mask
        while table[slot] != 0:
            slot = (slot + _ONE) & mask
        table[slot] = hashed


@kernel
def _at_rank(hashes: np.ndarray, rank: int) -> np.uint64:
    """Return the hash at *rank*, counted from 0; numba's sorting needs its own lists."""
    low, high = _ONE, _ALL
    while low < high:
        middle = low + (high - low) // _TWO
        if np.sum(hashes <= middle) > rank:
            high = middle
        else:
            low = middle + _ONE
    return low


@kernel
def _keep_block(
    block: np.ndarray,
    size: int,
    row: int,
    validity: np.ndarray,
    table: np.ndarray,
    state: np.ndarray,
) -> None:
    """Insert the hashes of a block of rows, from *row* on, that are below theta and not null."""
    mask = np.uint64(len(table) - 1)
    below = state[0] - _ONE
    for i in range(size):
        hashed = block[i]
        # In a column with few distinct values nearly all are found here, in their first slot.
        if hashed - _ONE >= below or table[hashed & mask] == hashed:
            continue
        bit = row + i
        if len(validity) == 0 or (validity[bit >> 3] >> (bit & 7)) & 1:
            _insert(hashed, table, state)
            below = state[0] - _ONE


@kernel
def keep_ascending(
    hashes: np.ndarray, theta: np.uint64, table: np.ndarray, state: np.ndarray
) -> None:
    """Keep the hashes of another sketch: ascending, not 0, and below its *theta*."""
    below = state[0] = min(state[0], theta)
    mask = np.uint64(len(table) - 1)
    for hashed in hashes:
        if hashed >= below:
            return
        slot = hashed & mask
        while table[slot] != hashed:  # not left to _insert: sketches of one table share most hashes
            if table[slot] == 0:
                _insert(hashed, table, state)
                below = state[0]
                break
            slot = (slot + _ONE) & mask


@kernel(work=lambda values, *_: 16 * len(values))
def keep_words(
    values: np.ndarray,
    size: int,
    first: int,
    validity: np.ndarray,
    table: np.ndarray,
    state: np.ndarray,
) -> None:
    """Keep unsigned values, each hashed as its *size* bytes.

    values    the values of the rows from *first* on
    first     the bit of the validity bitmap that belongs to values[0]
    validity  the bitmap's bytes; empty if no row is null
    """
    block = np.empty(_BLOCK, np.uint64)
    width = np.uint64(size)
    for begin in range(0, len(values), _BLOCK):
        part = values[begin : begin + _BLOCK]
        lowest = _ALL
        for i in range(len(part)):
            hashed = hash_word(np.uint64(part[i]), width)
            block[i] = hashed
            lowest = min(lowest, hashed - _ONE)  # 0 becomes the largest word: it is never kept
        if lowest < state[0] - _ONE:
            _keep_block(block, len(part), first + begin, validity, table, state)


@kernel(work=lambda offsets, *_: 16 * len(offsets) + 2 * (offsets[-1] - offsets[0]))
def keep_bytes(
    offsets: np.ndarray,
    data: np.ndarray,
    first: int,
    validity: np.ndarray,
    table: np.ndarray,
    state: np.ndarray,
) -> bool:
    """Keep values ``data[offsets[i]:offsets[i + 1]]``, except empty ones.

    Stop and return False at an offset that is not inside the data.
    """
    block = np.empty(_BLOCK, np.uint64)
    address, end = data.ctypes.data, len(data)
    count = len(offsets) - 1
    for begin in range(0, count, _BLOCK):
        size = min(_BLOCK, count - begin)
        lowest = _ALL
        for i in range(size):
            at, stop = offsets[begin + i], offsets[begin + i + 1]
            if not 0 <= at <= stop <= end:
                return False
            hashed = hash_bytes(address, at, stop - at, end) if stop > at else np.uint64(0)
            block[i] = hashed
            lowest = min(lowest, hashed - _ONE)
        if lowest < state[0] - _ONE:
            _keep_block(block, size, first + begin, validity, table, state)
    return True


@kernel(work=lambda _, size, count, *__: count * (16 + 2 * size))
def keep_fixed(
    data: np.ndarray,
    size: int,
    count: int,
    first: int,
    validity: np.ndarray,
    table: np.ndarray,
    state: np.ndarray,
) -> None:
    """Keep *count* adjacent values of *size* bytes each."""
    block = np.empty(_BLOCK, np.uint64)
    address, end = data.ctypes.data, len(data)
    for begin in range(0, count, _BLOCK):
        rows = min(_BLOCK, count - begin)
        lowest = _ALL
        for i in range(rows):
            hashed = hash_bytes(address, (begin + i) * size, size, end)
            block[i] = hashed
            lowest = min(lowest, hashed - _ONE)
        if lowest < state[0] - _ONE:
            _keep_block(block, rows, first + begin, validity, table, state)


@kernel(work=lambda words, *_: 48 * len(words))
def keep_decimals(
    words: np.ndarray, first: int, validity: np.ndarray, table: np.ndarray, state: np.ndarray
) -> None:
    """Keep two's complement integers of words[row, 0 ...], the lowest word first."""
    block = np.empty(_BLOCK, np.uint64)
    scratch = np.empty(8 * words.shape[1], np.uint8)
    for begin in range(0, len(words), _BLOCK):
        rows = min(_BLOCK, len(words) - begin)
        for i in range(rows):
            size = _shortest(words[begin + i], scratch)
            block[i] = hash_bytes(scratch.ctypes.data, 0, size, len(scratch))
        _keep_block(block, rows, first + begin, validity, table, state)


@kernel
def _shortest(words: np.ndarray, scratch: np.ndarray) -> int:
    """Put the shortest big-endian form at the start of *scratch* and return its size."""
    last = len(words) - 1
    sign = np.uint8(0xFF) if words[last] >> np.uint64(63) else np.uint8(0)
    size = 8 * len(words)
    while size > 1 and _byte(words, size - 1) == sign and (_byte(words, size - 2) ^ sign) < 0x80:
        size -= 1
    for i in range(size):
        scratch[i] = _byte(words, size - 1 - i)
    return size


@kernel
def _byte(words: np.ndarray, at: int) -> np.uint8:
    return np.uint8((words[at >> 3] >> np.uint64(8 * (at & 7))) & np.uint64(0xFF))
