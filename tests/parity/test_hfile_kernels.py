"""Kernels of HFiles find what plain Python finds: orders of keys, hashes, and ends of blocks."""

from __future__ import annotations

import io
from bisect import bisect_left
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.kernel_ways import bytes_of, ways

from byteloom.errors import FormatError
from byteloom.hfile import HFileWriter
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
from byteloom.kernels.hfile_cells import SAME_KEY, SAME_ROW, split
from byteloom.kernels.hfile_order import (
    CELLS,
    META,
    META_ROWS,
    ROWS,
    bound,
    compare_keys,
    descent,
    disorder,
    gather,
    overtaken,
    pack_rows,
    unsound,
    visit,
)
from byteloom.kernels.hfile_write_encodings import index_rows
from byteloom.wire import Reader
from byteloom_generated.hfile.cell import Columns, Key, KeyType

if TYPE_CHECKING:
    from collections.abc import Sequence

LATEST = (1 << 63) - 1

names = st.sampled_from(
    (b"", b"a", b"ab", b"b", b"\x80", b"\xff", b"a longer name", b"a longer one")
)
rows = names | st.lists(st.sampled_from((b"", b"a", b"ab", b"b")), max_size=4).map(b",".join)
times = st.sampled_from((0, 1, -1, 255, 256, LATEST, -LATEST - 1))
columns = st.builds(
    Columns, family=names, qualifier=names, timestamp=times, type=st.sampled_from(KeyType)
)
keys = st.builds(
    lambda row, found: Key(has_columns=found is not None, row=row, columns=found).to_bytes(),
    rows,
    st.none() | columns,
)
orders = st.sampled_from((ROWS, CELLS, META_ROWS, META))


def catalog(row: bytes) -> bytes:
    """A stored key without columns."""
    return Key(has_columns=False, row=row, columns=None).to_bytes()


def of_column(family: bytes, qualifier: bytes, timestamp: int, kind: int) -> bytes:
    """Return a stored key of an empty row."""
    found = Columns(family=family, qualifier=qualifier, timestamp=timestamp, type=KeyType(kind))
    return Key(has_columns=True, row=b"", columns=found).to_bytes()


LAST = of_column(b"", b"", 0, 0)
"""The key that HBase sorts after all others of its row."""


def row_order(row: bytes, order: int) -> tuple[Any, ...]:
    """What rows are sorted by: those of the catalog by the parts between their commas."""
    if order < META_ROWS:
        return (row,)
    table, comma, rest = row.partition(b",")
    if not comma:
        return (row, 0, b"", 0, b"")
    first, comma, region = rest.rpartition(b",")
    return (table, 1, first, 1, region) if comma else (table, 1, rest, 0, b"")


def key_order(data: bytes, order: int) -> tuple[Any, ...]:
    """What stored keys are sorted by."""
    end = 2 + int.from_bytes(data[:2], "big")
    found = row_order(data[2:end], order)
    if order in {ROWS, META_ROWS}:
        return found
    if len(data) == end:
        return (*found, False, b"", b"", -LATEST, -int(KeyType.MAXIMUM))
    record = Reader(data).whole("key", lambda r: Key.read(r, has_columns=True)).columns
    assert record is not None
    if not record.family and not record.qualifier and record.type == 0:
        return (*found, True)
    return (*found, False, record.family, record.qualifier, -record.timestamp, -int(record.type))


def runs(parts: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray]:
    """All parts in one buffer, and where each begins and the last ends."""
    return bytes_of(b"".join(parts) + bytes(8)), np.cumsum([0, *map(len, parts)], dtype=np.int64)


def page(found: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray, list[bytes]]:
    """Cells with these keys, their starts as a page has them, and the cells one by one."""
    cells = [
        len(key).to_bytes(4, "big") + (1).to_bytes(4, "big") + key + bytes([number & 255])
        for number, key in enumerate(found)
    ]
    data, places = runs(cells)
    starts = places.astype(np.int32)
    starts.flags.writeable = False
    return data, starts, cells


@ways
@given(one=keys, two=keys, order=orders)
@example(one=catalog(b"t,,1"), two=catalog(b"t,!,0"), order=META)
@example(one=catalog(b"t,a,1"), two=catalog(b"t,a!,0"), order=META)
@example(one=catalog(b"t,1"), two=catalog(b"t,!"), order=META_ROWS)
@example(one=LAST, two=of_column(b"b", b"", 1, 4), order=CELLS)
@example(one=of_column(b"b", b"", 1, 4), two=LAST, order=CELLS)
@example(one=LAST, two=of_column(b"", b"", 1, 0), order=CELLS)
@example(one=of_column(b"a", b"b", 1, 0), two=of_column(b"b", b"", 1, 4), order=CELLS)
@example(one=of_column(b"b", b"", 1, 4), two=of_column(b"a", b"b", 1, 0), order=CELLS)
@example(one=of_column(b"abcd", b"", 1, 4), two=of_column(b"b", b"", 1, 4), order=CELLS)
@example(one=of_column(b"b", b"", 1, 4), two=of_column(b"abcd", b"", 1, 4), order=CELLS)
def test_two_keys_are_compared(way: Any, one: bytes, two: bytes, order: int) -> None:
    """Two stored keys are compared as their fields are."""
    data, starts = runs([one, two])
    found = way(compare_keys)(data, 0, len(one), data, int(starts[1]), len(two), order)
    a, b = key_order(one, order), key_order(two, order)
    assert found == (a > b) - (a < b)


@ways
@given(found=st.lists(keys, min_size=1, max_size=6), order=orders, data=st.data())
def test_the_first_key_that_is_damaged_or_out_of_order_is_found(
    way: Any, found: list[bytes], order: int, data: st.DataObject
) -> None:
    """The first key that its record refuses, or that is out of order, is found."""
    damaged = [bytearray(each) for each in sorted(found, key=lambda key: key_order(key, order))]
    for _ in range(data.draw(st.integers(0, 2))):
        key = data.draw(st.sampled_from(damaged))
        if key:
            key[data.draw(st.integers(0, len(key) - 1))] ^= 1 << data.draw(st.integers(0, 7))
            del key[data.draw(st.integers(0, len(key))) or len(key) :]
    parts = [bytes(each) for each in damaged]
    content, places = runs(parts)
    wanted = -1
    for number, each in enumerate(parts):
        row_alone = int.from_bytes(each[:2], "big") == len(each) - 2
        try:
            Reader(each).whole("key", partial(Key.read, has_columns=not row_alone))
        except FormatError:
            wanted = number
            break
        if number and key_order(parts[number - 1], order) > key_order(each, order):
            wanted = number
            break
    assert way(unsound)(content, places[:-1], places[1:], order) == wanted


@ways
@given(found=st.lists(keys, min_size=1, max_size=8), order=orders)
def test_the_first_cell_out_of_order_is_found(way: Any, found: list[bytes], order: int) -> None:
    """The first cell out of order is found; -1 where all cells ascend."""
    data, starts, _ = page(found)
    sorts = [key_order(each, order) for each in found]
    wrong = [number for number in range(1, len(sorts)) if sorts[number] < sorts[number - 1]]
    assert way(disorder)(data, starts.copy(), order) == min(wrong, default=-1)


@ways
@given(found=st.lists(st.tuples(keys, st.integers(-1, 2)), min_size=1, max_size=8), data=st.data())
def test_the_first_cell_newer_than_one_of_its_key_is_found(
    way: Any, found: list[tuple[bytes, int]], data: st.DataObject
) -> None:
    """The first cell that has the key of the one before, and a greater number, is found."""
    found += data.draw(st.lists(st.sampled_from(found), max_size=4))
    found.sort(key=lambda cell: cell[0])
    content, starts, _ = page([key for key, _ in found])
    wrong = [
        number
        for number in range(1, len(found))
        if found[number][0] == found[number - 1][0] and found[number][1] > found[number - 1][1]
    ]
    mvcc = np.array([number for _, number in found])
    mvcc.flags.writeable = False
    assert way(overtaken)(content, starts.copy(), mvcc) == min(wrong, default=-1)


@ways
@given(found=st.lists(keys, min_size=1, max_size=8), asked=keys, order=orders)
def test_a_key_has_its_place_among_cells(
    way: Any, found: list[bytes], asked: bytes, order: int
) -> None:
    """A key's place is the first cell not less than it, or the last index entry less than it."""
    found.sort(key=lambda key: key_order(key, order))
    data, starts, _ = page(found)
    wanted = bisect_left(found, key_order(asked, order), key=lambda key: key_order(key, order))
    key = bytes_of(asked + bytes(8))
    assert way(bound)(data, starts, key, 0, len(asked), order) == wanted
    data, places = runs(found)
    out = np.full(1, 99, np.int64)
    numbers, ends = np.zeros(1, np.int64), np.array([0, len(asked)])
    way(descent)(data, places[:-1].copy(), places[1:].copy(), key, ends, numbers, order, out)
    assert out.tolist() == [max(wanted - 1, 0)]


@ways
@given(
    found=st.lists(keys, min_size=1, max_size=8),
    more=st.lists(keys, max_size=3),
    order=orders,
    data=st.data(),
)
def test_cells_of_asked_keys_are_copied(
    way: Any, found: list[bytes], more: list[bytes], order: int, data: st.DataObject
) -> None:
    """All cells of the requested keys are copied, with a note where they go on in another page."""
    found.sort(key=lambda key: key_order(key, order))
    content, starts, cells = page(found)
    asked = sorted(
        [*more, *data.draw(st.lists(st.sampled_from(found), max_size=4))],
        key=lambda key: key_order(key, order),
    )
    packed, places = runs(asked)
    numbers = np.arange(len(asked))
    runs_of, onward = np.zeros((len(asked), 3), np.int64), np.zeros(len(asked), np.int64)
    out, totals = np.zeros(sum(map(len, cells)) * (len(asked) + 1), np.uint8), np.zeros(4, np.int64)
    args = (content, starts, packed, places, numbers, order)
    assert way(visit)(*args, out, runs_of, onward, totals) == 0
    wanted, rows_of, on, early = b"", [], [], -1
    sorts = [key_order(key, order) for key in found]
    for number, key in enumerate(asked):
        same = [i for i, each in enumerate(sorts) if each == key_order(key, order)]
        copied = b"".join(cells[i] for i in same)
        if same:
            rows_of.append([number, len(same), len(copied)])
            wanted += copied
        on += [number] if sorts[-1] <= key_order(key, order) else []
        early = number if sorts[0] >= key_order(key, order) else early
    assert totals.tolist() == [len(rows_of), len(wanted), len(on), early]
    assert runs_of[: len(rows_of)].tolist() == rows_of
    assert onward[: len(on)].tolist() == on
    assert out[: len(wanted)].tobytes() == wanted
    if rows_of:
        room = np.zeros(rows_of[0][2] - 1, np.uint8)
        totals[:] = 0
        assert way(visit)(*args, room, runs_of, onward, totals) == rows_of[0][2]


@ways
@given(parts=st.lists(st.binary(max_size=9), max_size=6), most=st.integers(0, 9), data=st.data())
def test_runs_are_gathered_and_rows_packed(
    way: Any, parts: list[bytes], most: int, data: st.DataObject
) -> None:
    """Runs are copied in the requested order; rows follow their lengths, cut to the limit."""
    content, places = runs(parts)
    order = np.array(data.draw(st.permutations(range(len(parts)))), np.int64)
    out = np.zeros(int(places[-1]), np.uint8)
    sizes = np.diff(places)
    way(gather)(content.copy(), places[:-1].copy(), order, sizes, out)
    assert out.tobytes() == b"".join(parts[number] for number in order.tolist())
    wanted = [len(each[:most]).to_bytes(2, "big") + each[:most] for each in parts]
    room, begins = np.zeros(sum(map(len, wanted)), np.uint8), np.zeros(len(parts) + 1, np.int64)
    way(pack_rows)(content.copy(), places, most, room, begins)
    assert room.tobytes() == b"".join(wanted)
    assert begins.tolist() == np.cumsum([0, *map(len, wanted)]).tolist()


WORD = 1 << 32
KINDS = (JENKINS, MURMUR2, MURMUR3, HADOOP)

hash_keys = st.lists(st.binary(max_size=30), max_size=6)


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


def hash_runs(parts: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
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
@given(drawn=hash_keys, size=st.sampled_from((1, 7, 64, 1000)), count=st.integers(1, 9),
       longest=st.sampled_from((5, 99)))  # fmt: skip
def test_keys_have_their_bits(  # noqa: PLR0917  two ways, four drawn
    way: Any, kind: int, drawn: list[bytes], size: int, count: int, longest: int
) -> None:
    """A filter has exactly the bits of the added keys, and finds keys whose bits are all set."""
    data, ends = hash_runs(drawn)
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
@given(drawn=hash_keys, size=st.integers(1, 300), count=st.integers(1, 9), data=st.data())
def test_keys_have_their_bits_in_filters_of_hudi(
    way: Any, drawn: list[bytes], size: int, count: int, data: st.DataObject
) -> None:
    """A Hudi filter of any size has exactly the bits of the added keys, and finds those."""
    content, ends = (each.copy() for each in hash_runs(drawn))
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
    data, ends = hash_runs(drawn)
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
    rows, names = hash_runs([row for row, _ in pairs]), hash_runs([name for _, name in pairs])
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
    rows, names = hash_runs([row for row, _ in asked]), hash_runs([name for _, name in asked])
    chunks = [
        each.copy()
        for parts in ([row for row, _ in first], [name for _, name in first])
        for each in hash_runs(parts)
    ]
    way(chunk_numbers)(*rows, *names, longest, *chunks, out)
    cut = [(row[:longest], name) for row, name in asked]
    assert out.tolist() == [sum(each <= key for each in first) - 1 for key in cut]


SIZES = st.lists(st.tuples(st.integers(1, 30), st.integers(0, SAME_KEY)), min_size=1, max_size=20)
LIMITS = st.tuples(*[st.sampled_from((0, 1, 20, 40, 70, 1 << 62))] * 3)


def plain_ends(
    cells: list[tuple[int, int]], limits: tuple[int, int, int], per_row: int
) -> list[int]:
    """The number of the cell after each whole block.

    cells    the size of each, and how many parts of its key are those of the cell before
    limits   of plain and of encoded bytes, either of which fills a block that has the third
    per_row  bytes that each row adds to what is encoded
    """
    ends, block = [], [cells[0]]
    for number, cell in enumerate(cells[1:], 1):
        plain = sum(size for size, _ in block)
        rows = 1 + sum(shared < SAME_ROW for _, shared in block[1:])
        encoded = plain + rows * per_row
        is_full = (plain >= limits[0] or encoded >= limits[1]) and encoded >= limits[2]
        if is_full and cell[1] < SAME_KEY:
            ends.append(number)
            block = []
        block.append(cell)
    return ends


def starts_of(cells: list[tuple[int, int]], first: int) -> np.ndarray:
    """The offsets at which cells begin, from *first* on, and that at which the last one ends."""
    return np.cumsum([first, *(size for size, _ in cells)], dtype=np.int64)


@ways
@given(cells=SIZES, limits=LIMITS, per_row=st.sampled_from((0, 4)), data=st.data())
def test_blocks_end_before_cells_of_other_keys(
    way: Any,
    cells: list[tuple[int, int]],
    limits: tuple[int, int, int],
    per_row: int,
    data: st.DataObject,
) -> None:
    """A full block ends before the next cell of another key, as a loop over the cells finds."""
    first, room = data.draw(st.integers(0, len(cells) - 1)), data.draw(st.integers(1, 21))
    shared = np.array([each for _, each in cells], np.uint8)
    ends = np.full(room, -1, np.int64)
    bounds = np.array(limits, np.int64)
    starts = starts_of(cells, 7)
    found = way(split)(starts, shared, first, len(cells), bounds, per_row, ends)
    wanted = [first + each for each in plain_ends(cells[first:], limits, per_row)][:room]
    assert ends[:found].tolist() == wanted


@ways
@pytest.mark.parametrize(
    ("limit", "ends"),
    [(14, [1, 2, 3]), (15, [2]), (28, [2]), (29, [3]), (42, [3]), (43, [])],
)
def test_each_row_of_a_block_adds_its_bytes(way: Any, limit: int, ends: list[int]) -> None:
    """Four more bytes for each row count towards the limit of encoded bytes."""
    starts, shared = np.arange(0, 50, 10, dtype=np.int64), np.zeros(4, np.uint8)
    for limits in [(1 << 62, limit, 0), (0, 0, limit)]:
        out = np.zeros(4, np.int64)
        found = way(split)(starts, shared, 0, 4, np.array(limits, np.int64), 4, out)
        assert out[:found].tolist() == ends


@ways
@given(cells=SIZES, data=st.data())
def test_an_index_has_the_places_of_rows(
    way: Any, cells: list[tuple[int, int]], data: st.DataObject
) -> None:
    """A row index has the number of rows, the offset of each, and the size of all cells."""
    first = data.draw(st.integers(0, len(cells) - 1))
    shared = np.array([each for _, each in cells], np.uint8)
    starts = starts_of(cells, 7)
    out = np.zeros(8 + 4 * len(cells), np.uint8)
    size = way(index_rows)(starts, shared, first, len(cells), out)
    rows = [
        sum(each for each, _ in cells[first:number])
        for number in range(first, len(cells))
        if number == first or cells[number][1] < SAME_ROW
    ]
    total = sum(each for each, _ in cells[first:])
    words = [len(rows), *rows, total]
    assert out[:size].tobytes() == b"".join(each.to_bytes(4, "big") for each in words)


LONG_TAG = (32766).to_bytes(2, "big") + bytes(32766)

parts = st.fixed_dictionaries(
    {
        "family": st.sampled_from((b"f", b"f", b"f", b"g")),
        "timestamp": st.sampled_from((0, 5, 5, 5, -1)),
        "mvcc": st.sampled_from((0, 0, 0, 1, -1)),
        "tags": st.sampled_from((b"", b"", b"\0\1\7", LONG_TAG)),
    }
)
options = st.fixed_dictionaries(
    {
        "encoding": st.sampled_from(("NONE", "ROW_INDEX_V1", "PREFIX", "DIFF", "FAST_DIFF")),
        "tags": st.booleans(),
        "mvcc": st.booleans(),
    }
)


def refused(cells: list[dict[str, Any]], form: dict[str, Any]) -> str:
    """The first part of a cell that HBase does not read back, in the order of the names."""
    for number, cell in enumerate(cells):
        is_delta = form["encoding"] in {"PREFIX", "DIFF", "FAST_DIFF"}
        broken = {
            "family": is_delta and cell["family"] != cells[0]["family"],
            "mvcc": cell["mvcc"] < 0 or (cell["mvcc"] != 0 and not form["mvcc"]),
            "tags": (not is_delta and len(cell["tags"]) > 32767)
            or (len(cell["tags"]) > 0 and not form["tags"]),
            "timestamp": not is_delta and cell["timestamp"] < 0,
        }
        if any(broken.values()):
            return f"cells[{number}].{next(name for name, is_so in broken.items() if is_so)}"
    return ""


@given(cells=st.lists(parts, min_size=1, max_size=5), form=options)
def test_the_first_cell_that_hbase_does_not_read_back_is_refused(
    cells: list[dict[str, Any]], form: dict[str, Any]
) -> None:
    """The writer refuses the first cell that HBase cannot read back, by its number and part."""
    path = ""
    try:
        with HFileWriter(io.BytesIO(), threads=0, **form) as writer:
            for number, cell in enumerate(cells):
                writer.add(b"%d" % number, b"value", **cell)
    except FormatError as error:
        path = str(error.path)
    assert path == refused(cells, form)
