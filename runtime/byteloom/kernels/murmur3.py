"""MurmurHash3 x64 128 with the seed of DataSketches, as used by Theta sketches.

- A sketch uses 63 of the 128 bits: the first 64 without the lowest bit.
- A sketch never keeps 0; callers drop it, as they drop hashes that are too large.
- Byte order is little-endian, as on all machines that numba compiles for here.

Source: https://github.com/aappleby/smhasher/wiki/MurmurHash3; the seed and the shift are those of
https://datasketches.apache.org/docs/Theta/ThetaSketches.html
"""

from __future__ import annotations

import numpy as np

from byteloom.native.kernel import kernel
from byteloom.native.loads import le64_unsigned

__all__ = ["SEED", "hash_bytes", "hash_word"]

SEED = np.uint64(9001)

_C1 = np.uint64(0x87C37B91114253D5)
_C2 = np.uint64(0x4CF5AD432745937F)
_M1 = np.uint64(0xFF51AFD7ED558CCD)
_M2 = np.uint64(0xC4CEB9FE1A85EC53)
_A1, _A2 = np.uint64(0x52DCE729), np.uint64(0x38495AB5)
_ONE, _FIVE, _WORD = np.uint64(1), np.uint64(5), np.uint64(64)
_R27, _R31, _R33 = np.uint64(27), np.uint64(31), np.uint64(33)


@kernel
def _rotate(x: np.uint64, by: np.uint64) -> np.uint64:
    return (x << by) | (x >> (_WORD - by))


@kernel
def _finish(x: np.uint64) -> np.uint64:
    x = (x ^ (x >> _R33)) * _M1
    x = (x ^ (x >> _R33)) * _M2
    return x ^ (x >> _R33)


@kernel
def _close(h1: np.uint64, h2: np.uint64, size: np.uint64) -> np.uint64:
    """Fold the length into both halves and return the 63 bits of the first."""
    h1 ^= size
    h2 ^= size
    h1 += h2
    h2 += h1
    return (_finish(h1) + _finish(h2)) >> _ONE


@kernel
def hash_word(word: np.uint64, size: np.uint64) -> np.uint64:
    """Hash a value of *size* bytes, at most 8; the bytes above them are zero."""
    k1 = _rotate(np.uint64(word) * _C1, _R31) * _C2
    return _close(SEED ^ k1, SEED, size)


@kernel
def _tail_word(address: int, at: int, size: int, end: int) -> np.uint64:
    """Return 0 to 8 bytes at *at* as a word; a single load unless *end* is near."""
    if size >= 8:
        return le64_unsigned(address, at)
    if size <= 0:
        return np.uint64(0)
    unused = np.uint64(64 - 8 * size)
    if at + 8 <= end:
        return (le64_unsigned(address, at) << unused) >> unused
    # Near the end of the buffer: load its last 8 bytes, and drop those before *at*.
    last = le64_unsigned(address, end - 8) >> np.uint64(8 * (at + 8 - end))
    return (last << unused) >> unused


@kernel
def hash_bytes(address: int, at: int, size: int, end: int) -> np.uint64:
    """Hash *size* bytes at *at* of a buffer of *end* bytes, which has 8 bytes or more."""
    h1 = SEED
    h2 = SEED
    stop = at + (size & ~15)
    while at < stop:
        h1 ^= _rotate(le64_unsigned(address, at) * _C1, _R31) * _C2
        h1 = (_rotate(h1, _R27) + h2) * _FIVE + _A1
        h2 ^= _rotate(le64_unsigned(address, at + 8) * _C2, _R33) * _C1
        h2 = (_rotate(h2, _R31) + h1) * _FIVE + _A2
        at += 16
    left = size & 15
    if left > 8:
        h2 ^= _rotate(_tail_word(address, at + 8, left - 8, end) * _C2, _R33) * _C1
    if left > 0:
        h1 ^= _rotate(_tail_word(address, at, left, end) * _C1, _R31) * _C2
    return _close(h1, h2, np.uint64(size))
