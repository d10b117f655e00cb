"""Hash and round down decimals of 128 bits in Arrow's buffers.

    words   uint64[row, 2]: the low and the high half of the unscaled value, two's complement

Source: Iceberg table spec, "Appendix B" (decimal) and "Partition Transforms" (truncate).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.kernels.murmur3_32 import finished, mixed, taken
from byteloom.native.kernel import kernel

__all__ = ["hash_decimals", "truncate_decimals"]

_u32: Any = np.uint32
_u64: Any = np.uint64


@kernel
def _size(low: Any, high: Any) -> int:
    """Return the size of the shortest two's complement, whose first bit is the sign."""
    if high >> _u64(63):
        low, high = ~low, ~high
    size = 1
    top, base = (high, 8) if high else (low, 0)
    while top >= _u64(0x80):
        top >>= _u64(8)
        size += 1
    if base and not high:
        return size
    return size + base


@kernel
def _byte(low: Any, high: Any, place: int) -> Any:
    """Return the byte with the weight 256 to the power of *place*."""
    half = high if place >= 8 else low
    return _u32((half >> _u64(8 * (place & 7))) & _u64(0xFF))


@kernel(work=lambda words, _: 32 * len(words))
def hash_decimals(words: np.ndarray, hashes: np.ndarray) -> None:
    """Put the hash of each value's shortest big-endian bytes into *hashes* (uint32)."""
    for i in range(len(hashes)):
        low, high = words[i, 0], words[i, 1]
        size = _size(low, high)
        found, block, held = _u32(0), _u32(0), 0
        for place in range(size - 1, -1, -1):
            block |= _byte(low, high, place) << _u32(8 * held)
            held += 1
            if held == 4:
                found = taken(found, block)
                block, held = _u32(0), 0
        if held:
            found = _u32(found ^ mixed(block))
        hashes[i] = finished(found, size)


@kernel
def _modulo(low: Any, high: Any, width: Any) -> Any:
    """Return the remainder of 128 unsigned bits, computed 32 bits at a time."""
    rest = high % width
    rest = ((rest << _u64(32)) | (low >> _u64(32))) % width
    return ((rest << _u64(32)) | (low & _u64(0xFFFFFFFF))) % width


@kernel
def truncate_decimals(words: np.ndarray, width: int, made: np.ndarray) -> None:
    """Put each value, rounded down to a multiple of *width* (1 to 2^31 - 1), into *made*."""
    divisor = _u64(width)
    for i in range(len(words)):
        low, high = words[i, 0], words[i, 1]
        if high >> _u64(63):  # -1 - x is the complement of x: its remainder runs the other way
            rest = divisor - _u64(1) - _modulo(~low, ~high, divisor)
        else:
            rest = _modulo(low, high, divisor)
        made[i, 0] = low - rest
        made[i, 1] = high - _u64(low < rest)
