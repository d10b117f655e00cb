"""MurmurHash3 x64 128 with the seed of DataSketches, as used by Theta sketches.

- A sketch uses 63 of the 128 bits: the first 64 without the lowest bit.
- A sketch never keeps 0; callers drop it, as they drop hashes that are too large.
- Byte order is little-endian, as on all machines that numba compiles for here.
- Kernels hash one value, inside other loops.  `hash_words` and `hash_slices` hash whole columns in
  NumPy, for small inputs: loading compiled code takes as long as NumPy takes for some ten thousand
  values.  A property test checks that both return the same bits.

Source: https://github.com/aappleby/smhasher/wiki/MurmurHash3; the seed and the shift are those of
https://datasketches.apache.org/docs/Theta/ThetaSketches.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from byteloom.native.kernel import kernel
from byteloom.native.loads import le64_unsigned

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "SEED",
    "hash_bytes",
    "hash_slices",
    "hash_word",
    "hash_words",
]

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


Words: TypeAlias = "NDArray[np.uint64]"


def hash_words(values: NDArray[Any], size: int) -> Words:
    """Hash unsigned *values*, each as its *size* bytes, at most 8."""
    words = values.astype(np.uint64)
    h1 = SEED ^ _mix1(words)
    return _close_words(h1, np.full_like(h1, SEED), np.uint64(size))


def hash_slices(
    data: NDArray[np.uint8], starts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> Words:
    """Hash ``data[start : start + size]`` for each pair; needs max(sizes) bytes for each value."""
    words = _padded_words(data, starts, sizes)
    h1 = np.full(len(starts), SEED)
    h2 = h1.copy()
    for block in range(int(sizes.max(initial=0)) // 16):
        full = sizes >= 16 * (block + 1)
        one = _rotate_words(h1 ^ _mix1(words[:, 2 * block]), 27) + h2
        one = one * np.uint64(5) + _A1
        two = _rotate_words(h2 ^ _mix2(words[:, 2 * block + 1]), 31) + one
        two = two * np.uint64(5) + _A2
        h1, h2 = np.where(full, one, h1), np.where(full, two, h2)
    # The rest of each value; if nothing is left, a word of zeros changes nothing.
    rows, tail = np.arange(len(starts)), sizes // 16
    h1 ^= _mix1(words[rows, 2 * tail])
    h2 ^= _mix2(words[rows, 2 * tail + 1])
    return _close_words(h1, h2, sizes.astype(np.uint64))


def _padded_words(
    data: NDArray[np.uint8], starts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> Words:
    """Lay out the slices as rows of words, padded with zeros up to one extra block."""
    width = np.arange(16 * (int(sizes.max(initial=0)) // 16 + 1))
    padded = np.zeros((len(starts), len(width)), np.uint8)
    inside = width < sizes[:, None]
    padded[inside] = data[(starts[:, None] + width)[inside]]
    return padded.view(np.dtype("<u8"))


def _rotate_words(words: Words, by: int) -> Words:
    return words << np.uint64(by) | words >> np.uint64(64 - by)


def _mix1(words: Words) -> Words:
    return _rotate_words(words * _C1, 31) * _C2


def _mix2(words: Words) -> Words:
    return _rotate_words(words * _C2, 33) * _C1


def _finish_words(words: Words) -> Words:
    words = (words ^ words >> np.uint64(33)) * _M1
    words = (words ^ words >> np.uint64(33)) * _M2
    return words ^ words >> np.uint64(33)


def _close_words(h1: Words, h2: Words, size: Words | np.uint64) -> Words:
    h1 = h1 ^ size
    h2 = h2 ^ size
    h1 = h1 + h2
    h2 = h2 + h1
    return (_finish_words(h1) + _finish_words(h2)) >> np.uint64(1)
