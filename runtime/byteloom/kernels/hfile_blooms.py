"""Look up and add many keys at once in the chunks of a Bloom filter, and drop repeated keys.

- Keys are the bytes between neighbouring offsets of one buffer; at most *longest* bytes count.
- Hashes are of one key and a seed.  All their arithmetic is in 32 bits, stored in unsigned words of
  64 bits and truncated after each step.
- Murmur2 treats the bytes after the last whole word as signed.  Hadoop's variant, which Hudi uses,
  processes them from the last to the first, HBase's from the first to the last.

Source: specs/hfile/bloom.ksy; http://burtleburtle.net/bob/c/lookup3.c (Jenkins);
https://github.com/aappleby/smhasher/wiki (Murmur2, Murmur3)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.native.kernel import kernel

__all__ = [
    "HADOOP",
    "JENKINS",
    "MURMUR2",
    "MURMUR3",
    "add",
    "add_chain",
    "ask",
    "ask_chain",
    "changes",
    "chunk_numbers",
    "column_keys",
    "hashed",
    "word",
]

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


@kernel
def _key(data: np.ndarray, ends: np.ndarray, index: int, longest: int) -> np.ndarray:
    start = ends[index]
    return data[start : min(ends[index + 1], start + longest)]


@kernel
def _compare(one: np.ndarray, other: np.ndarray) -> int:
    for i in range(min(len(one), len(other))):
        if one[i] != other[i]:
            return -1 if one[i] < other[i] else 1
    return len(one) - len(other)


@kernel
def _place(place: int, size: int) -> Any:
    """Return the bit for a sum of hashes: its absolute value as a signed word, modulo *size*."""
    return (place if place < word(0x80000000) else word(0x100000000) - place) % size


@kernel
def changes(
    data: np.ndarray, ends: np.ndarray, longest: int, last: np.ndarray, out: np.ndarray
) -> None:
    """Flag keys that differ from the previous one in *out*; the first is compared with *last*."""
    for i in range(len(out)):
        key = _key(data, ends, i, longest)
        out[i] = len(key) != len(last) or _compare(key, last) != 0
        last = key


@kernel
def column_keys(
    rows: np.ndarray,
    row_ends: np.ndarray,
    names: np.ndarray,
    name_ends: np.ndarray,
    out: np.ndarray,
    ends: np.ndarray,
) -> None:
    """Fill *out* with the keys of columns: length, row, no family, qualifier, time and type."""
    at = 0
    for i in range(len(ends) - 1):
        ends[i] = at
        size, width = row_ends[i + 1] - row_ends[i], name_ends[i + 1] - name_ends[i]
        out[at], out[at + 1] = size >> 8, size & 255
        for j in range(size):
            out[at + 2 + j] = rows[row_ends[i] + j]
        at += 2 + size
        out[at] = 0
        for j in range(width):
            out[at + 1 + j] = names[name_ends[i] + j]
        at += 1 + width
        out[at] = 0x7F
        for j in range(1, 9):
            out[at + j] = 255
        at += 9
    ends[-1] = at


@kernel
def chunk_numbers(
    rows: np.ndarray,
    row_ends: np.ndarray,
    names: np.ndarray,
    name_ends: np.ndarray,
    longest: int,
    first_rows: np.ndarray,
    first_row_ends: np.ndarray,
    first_names: np.ndarray,
    first_name_ends: np.ndarray,
    out: np.ndarray,
) -> None:
    """Fill *out* with the last chunk whose first key is not greater than each key; -1 for none."""
    for i in range(len(out)):
        row = _key(rows, row_ends, i, longest)
        name = names[name_ends[i] : name_ends[i + 1]]
        low, high = 0, len(first_row_ends) - 1
        while low < high:
            middle = (low + high) // 2
            order = _compare(_key(first_rows, first_row_ends, middle, 1 << 62), row)
            if order == 0:
                order = _compare(_key(first_names, first_name_ends, middle, 1 << 62), name)
            low, high = (middle + 1, high) if order <= 0 else (low, middle)
        out[i] = low - 1


@kernel(work=lambda *args: 128 * len(args[3]))
def ask(
    data: np.ndarray,
    ends: np.ndarray,
    longest: int,
    picked: np.ndarray,
    bits: np.ndarray,
    num_hashes: int,
    kind: int,
    out: np.ndarray,
) -> None:
    """Set *out* for those of the keys *picked* whose bits are all set in *bits*."""
    size = word(8 * len(bits))
    for index in picked:
        key = _key(data, ends, index, longest)
        place = hashed(key, word(0), kind)
        step = hashed(key, place, kind)
        found = True
        for _ in range(num_hashes):
            bit = _place(place, size)
            if not (word(bits[bit >> word(3)]) >> (bit & word(7))) & word(1):
                found = False
                break
            place = (place + step) & word(0xFFFFFFFF)
        out[index] = found


@kernel(work=lambda *args: 128 * len(args[3]))
def add(
    data: np.ndarray,
    ends: np.ndarray,
    longest: int,
    picked: np.ndarray,
    bits: np.ndarray,
    num_hashes: int,
    kind: int,
) -> None:
    """Set the bits of the keys *picked* in *bits*."""
    size = word(8 * len(bits))
    for index in picked:
        key = _key(data, ends, index, longest)
        place = hashed(key, word(0), kind)
        step = hashed(key, place, kind)
        for _ in range(num_hashes):
            bit = _place(place, size)
            bits[bit >> word(3)] |= np.uint8(word(1) << (bit & word(7)))
            place = (place + step) & word(0xFFFFFFFF)


@kernel(work=lambda *args: 128 * len(args[5]))
def ask_chain(
    data: np.ndarray,
    ends: np.ndarray,
    bits: np.ndarray,
    num_bits: int,
    num_hashes: int,
    out: np.ndarray,
) -> None:
    """Set *out* for keys whose bits are all set; each hash is the seed of the next, as in Hudi."""
    for index in range(len(out)):
        key = _key(data, ends, index, 1 << 62)
        place, found = word(0), True
        for _ in range(num_hashes):
            place = hashed(key, place, HADOOP)
            bit = _place(place, word(num_bits))
            if not (word(bits[bit >> word(3)]) >> (bit & word(7))) & word(1):
                found = False
                break
        out[index] |= found


@kernel(work=lambda *args: 128 * args[3])
def add_chain(
    data: np.ndarray,
    ends: np.ndarray,
    first: int,
    count: int,
    bits: np.ndarray,
    num_bits: int,
    num_hashes: int,
) -> None:
    """Set the bits of *count* keys from *first* on; each hash is the seed of the next."""
    for index in range(first, first + count):
        key = _key(data, ends, index, 1 << 62)
        place = word(0)
        for _ in range(num_hashes):
            place = hashed(key, place, HADOOP)
            bit = _place(place, word(num_bits))
            bits[bit >> word(3)] |= np.uint8(word(1) << (bit & word(7)))
