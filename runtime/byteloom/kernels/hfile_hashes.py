"""Hashes for Bloom filters of HBase and Hudi, of one key and a seed.

- All arithmetic is in 32 bits, stored in unsigned words of 64 bits and truncated after each step.
- Murmur2 treats the bytes after the last whole word as signed.  Hadoop's variant, which Hudi uses,
  processes them from the last to the first, HBase's from the first to the last.

Source: specs/hfile/bloom.ksy; http://burtleburtle.net/bob/c/lookup3.c (Jenkins);
https://github.com/aappleby/smhasher/wiki (Murmur2, Murmur3)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.native.kernel import kernel

__all__ = ["HADOOP", "JENKINS", "MURMUR2", "MURMUR3", "hashed", "word"]

JENKINS, MURMUR2, MURMUR3 = 0, 1, 2
HADOOP = 3
"""Hadoop's Murmur2; the others are numbers that HBase stores."""

_MASK = np.uint64(0xFFFFFFFF)
word: Any = np.uint64
"""The type that arithmetic is done in."""


@kernel
def _cut(value: int) -> Any:
    return word(value) & _MASK


@kernel
def _rotate(value: int, by: int) -> Any:
    return _cut((word(value) << word(by)) | (word(value) >> word(32 - by)))


@kernel
def _word_at(key: np.ndarray, at: int, size: int) -> Any:
    value = word(0)
    for i in range(size):
        value |= word(key[at + i]) << word(8 * i)
    return value


@kernel
def _murmur2(key: np.ndarray, seed: int, backwards: bool) -> Any:
    m = word(0x5BD1E995)
    h = _cut(word(seed) ^ word(len(key)))
    whole = len(key) & ~3
    for at in range(0, whole, 4):
        k = _cut(_word_at(key, at, 4) * m)
        k = _cut((k ^ (k >> word(24))) * m)
        h = _cut(h * m) ^ k
    left = len(key) - whole
    if left:
        for i in range(left):
            byte = word(key[len(key) - 1 - i] if backwards else key[whole + i])
            signed = byte | word(0xFFFFFF00) if byte > 127 else byte
            h = _cut(h ^ (signed << word(8 * i)))
        h = _cut(h * m)
    h = _cut((h ^ (h >> word(13))) * m)
    return h ^ (h >> word(15))


@kernel
def _murmur3(key: np.ndarray, seed: int) -> Any:
    c1, c2 = word(0xCC9E2D51), word(0x1B873593)
    h = _cut(seed)
    whole = len(key) & ~3
    for at in range(0, whole, 4):
        k = _cut(_rotate(_cut(_word_at(key, at, 4) * c1), 15) * c2)
        h = _cut(_rotate(h ^ k, 13) * word(5) + word(0xE6546B64))
    if len(key) > whole:
        k = _word_at(key, whole, len(key) - whole)
        h ^= _cut(_rotate(_cut(k * c1), 15) * c2)
    h ^= word(len(key))
    h = _cut((h ^ (h >> word(16))) * word(0x85EBCA6B))
    h = _cut((h ^ (h >> word(13))) * word(0xC2B2AE35))
    return h ^ (h >> word(16))


@kernel
def _less(a: int, b: int) -> Any:
    return _cut(word(a) + word(0x100000000) - word(b))


@kernel
def _jenkins(key: np.ndarray, seed: int) -> Any:
    a = b = c = _cut(word(0xDEADBEEF) + word(len(key)) + word(seed))
    at, left = 0, len(key)
    while left > 12:
        a = _cut(a + _word_at(key, at, 4))
        b = _cut(b + _word_at(key, at + 4, 4))
        c = _cut(c + _word_at(key, at + 8, 4))
        a, c = _less(a, c) ^ _rotate(c, 4), _cut(c + b)
        b, a = _less(b, a) ^ _rotate(a, 6), _cut(a + c)
        c, b = _less(c, b) ^ _rotate(b, 8), _cut(b + a)
        a, c = _less(a, c) ^ _rotate(c, 16), _cut(c + b)
        b, a = _less(b, a) ^ _rotate(a, 19), _cut(a + c)
        c, b = _less(c, b) ^ _rotate(b, 4), _cut(b + a)
        at, left = at + 12, left - 12
    if left == 0:
        return c
    a = _cut(a + _word_at(key, at, min(left, 4)))
    b = _cut(b + _word_at(key, at + 4, max(min(left - 4, 4), 0)))
    c = _cut(c + _word_at(key, at + 8, max(left - 8, 0)))
    c = _less(c ^ b, _rotate(b, 14))
    a = _less(a ^ c, _rotate(c, 11))
    b = _less(b ^ a, _rotate(a, 25))
    c = _less(c ^ b, _rotate(b, 16))
    a = _less(a ^ c, _rotate(c, 4))
    b = _less(b ^ a, _rotate(a, 14))
    return _less(c ^ b, _rotate(b, 24))


@kernel
def hashed(key: np.ndarray, seed: int, kind: int) -> Any:
    """Return the hash of *key*, an unsigned word of 32 bits."""
    if kind == 0:
        return _jenkins(key, seed)
    if kind in (1, 3):
        return _murmur2(key, seed, kind == 3)
    return _murmur3(key, seed)
