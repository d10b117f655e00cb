"""Kernels of Lance's pages do what plain loops over Python's integers do, in machine code too."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.kernel_ways import bytes_of, ways

from byteloom.kernels.lance_fsst import (
    CODES,
    DISORDER,
    DONE,
    ESCAPE,
    FULL,
    code_values,
    count_codes,
    expand,
)
from byteloom.kernels.lance_fsst import COUNTED as CODED
from byteloom.kernels.lance_rows import find_fields, find_values, fold_lists, list_starts
from byteloom.kernels.lance_values import (
    join_bits,
    join_buffers,
    join_ends,
    join_planes,
    join_runs,
    join_variable,
)
from byteloom.lance.writing.symbols import SymbolTable
from byteloom_generated.lance.fsst import Fsst

MOST_LEVEL = 65535
SMALL = st.integers(0, 20)
CHUNKS = st.lists(st.binary(max_size=40), min_size=1, max_size=5)


def laid(parts: list[bytes]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Buffers, each at a multiple of eight: all bytes, where each begins, its size."""
    data, starts = b"", []
    for each in parts:
        starts.append(len(data))
        data += each + bytes(-len(each) % 8)
    return bytes_of(data + bytes(8)), np.array(starts), np.array([len(each) for each in parts])


def bits_of(data: bytes, count: int) -> list[int]:
    """The first bits of a bitmap."""
    return [data[at // 8] >> at % 8 & 1 for at in range(count)]


@ways
@given(parts=CHUNKS)
def test_buffers_are_joined(way: Any, parts: list[bytes]) -> None:
    """Buffers are joined one after the other, and no byte after the last is touched."""
    data, starts, sizes = laid(parts)
    out = np.full(int(sizes.sum()) + 8, 7, np.uint8)
    way(join_buffers)(data, starts, sizes, out)
    assert out.tobytes() == b"".join(parts) + bytes([7] * 8)


@ways
@given(parts=CHUNKS, cut=st.integers(0, 7))
def test_bitmaps_of_any_length_are_joined(way: Any, parts: list[bytes], cut: int) -> None:
    """Bitmaps of any length are joined without the unused bits at their ends."""
    data, starts, sizes = laid(parts)
    counts = np.maximum(sizes * 8 - cut, 0)
    out = np.zeros((int(counts.sum()) + 7) // 8, np.uint8)
    way(join_bits)(data, starts, counts, out)
    wanted: list[int] = []
    for each, count in zip(parts, counts.tolist(), strict=True):
        wanted += bits_of(each, count)
    assert bits_of(out.tobytes(), len(out) * 8) == wanted + [0] * (-len(wanted) % 8)


@ways
@pytest.mark.parametrize("width", [4, 8])
@given(chunks=st.lists(st.lists(st.binary(max_size=9), max_size=4), min_size=1, max_size=4))
def test_values_of_any_length_are_joined(way: Any, width: int, chunks: list[list[bytes]]) -> None:
    """Values of all chunks are joined, with offsets that go on from chunk to chunk."""
    parts = []
    for values in chunks:
        first = (len(values) + 1) * width
        ends = first + np.cumsum([0, *map(len, values)])
        parts.append(ends.astype(f"<u{width}").tobytes() + b"".join(values))
    data, starts, _ = laid(parts)
    values = [each for chunk in chunks for each in chunk]
    offsets = np.empty(len(values) + 1, np.int32)
    out = np.empty(sum(map(len, values)), np.uint8)
    words, counts = data.view(f"<u{width}"), np.array([len(each) for each in chunks])
    assert way(join_variable)(data, words, starts, counts, offsets, out) == -1
    assert out.tobytes() == b"".join(values)
    assert offsets.tolist() == np.cumsum([0, *map(len, values)]).tolist()


@ways
@pytest.mark.parametrize("width", [4, 8])
@given(data=st.data())
def test_a_chunk_with_offsets_that_descend_is_named(way: Any, width: int, data: Any) -> None:
    """The first chunk with descending offsets is named, and those before it are joined."""
    top = (1 << 8 * width) - 1
    # Of 64 bits, the highest is a sign: the offset is below all others.
    middle = data.draw(st.sampled_from([0, 3 * width - 1, 3 * width + 5, top - 1, top]))
    sound = np.array([2 * width, 2 * width + 2], f"<u{width}").tobytes() + b"ab"
    damaged = np.array([3 * width, middle, 3 * width + 4], f"<u{width}").tobytes() + b"wxyz"
    content, starts, _ = laid([sound, damaged])
    words, counts = content.view(f"<u{width}"), np.array([1, 2])
    offsets, out = np.empty(4, np.int32), np.empty(6, np.uint8)
    assert way(join_variable)(content, words, starts, counts, offsets, out) == 1
    assert out[:2].tobytes() == b"ab"


PAGES = st.lists(
    st.tuples(st.lists(st.none() | SMALL, max_size=9), st.booleans()), min_size=1, max_size=4
)


def ends_of(pages: list[tuple[list[int | None], bool]]) -> tuple[list[list[int]], list[int]]:
    """The stored ends of texts of these sizes, None for null, and the adjustment of each page."""
    stored, adjustments = [], []
    for texts, has_nulls in pages:
        total = sum(each or 0 for each in texts)
        adjustment = total + 1 if has_nulls or None in texts else 0
        ends = np.cumsum([0, *(each or 0 for each in texts)])[1:].tolist()
        nulls = [adjustment if each is None else 0 for each in texts]
        stored.append([end + null for end, null in zip(ends, nulls, strict=True)])
        adjustments.append(adjustment)
    return stored, adjustments


def joined_ends(
    way: Any, stored: list[list[int]], adjustments: list[int], sizes: list[int]
) -> tuple[int, list[int], list[int], list[int]]:
    """What the loop returns: the damaged page, offsets, which texts are not null, and nulls."""
    words, places, lengths = laid([np.array(each, "<i8").tobytes() for each in stored])
    counts = lengths // 8
    total = int(counts.sum())
    offsets, nulls = np.full(total + 1, -1, np.int32), np.full(len(stored), -1)
    valid = np.zeros(-(-total // 8) + 1, np.uint8)
    held = np.array(sizes), offsets, valid, nulls
    bad = way(join_ends)(words.view("<i8"), places // 8, counts, np.array(adjustments), *held)
    return bad, offsets.tolist(), bits_of(valid.tobytes(), total), nulls.tolist()


@ways
@given(pages=PAGES)
def test_ends_of_texts_become_offsets(way: Any, pages: list[tuple[list[int | None], bool]]) -> None:
    """Ends of several pages become the offsets of all their texts; those with a number are null."""
    stored, adjustments = ends_of(pages)
    texts = [each for page, _ in pages for each in page]
    sizes = [sum(each or 0 for each in page) for page, _ in pages]
    bad, offsets, valid, nulls = joined_ends(way, stored, adjustments, sizes)
    assert bad == -1
    assert offsets == np.cumsum([0, *(each or 0 for each in texts)]).tolist()
    assert valid == [int(each is not None) for each in texts]
    assert nulls == [page.count(None) for page, _ in pages]


@ways
@pytest.mark.parametrize("end", [-1, 4, 8])
def test_a_page_with_ends_that_descend_or_pass_its_bytes_is_named(way: Any, end: int) -> None:
    """The first page is named whose ends descend, or whose last one is after its bytes."""
    stored = [[2, 5], [end, 6 if end == 8 else end], [1]]
    found = joined_ends(way, stored, [0, 0, 0], [5, 5, 1])[0]
    assert found == (-1 if end == 4 else 1)
    assert joined_ends(way, [[5, end + 1]], [0], [5])[0] == (-1 if end == 4 else 0)


@ways
@pytest.mark.parametrize("end", [1 << 31, 1 << 62, -1 << 63])
def test_an_end_beyond_offsets_of_32_bits_is_damage(way: Any, end: int) -> None:
    """An end that is larger than any offset is named, like any other after the bytes of a page."""
    assert joined_ends(way, [[1], [end]], [0, 0], [1, 5])[0] == 1


@ways
@pytest.mark.parametrize("width", [1, 2, 4, 8])
@given(chunks=st.lists(st.lists(st.tuples(st.integers(0), SMALL)), min_size=1, max_size=4))
def test_runs_are_expanded(way: Any, width: int, chunks: list[list[tuple[int, int]]]) -> None:
    """Runs are expanded with every bit of their values; empty runs add nothing."""
    top = (1 << 8 * width) - 1
    runs = [[(top - value & top, length) for value, length in chunk] for chunk in chunks]
    wanted = [value for chunk in runs for value, length in chunk for _ in range(length)]
    found, bad = expanded(way, width, runs, [sum(n for _, n in chunk) for chunk in runs])
    assert (bad, found.tolist()) == (-1, wanted)


@ways
@pytest.mark.parametrize("change", [-1, 1])
@given(chunks=st.lists(st.lists(st.tuples(SMALL, SMALL), min_size=1), min_size=1, max_size=4))
def test_a_chunk_with_runs_of_another_length_is_named(
    way: Any, change: int, chunks: list[list[tuple[int, int]]]
) -> None:
    """A chunk whose runs do not add up to its values is named."""
    counts = [sum(length for _, length in chunk) for chunk in chunks]
    if counts[-1] + change < 0:
        return
    counts[-1] += change
    assert expanded(way, 4, chunks, counts)[1] == len(chunks) - 1


def expanded(
    way: Any, width: int, chunks: list[list[tuple[int, int]]], counts: list[int]
) -> tuple[np.ndarray, int]:
    """The values that the kernel gives for runs, and the chunk that it refuses."""
    kind = f"<u{width}"
    data, starts, _ = laid([np.array([v for v, _ in each], kind).tobytes() for each in chunks])
    lengths, begins, runs = laid([bytes(n for _, n in each) for each in chunks])
    out = np.empty(sum(counts), kind)
    values = data.view(kind)
    bad = way(join_runs)(values, lengths, starts // width, begins, runs, np.array(counts), out)
    return out, bad


@ways
@given(width=st.integers(1, 9), parts=CHUNKS)
def test_planes_are_put_together(way: Any, width: int, parts: list[bytes]) -> None:
    """Each value has its byte of every plane, the lowest first."""
    data, starts, sizes = laid(parts)
    counts = sizes // width
    out = np.empty(int(counts.sum()) * width, np.uint8)
    way(join_planes)(data, starts, counts, width, out)
    wanted = b""
    for each, count in zip(parts, counts.tolist(), strict=True):
        for i in range(count):
            wanted += bytes(each[plane * count + i] for plane in range(width))
    assert out.tobytes() == wanted


def plain_text(codes: bytes, symbols: list[bytes]) -> bytes | None:
    """Return the text that codes mean; None for damage."""
    text, at = b"", 0
    while at < len(codes):
        code = codes[at]
        at += 1
        if code == ESCAPE:
            if at == len(codes):
                return None
            text += codes[at : at + 1]
            at += 1
        elif code >= len(symbols):
            return None
        else:
            text += symbols[code]
    return text


TABLES = st.lists(st.lists(st.binary(min_size=1, max_size=8), max_size=20), min_size=1, max_size=3)
VALUES = st.lists(st.lists(st.integers(0, 21) | st.just(ESCAPE)).map(bytes), max_size=6)


def coded_chunks(
    chunks: list[list[bytes]], width: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Chunks of values: all bytes, all words, the first of each chunk, its place, its count."""
    parts = []
    for values in chunks:
        offsets = np.cumsum([0, *map(len, values)]) + width * (len(values) + 1)
        parts.append(offsets.astype(f"<u{width}").tobytes() + b"".join(values))
    data, starts, _ = laid(parts)
    return data, data.view(f"<u{width}"), starts // width, starts, np.array([*map(len, chunks)])


def laid_tables(tables: list[list[bytes]]) -> tuple[np.ndarray, np.ndarray]:
    """The symbols of all tables, and their lengths."""
    pieces = np.zeros((len(tables), CODES), np.int64)
    lengths = np.zeros((len(tables), CODES), np.uint8)
    for number, symbols in enumerate(tables):
        for code, each in enumerate(symbols):
            padded = each.ljust(8, b"\0")
            pieces[number, code] = int.from_bytes(padded, "little", signed=True)
            lengths[number, code] = len(each)
    return pieces.ravel(), lengths.ravel()


@ways
@pytest.mark.parametrize("width", [4, 8])
@given(
    tables=TABLES,
    chunks=st.lists(VALUES, min_size=1, max_size=4),
    run=st.integers(0, 30),
    first=st.integers(0, 300),
)
@example([[b"ab"]], [[b"\0\xff", b"\0"]], 30, 300)
@example([[]], [[b"\0"]], 0, 300)
def test_symbols_are_expanded(  # noqa: PLR0917  drawn
    way: Any, width: int, tables: list[list[bytes]], chunks: list[list[bytes]], run: int, first: int
) -> None:
    """Codes become symbols, and escapes the next byte; the first damaged value is named.

    So they do in runs of any size, and where room is found to be too little at any value.
    """
    data, words, firsts, bases, counts = coded_chunks(chunks, width)
    numbers = np.arange(len(chunks)) % len(tables)
    kind = np.int32 if width == 4 else np.int64
    values = [each for values in chunks for each in values]
    size = 8 * sum(map(len, values)) + 8
    places, state, ends = np.empty(run + 1, np.int32), np.zeros(4, np.int64), np.full(99, 7, kind)
    loop = data, words, firsts, bases, counts, numbers, *laid_tables(tables), places, state, ends
    out = np.empty(min(8 + first, size), np.uint8)
    ended = way(expand)(*loop, out)
    if ended == FULL:
        assert len(out) < size
        out = np.concatenate([out[: state[3]], np.empty(size - state[3], np.uint8)])
        ended = way(expand)(*loop, out)
    wanted = [
        plain_text(each, tables[number])
        for number, chunk in zip(numbers.tolist(), chunks, strict=True)
        for each in chunk
    ]
    if None in wanted:
        assert ended == wanted.index(None)
        return
    texts = [each or b"" for each in wanted]
    assert ended == DONE
    assert ends[: len(texts) + 1].tolist() == np.cumsum([0, *map(len, texts)]).tolist()
    assert out[: ends[len(texts)]].tobytes() == b"".join(texts)


@ways
@pytest.mark.parametrize("bad", [0, 1, 2])
def test_a_coded_chunk_with_offsets_that_descend_is_named(way: Any, bad: int) -> None:
    """A chunk whose offsets descend is named, whatever its codes are."""
    data, words, firsts, bases, counts = coded_chunks([[b"\0", b"\0\0", b""]] * 3, 4)
    words = words.copy()
    words[firsts[bad] + 2] = words[firsts[bad]]
    places, state, ends = np.empty(9, np.int32), np.zeros(4, np.int64), np.empty(10, np.int32)
    tables = np.zeros(3, np.int64), *laid_tables([[b"ab"]])
    out = np.empty(999, np.uint8)
    ended = way(expand)(data, words, firsts, bases, counts, *tables, places, state, ends, out)
    assert (ended, state[0]) == (DISORDER, bad)


def plain_fold(
    rep: list[int], definition: list[int], layer: int, most_item: int, most_list: int
) -> tuple[list[int], list[int], list[int], list[int], int]:
    """Levels of lists, where their items begin and end, the definition level of each list.

    And the first entry that goes on with a list of no items, or is not an item; -1 for none.
    """
    groups: list[list[int]] = []
    for number, each in enumerate(rep):
        if each >= layer or not number:
            groups.append([])
        groups[-1].append(number)
    offsets, states, items = [], [], 0
    for group in groups:
        if definition[group[0]] <= most_list:
            offsets.append(items)
            states.append(definition[group[0]])
        items += sum(definition[each] <= most_item for each in group)
    first = [group[0] for group in groups]
    return (
        [rep[each] for each in first],
        [definition[each] for each in first],
        [*offsets, items],
        states,
        min(
            (
                each
                for group in groups
                for each in group[1:]
                if max(definition[group[0]], definition[each]) > most_item
            ),
            default=-1,
        ),
    )


@ways
@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("has_definition", [False, True])
@given(
    pairs=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5) | st.just(65535)), max_size=30),
    times=st.integers(1, 5),
    layer=st.integers(1, 3),
    most=st.tuples(SMALL, SMALL).map(sorted),
)
def test_levels_are_folded_into_lists(  # noqa: PLR0917  three ways, four drawn
    way: Any,
    kind: Any,
    has_definition: bool,
    pairs: list[tuple[int, int]],
    times: int,
    layer: int,
    most: list[int],
) -> None:
    """A list begins with each repetition level of its layer or above, however many there are."""
    pairs = pairs * times
    rep = np.array([each for each, _ in pairs], np.uint16)
    levels = [each if has_definition else 0 for _, each in pairs]
    definition = np.array(levels if has_definition else [], np.uint16)
    wanted = plain_fold(rep.tolist(), levels, layer, *most)
    starts = np.full(len(rep), 7, np.int64)
    count = way(list_starts)(rep, layer, starts)
    begins = [at for at, each in enumerate(rep.tolist()) if each >= layer or not at]
    assert starts[:count].tolist() == begins
    offsets, states = np.full(len(rep) + 1, 7, kind), np.full(len(rep), 7, np.uint16)
    entries, lists, items, bad = way(fold_lists)(rep, definition, layer, *most, offsets, states)
    assert (entries, lists, items) == (len(wanted[0]), len(wanted[3]), wanted[2][-1])
    assert bad == wanted[4]
    assert rep[:entries].tolist() == wanted[0]
    assert definition[:entries].tolist() == (wanted[1] if has_definition else [])
    assert offsets[: lists + 1].tolist() == wanted[2]
    assert states[:lists].tolist() == wanted[3]


def plain_find(  # noqa: PLR0917  as the kernel's
    data: bytes, control: int, bits: int, most: int, size: int, length: int
) -> tuple[list[tuple[int, int]], list[tuple[int, int]], int]:
    """Levels of entries, places and sizes of values, and the place of what is cut off."""
    entries: list[tuple[int, int]] = []
    values: list[tuple[int, int]] = []
    at = 0
    while at < len(data):
        begin, found = at, size
        word = int.from_bytes(data[at : at + control], "little")
        at += control
        if word >> bits > MOST_LEVEL:
            return entries, values, begin
        state = word & (1 << bits) - 1
        if state <= most:
            if length and state:
                found = 0
            elif length:
                found = int.from_bytes(data[at : at + length], "little", signed=length == 8)
                at += length
            if at > len(data) or not 0 <= found <= len(data) - at:
                return entries, values, begin
            values.append((at, found))
            at += found
        elif at > len(data):
            return entries, values, begin
        entries.append((word >> bits, state))
    return entries, values, at


@st.composite
def zipped(draw: Any) -> tuple[bytes, int, int, int, int, int]:
    """Entries of a page, some cut off and some with a damaged length, and how they are stored."""
    control, bits = draw(st.sampled_from([(0, 0), (1, 3), (2, 7), (4, 3), (4, 16)]))
    length, size = draw(st.sampled_from([(0, 1), (0, 5), (4, 0), (8, 0)]))
    most = draw(st.integers(0, 2))
    data = b""
    for state, rep, text in draw(
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 7), st.binary(max_size=9)), max_size=9)
    ):
        level = state if control else 0
        data += (rep << bits | level).to_bytes(control, "little") if control else b""
        if level <= most:
            if not length:
                data += text.ljust(size, b"\0")[:size]
            elif not level:
                data += len(text).to_bytes(length, "little") + text
    damaged = bytearray(data)
    for place in draw(st.lists(st.integers(0, max(len(data) - 1, 0)), max_size=2)):
        if data:
            damaged[place] = draw(st.sampled_from([0, 1, 127, 128, 255]))
    kept = draw(st.integers(0, len(data)))
    return bytes(damaged[: kept or len(data)]), control, bits, most, size, length


@ways
@given(case=zipped())
@example(case=((MOST_LEVEL << 3).to_bytes(4, "little") + b"x", 4, 3, 0, 1, 0))
@example(case=((MOST_LEVEL + 1 << 3).to_bytes(4, "little") + b"x", 4, 3, 0, 1, 0))
def test_values_between_control_words_are_found(
    way: Any, case: tuple[bytes, int, int, int, int, int]
) -> None:
    """Values and levels are found up to the first entry that is cut off or invalid."""
    data, control, bits, most, size, length = case
    room = len(data) + 1
    rep, definition = np.empty(room, np.uint16), np.empty(room, np.uint16)
    places, sizes = np.empty(room, np.int64), np.empty(room, np.int64)
    entries, values, end = way(find_values)(
        bytes_of(data), control, bits, most, size, length, rep, definition, places, sizes
    )
    levels, found, place = plain_find(*case)
    assert (entries, values, end) == (len(levels), len(found), place)
    assert list(zip(rep[:entries].tolist(), definition[:entries].tolist(), strict=True)) == levels
    assert list(zip(places[:values].tolist(), sizes[:values].tolist(), strict=True)) == found


@ways
@pytest.mark.parametrize("room", [0, 2])
def test_no_more_entries_are_found_than_there_is_room_for(way: Any, room: int) -> None:
    """Finding entries stops where there is no more room, at the place of the next one."""
    levels, numbers = np.empty((2, room), np.uint16), np.empty((2, room), np.int64)
    found = way(find_values)(bytes_of(bytes(9)), 1, 1, 1, 2, 0, *levels, *numbers)
    assert found == (room, room, 3 * room)


@ways
@pytest.mark.parametrize(("size", "length"), [(3, 0), (0, 4), (0, 8)])
@given(rows=st.lists(st.binary(max_size=9), max_size=5), cut=st.booleans(), top=st.booleans())
def test_fields_of_structs_are_found(  # noqa: PLR0917  three ways, three drawn
    way: Any, size: int, length: int, rows: list[bytes], cut: bool, top: bool
) -> None:
    """A field of each struct is found; the first struct in which it is cut off is named."""
    stored = [
        len(each).to_bytes(length, "little") + each if length else each.ljust(size, b"\0")[:size]
        for each in rows
    ]
    if stored and cut:
        stored[-1] = stored[-1][:-1]
    elif stored and top and length:
        stored[-1] = bytes([255] * length) + stored[-1][length:]
    data = bytes_of(b"".join(stored))
    ends = np.cumsum([len(each) for each in stored], dtype=np.int64)
    at = ends - [len(each) for each in stored]
    places, sizes = np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
    begins = at + length
    bad = way(find_fields)(data, at, ends, size, length, places, sizes)
    is_bad = bool(stored) and (cut or (top and length > 0))
    assert bad == (len(rows) - 1 if is_bad else -1)
    sound = len(rows) - is_bad
    assert places[:sound].tolist() == begins[:sound].tolist()
    assert sizes[:sound].tolist() == [len(each) if length else size for each in rows[:sound]]
    assert at[:sound].tolist() == ends[:sound].tolist()


def plainly_coded(value: bytes, symbols: list[bytes]) -> list[int]:
    """The codes of a value: of the longest symbol each, or 256 and the byte."""
    codes, at = [], 0
    while at < len(value):
        fitting = [each for each in symbols if value.startswith(each, at)]
        best = max(fitting, key=len, default=b"")
        codes.append(symbols.index(best) if best else 256 + value[at])
        at += max(1, len(best))
    return codes


LETTERS = st.text("abc", max_size=30).map(str.encode)
SYMBOLS = st.lists(st.text("abc", min_size=1, max_size=8).map(str.encode), unique=True, max_size=9)


def texts_of(symbols: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
    """Symbols as integers, and their lengths."""
    texts = [int.from_bytes(each, "little") for each in symbols]
    return np.array(texts, np.int64), np.array([len(each) for each in symbols], np.int64)


@ways
@given(values=st.lists(LETTERS, min_size=1, max_size=5), drawn=SYMBOLS)
@example(values=[b"abcabcab", b"", b"ab", b"a"], drawn=[b"abcabcab", b"ab", b"b"])
@example(values=[b"ab" * 20], drawn=[b"aba", b"ab"])
def test_text_is_coded_by_its_longest_symbols(
    way: Any, values: list[bytes], drawn: list[bytes]
) -> None:
    """Text is coded by the longest symbols, as a plain search does, and decoded to itself."""
    table = SymbolTable(*texts_of(drawn))
    symbols = [
        text.to_bytes(8, "little")[:length]
        for text, length in zip(table.texts.tolist(), table.lengths.tolist(), strict=True)
    ]
    # Of symbols with the same first three bytes only the first has a place.
    assert all(each in symbols for each in drawn if len(each) < 3)
    assert {each[:3] for each in drawn} == {each[:3] for each in symbols}
    data = np.frombuffer(b"".join(values) + bytes(8), np.uint8)
    offsets = np.append(0, np.cumsum([len(each) for each in values])).astype(np.int64)
    out, ends = np.zeros(2 * len(data), np.uint8), np.zeros(len(offsets), np.int64)
    way(code_values)(data, offsets, table.tables, out, ends)
    codes = [plainly_coded(each, symbols) for each in values]
    stored = [
        bytes(x for c in row for x in ([c] if c < 256 else [ESCAPE, c - 256])) for row in codes
    ]
    assert [out[a:b].tobytes() for a, b in pairwise(ends.tolist())] == stored
    counts = np.zeros((CODED, CODED), np.int64)
    way(count_codes)(data, offsets, table.tables, counts)
    wanted = np.zeros_like(counts)
    for row in codes:
        np.add.at(wanted, (CODED - 1, row), 1)
        np.add.at(wanted, (row[:-1], row[1:]), 1)
    assert np.array_equal(counts, wanted)


def test_a_symbol_table_has_one_symbol_for_three_first_bytes() -> None:
    """A table keeps the first of the symbols with equal three first bytes: no other is found."""
    pieces = [b"abcd", b"abc", b"abcde", b"abd", b"ab", b"a", b"abdx"]
    texts = np.array([int.from_bytes(each, "little") for each in pieces])
    table = SymbolTable(texts, np.array([len(each) for each in pieces]))
    found = Fsst.from_bytes(table.stored())
    symbols = [text[:size] for text, size in zip(found.symbols, found.lengths, strict=True)]
    assert symbols == [b"abcd", b"abd", b"ab", b"a"]
