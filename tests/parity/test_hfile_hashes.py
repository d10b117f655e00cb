"""Hashes and Bloom filters of HFiles are what plain Python integers make of the same keys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.kernel_ways import bytes_of, ways

from byteloom.kernels.hfile_blooms import (
    HADOOP,
    JENKINS,
    MURMUR2,
    MURMUR3,
    add,
    add_chain,
    ask,
    ask_chain,
    changes,
    chunk_numbers,
    column_keys,
)

WORD = 1 << 32
KINDS = (JENKINS, MURMUR2, MURMUR3, HADOOP)

keys = st.lists(st.binary(max_size=30), max_size=6)


def rotated(value: int, by: int) -> int:
    """Bits that leave a word at its top come in at its bottom."""
    return (value << by | value >> 32 - by) % WORD


def murmur2(key: bytes, seed: int, *, backwards: bool) -> int:
    """Murmur2 with signed last bytes, first to last or last to first."""
    mixed, size = seed ^ len(key), len(key) & ~3
    for at in range(0, size, 4):
        part = int.from_bytes(key[at : at + 4], "little") * 0x5BD1E995 % WORD
        mixed = mixed * 0x5BD1E995 % WORD ^ (part ^ part >> 24) * 0x5BD1E995 % WORD
    left = key[size:][::-1] if backwards else key[size:]
    for number, byte in enumerate(left):
        mixed = (mixed ^ (byte - 256 * (byte > 127)) << 8 * number) % WORD
    if left:
        mixed = mixed * 0x5BD1E995 % WORD
    mixed = (mixed ^ mixed >> 13) * 0x5BD1E995 % WORD
    return mixed ^ mixed >> 15


def murmur3(key: bytes, seed: int) -> int:
    """Murmur3 of 32 bits."""
    mixed = seed
    for at in range(0, len(key), 4):
        part = int.from_bytes(key[at : at + 4], "little") * 0xCC9E2D51 % WORD
        mixed ^= rotated(part, 15) * 0x1B873593 % WORD
        if at + 4 <= len(key):
            mixed = (rotated(mixed, 13) * 5 + 0xE6546B64) % WORD
    mixed ^= len(key)
    mixed = (mixed ^ mixed >> 16) * 0x85EBCA6B % WORD
    mixed = (mixed ^ mixed >> 13) * 0xC2B2AE35 % WORD
    return mixed ^ mixed >> 16


def jenkins(key: bytes, seed: int) -> int:
    """Jenkins' lookup3."""
    a = b = c = (0xDEADBEEF + len(key) + seed) % WORD
    while True:
        words = [int.from_bytes(key[at : at + 4], "little") for at in (0, 4, 8)]
        if not key:
            return c
        a, b, c = ((each + more) % WORD for each, more in zip((a, b, c), words, strict=True))
        if len(key) <= 12:
            break
        key = key[12:]
        for by in (4, 6, 8, 16, 19, 4):
            a = (a - c) % WORD ^ rotated(c, by)
            a, b, c = b, (c + b) % WORD, a
    for by in (14, 11, 25, 16, 4, 14, 24):
        c = ((c ^ b) - rotated(b, by)) % WORD
        a, b, c = b, c, a
    return b


def hashed(key: bytes, seed: int, kind: int) -> int:
    """The hash of a kind."""
    if kind == JENKINS:
        return jenkins(key, seed)
    if kind == MURMUR3:
        return murmur3(key, seed)
    return murmur2(key, seed, backwards=kind == HADOOP)


def bit_of(place: int, size: int) -> int:
    """The absolute value of a signed word, modulo a size."""
    return (place if place < WORD // 2 else WORD - place) % size


def places(key: bytes, size: int, count: int, kind: int) -> list[int]:
    """The bits of a key: each a step from the one before."""
    first = hashed(key, 0, kind)
    step = hashed(key, first, kind)
    return [bit_of((first + number * step) % WORD, size) for number in range(count)]


def chain(key: bytes, size: int, count: int) -> list[int]:
    """The bits of a key in Hudi's filters: each hash is the seed of the next."""
    found, seed = [], 0
    for _ in range(count):
        seed = hashed(key, seed, HADOOP)
        found.append(bit_of(seed, size))
    return found


def runs(parts: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
    """All parts in one buffer, and where each begins and the last ends."""
    ends = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    ends.flags.writeable = False
    return bytes_of(b"".join(parts)), ends


def bits_set(bits: np.ndarray) -> set[int]:
    """The numbers of the bits that are set."""
    return set(np.flatnonzero(np.unpackbits(bits, bitorder="little")).tolist())


def test_hashes_are_those_of_their_authors() -> None:
    """The plain hash functions of this module give the published hashes of some texts."""
    assert murmur3(b"hello", 0) == 0x248BFA47
    assert murmur3(b"hello, world", 0) == 0x149BBB7F
    assert jenkins(b"Four score and seven years ago", 0) == 0x17770551
    assert jenkins(b"Four score and seven years ago", 1) == 0xCD628161


@ways
@pytest.mark.parametrize("kind", KINDS)
@given(drawn=keys, size=st.sampled_from((1, 7, 64, 1000)), count=st.integers(1, 9),
       longest=st.sampled_from((5, 99)))  # fmt: skip
def test_keys_have_their_bits(  # noqa: PLR0917  two ways, four drawn
    way: Any, kind: int, drawn: list[bytes], size: int, count: int, longest: int
) -> None:
    """A filter has exactly the bits of the added keys, and finds keys whose bits are all set."""
    data, ends = runs(drawn)
    picked = np.arange(0, len(drawn), 2)
    bits = np.zeros(size, np.uint8)
    way(add)(data, ends, longest, picked, bits, count, kind)
    wanted = [set(places(key[:longest], 8 * size, count, kind)) for key in drawn]
    assert bits_set(bits) == set().union(*wanted[::2])
    bits[0] &= 0xFE
    found = np.zeros(len(drawn), np.bool_)
    frozen = bytes_of(bits.tobytes())
    way(ask)(data.copy(), ends.copy(), longest, np.arange(len(drawn)), frozen, count, kind, found)
    assert found.tolist() == [each <= bits_set(bits) for each in wanted]


@ways
@given(drawn=keys, size=st.integers(1, 300), count=st.integers(1, 9), data=st.data())
def test_keys_have_their_bits_in_filters_of_hudi(
    way: Any, drawn: list[bytes], size: int, count: int, data: st.DataObject
) -> None:
    """A Hudi filter of any size has exactly the bits of the added keys, and finds those."""
    content, ends = (each.copy() for each in runs(drawn))
    bits = np.zeros(size // 8 + 1, np.uint8)
    first = data.draw(st.integers(0, len(drawn)))
    way(add_chain)(content, ends, first, len(drawn) - first, bits, size, count)
    wanted = [set(chain(key, size, count)) for key in drawn]
    assert bits_set(bits) == set().union(*wanted[first:])
    found = np.array([number % 3 == 0 for number in range(len(drawn))], np.bool_)
    before = found.tolist()
    way(ask_chain)(content, ends, bytes_of(bits.tobytes()), size, count, found)
    hits = [each <= bits_set(bits) for each in wanted]
    assert found.tolist() == [a or b for a, b in zip(before, hits, strict=True)]


few = st.lists(st.sampled_from((b"", b"a", b"ab", b"b")), min_size=1, max_size=6)


@ways
@given(drawn=few, last=st.sampled_from((b"", b"a", b"ab")), longest=st.integers(0, 3))
def test_keys_that_differ_from_those_before_are_found(
    way: Any, drawn: list[bytes], last: bytes, longest: int
) -> None:
    """Each key is compared with the one before by its first bytes."""
    data, ends = runs(drawn)
    out = np.zeros(len(drawn), np.bool_)
    way(changes)(data, ends, longest, bytes_of(last), out)
    cut = [each[:longest] for each in drawn]
    assert out.tolist() == [a != b for a, b in zip([last, *cut[:-1]], cut, strict=True)]


@ways
@given(pairs=st.lists(st.tuples(st.binary(max_size=5), st.binary(max_size=5)), max_size=5))
def test_columns_have_keys_of_the_latest_time(way: Any, pairs: list[tuple[bytes, bytes]]) -> None:
    """A column's key has row and qualifier, no family, and the highest time and type."""
    wanted = [
        len(row).to_bytes(2, "big") + row + b"\0" + name + b"\x7f" + b"\xff" * 8
        for row, name in pairs
    ]
    out = np.zeros(sum(map(len, wanted)), np.uint8)
    ends = np.zeros(len(pairs) + 1, np.int64)
    rows, names = runs([row for row, _ in pairs]), runs([name for _, name in pairs])
    way(column_keys)(*rows, *names, out, ends)
    assert out.tobytes() == b"".join(wanted)
    assert ends.tolist() == np.cumsum([0, *map(len, wanted)]).tolist()


@ways
@given(
    first=st.lists(st.tuples(*[st.sampled_from((b"", b"a", b"ab", b"b"))] * 2), max_size=6),
    asked=st.lists(st.tuples(*[st.sampled_from((b"", b"a", b"abc", b"c"))] * 2), max_size=4),
    longest=st.integers(1, 4),
)
def test_keys_are_in_the_last_chunk_that_does_not_begin_after_them(
    way: Any, first: list[tuple[bytes, bytes]], asked: list[tuple[bytes, bytes]], longest: int
) -> None:
    """A key is in the last chunk that begins at or before it, or -1 if no chunk does."""
    first.sort()
    out = np.zeros(len(asked), np.int64)
    rows, names = runs([row for row, _ in asked]), runs([name for _, name in asked])
    chunks = [
        each.copy()
        for parts in ([row for row, _ in first], [name for _, name in first])
        for each in runs(parts)
    ]
    way(chunk_numbers)(*rows, *names, longest, *chunks, out)
    cut = [(row[:longest], name) for row, name in asked]
    assert out.tolist() == [sum(each <= key for each in first) - 1 for key in cut]
