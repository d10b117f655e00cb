"""The 32-bit Murmur3 hash (x86 variant, seed 0) of whole columns.

    hash_words  integers, each as the 8 bytes of a long, little-endian
    hash_runs   runs of bytes of any length
    buckets     hashes as bucket numbers

Source: Iceberg table spec, "Appendix B: 32-bit Hash Requirements".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.native.kernel import kernel
from byteloom.native.loads import le64_unsigned

__all__ = ["buckets", "finished", "hash_runs", "hash_words", "mixed", "taken"]

_u32: Any = np.uint32
_C1, _C2 = np.uint32(0xCC9E2D51), np.uint32(0x1B873593)
_ADD = np.uint32(0xE6546B64)
_F1, _F2 = np.uint32(0x85EBCA6B), np.uint32(0xC2B2AE35)


@kernel
def _rotated(value: Any, bits: int) -> Any:
    """Return *value* rotated left."""
    return _u32((value << _u32(bits)) | (value >> _u32(32 - bits)))


@kernel
def mixed(block: Any) -> Any:
    """Mix a block of four bytes, before it is combined with the hash."""
    return _u32(_rotated(_u32(block * _C1), 15) * _C2)


@kernel
def taken(found: Any, block: Any) -> Any:
    """Return the hash after another block."""
    return _u32(_rotated(found ^ mixed(block), 13) * _u32(5) + _ADD)


@kernel
def finished(found: Any, size: Any) -> Any:
    """Return the final hash of *size* bytes."""
    found = _u32(found ^ _u32(size))
    found = _u32((found ^ (found >> _u32(16))) * _F1)
    found = _u32((found ^ (found >> _u32(13))) * _F2)
    return _u32(found ^ (found >> _u32(16)))


@kernel(work=lambda values, _: 12 * len(values))
def hash_words(values: np.ndarray, hashes: np.ndarray) -> None:
    """Put the hash of each of *values* (int32 or int64) into *hashes* (uint32)."""
    for i in range(len(values)):
        word = np.uint64(np.int64(values[i]))
        low, high = _u32(word & np.uint64(0xFFFFFFFF)), _u32(word >> np.uint64(32))
        hashes[i] = finished(taken(taken(_u32(0), low), high), 8)


@kernel
def _load_tail(data: np.ndarray, at: Any, size: Any) -> Any:
    """Return the last one to three bytes as a block."""
    block = _u32(0)
    for i in range(size):
        block |= _u32(data[at + i]) << _u32(8 * i)
    return block


@kernel(work=lambda _, offsets, __: 12 * len(offsets) + 2 * (offsets[-1] - offsets[0]))
def hash_runs(data: np.ndarray, offsets: np.ndarray, hashes: np.ndarray) -> None:
    """Put the hash of each run into *hashes* (uint32).

    data     uint8
    offsets  int32 or int64: run i is from entry i to entry i + 1, inside *data*
    """
    address = data.ctypes.data
    half = np.uint64(0xFFFFFFFF)
    for i in range(len(hashes)):
        at, end = np.int64(offsets[i]), np.int64(offsets[i + 1])
        size = end - at
        found = _u32(0)
        while at + 8 <= end:
            word = le64_unsigned(address, at)
            found = taken(taken(found, _u32(word & half)), _u32(word >> np.uint64(32)))
            at += 8
        if at + 4 <= end:
            found = taken(found, _load_tail(data, at, 4))
            at += 4
        if at < end:
            found = _u32(found ^ mixed(_load_tail(data, at, end - at)))
        hashes[i] = finished(found, size)


@kernel
def buckets(hashes: np.ndarray, count: int, made: np.ndarray) -> None:
    """Put each hash (uint32), without its sign bit and modulo *count*, into *made* (int32).

    Doubles represent 31 bits and their quotients exactly, and are divided four at a time.
    """
    divisor = float(count)
    for i in range(len(hashes)):
        value = np.int32(hashes[i] & _u32(0x7FFFFFFF))
        made[i] = value - np.int32(value / divisor) * np.int32(count)
