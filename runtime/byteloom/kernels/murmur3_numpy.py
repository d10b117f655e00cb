"""The hashes of `byteloom.kernels.murmur3` for whole columns in NumPy, without compiled code.

For small inputs: loading compiled code takes as long as NumPy takes for some ten thousand values.
A property test checks that both return the same bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["hash_slices", "hash_words"]

Words: TypeAlias = "NDArray[np.uint64]"

_SEED: Final = np.uint64(9001)
_C1, _C2 = np.uint64(0x87C37B91114253D5), np.uint64(0x4CF5AD432745937F)
_M1, _M2 = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_A1, _A2 = np.uint64(0x52DCE729), np.uint64(0x38495AB5)


def hash_words(values: NDArray[Any], size: int) -> Words:
    """Hash unsigned *values*, each as its *size* bytes, at most 8."""
    words = values.astype(np.uint64)
    h1 = _SEED ^ _mix1(words)
    return _close(h1, np.full_like(h1, _SEED), np.uint64(size))


def hash_slices(
    data: NDArray[np.uint8], starts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> Words:
    """Hash ``data[start : start + size]`` for each pair; needs max(sizes) bytes for each value."""
    words = _padded_words(data, starts, sizes)
    h1 = np.full(len(starts), _SEED)
    h2 = h1.copy()
    for block in range(int(sizes.max(initial=0)) // 16):
        full = sizes >= 16 * (block + 1)
        one = _rotate(h1 ^ _mix1(words[:, 2 * block]), 27) + h2
        one = one * np.uint64(5) + _A1
        two = _rotate(h2 ^ _mix2(words[:, 2 * block + 1]), 31) + one
        two = two * np.uint64(5) + _A2
        h1, h2 = np.where(full, one, h1), np.where(full, two, h2)
    # The rest of each value; if nothing is left, a word of zeros changes nothing.
    rows, tail = np.arange(len(starts)), sizes // 16
    h1 ^= _mix1(words[rows, 2 * tail])
    h2 ^= _mix2(words[rows, 2 * tail + 1])
    return _close(h1, h2, sizes.astype(np.uint64))


def _padded_words(
    data: NDArray[np.uint8], starts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> Words:
    """Lay out the slices as rows of words, padded with zeros up to one extra block."""
    width = np.arange(16 * (int(sizes.max(initial=0)) // 16 + 1))
    padded = np.zeros((len(starts), len(width)), np.uint8)
    inside = width < sizes[:, None]
    padded[inside] = data[(starts[:, None] + width)[inside]]
    return padded.view(np.dtype("<u8"))


def _rotate(words: Words, by: int) -> Words:
    return words << np.uint64(by) | words >> np.uint64(64 - by)


def _mix1(words: Words) -> Words:
    return _rotate(words * _C1, 31) * _C2


def _mix2(words: Words) -> Words:
    return _rotate(words * _C2, 33) * _C1


def _finish(words: Words) -> Words:
    words = (words ^ words >> np.uint64(33)) * _M1
    words = (words ^ words >> np.uint64(33)) * _M2
    return words ^ words >> np.uint64(33)


def _close(h1: Words, h2: Words, size: Words | np.uint64) -> Words:
    h1 = h1 ^ size
    h2 = h2 ^ size
    h1 = h1 + h2
    h2 = h2 + h1
    return (_finish(h1) + _finish(h2)) >> np.uint64(1)
