"""Searches over stored keys find what sorting the keys' fields in plain Python finds."""

from __future__ import annotations

from bisect import bisect_left
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.kernel_ways import bytes_of, ways

from byteloom.errors import FormatError
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
