"""Values, levels and lengths of Parquet's pages are those that a plain reader finds."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import cramjam
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.kernel_ways import bytes_of, ways
from tests.support.parquet_pages import Page, column, differences, runs, texts
from tests.support.varints import varint

from byteloom.kernels.parquet_forms import DECIMAL, DECIMALS, FLAGS, INTEGERS, NUMBERS, TEXTS
from byteloom.kernels.parquet_pages import DATA_PAGE_V2, DICTIONARY_PAGE
from byteloom.kernels.parquet_pages import PAGE_FIELDS as FOUND_FIELDS
from byteloom.kernels.parquet_plain_pages import (
    BEGIN,
    END,
    IS_CODED,
    IS_IN_FILE,
    KIND,
    PAGE_FIELDS,
    RANGE_FIELDS,
    SLACK,
    place_pages,
)
from byteloom.kernels.parquet_structs import numbers
from byteloom.kernels.parquet_values import COLUMN_FIELDS, copy_texts, place_columns, take_values
from byteloom.kernels.parquet_weights import (
    HEAVIEST,
    ROW,
    heaviest_row,
    longest_text,
    sum_of_lengths,
    text_sizes,
)
from byteloom_generated.parquet.footers import CODECS, TYPES

FORMS = [
    (TEXTS, 0),
    *((NUMBERS, width) for width in (3, 4, 8)),
    *((INTEGERS, width) for width in (4, 8)),
    *((DECIMALS, width) for width in (1, 7, 8, 9, 16)),
]
"""Forms of values, and the bytes of one as it is stored; truth values are tested with pyarrow."""

KINDS = {"data": 0, "data v2": DATA_PAGE_V2, "dictionary": DICTIONARY_PAGE}


def packed(values: list[int], width: int) -> bytes:
    """Pack values of this number of bits, the lowest first, up to the end of a byte."""
    whole = sum(value << width * at for at, value in enumerate(values))
    return whole.to_bytes((len(values) * width + 7) // 8, "little")


@st.composite
def coded(draw: st.DrawFn, values: list[int], width: int) -> bytes:
    """Values as runs, each of one value or packed."""
    out, at = b"", 0
    while at < len(values):
        same = next((n for n, x in enumerate(values[at:]) if x != values[at]), len(values) - at)
        if draw(st.booleans()):
            out += varint(same << 1) + values[at].to_bytes((width + 7) // 8, "little")
            at += same
        else:
            groups = draw(st.integers(1, 2))
            part = (values[at : at + 8 * groups] + [0] * 16)[: 8 * groups]
            out += varint(groups << 1 | 1) + packed(part, width)
            at += 8 * groups
    return out


def stored(values: list[bytes], width: int) -> bytes:
    """Numbers one after another, texts after their lengths."""
    return b"".join(each if width else len(each).to_bytes(4, "little") + each for each in values)


@st.composite
def columns(draw: st.DrawFn) -> tuple[list[Page], tuple[int, int], bool]:
    """The pages of a column, the form and the bytes of a value, and whether values may be null."""
    (form, width), nullable = draw(st.sampled_from(FORMS)), draw(st.booleans())
    value = st.binary(min_size=width, max_size=width) if width else st.binary(max_size=9)
    entries = draw(st.lists(value, min_size=1, max_size=5))
    pages = [Page("dictionary", len(entries), False, 0, stored(entries, width))]
    pages *= draw(st.integers(0, 1))
    for _ in range(draw(st.integers(1, 3))):
        is_coded, is_new = draw(st.booleans()), draw(st.booleans())
        present = draw(st.lists(st.booleans(), min_size=1, max_size=20))
        present = present if nullable else [True] * len(present)
        levels = draw(coded(list(map(int, present)), 1)) if nullable else b""
        if is_coded:
            codes = [draw(st.integers(0, len(entries) - 1)) for _ in range(sum(present))]
            bits = draw(st.integers(3, 9))
            data = bytes([bits]) + draw(coded(codes, bits))
        else:
            data = stored([draw(value) for _ in range(sum(present))], width)
        size = len(levels)
        if nullable and not is_new:
            data = size.to_bytes(4, "little") + levels + data
        else:
            data = levels + data
        kind = "data v2" if is_new else "data"
        pages.append(Page(kind, len(present), is_coded, size if is_new else 0, data))
    return pages, (form, width), nullable


def meaning(form: int, value: bytes | None) -> bytes | None:
    """A stored value as it is decoded."""
    if value is None or form in {TEXTS, NUMBERS}:
        return value
    number = int.from_bytes(value, "little" if form == INTEGERS else "big", signed=True)
    return number.to_bytes(DECIMAL, "little", signed=True)


def taken(
    way: Any, pages: list[Page], of: tuple[int, int], rows: list[int] | None, *, is_nullable: bool
) -> list[bytes | None] | None:
    """The values of rows, all for None, as the kernels find them; None for what is unusual.

    Every second page is left in the file, unless it has texts.
    """
    (form, width), made = of, of[1]
    if form in {INTEGERS, DECIMALS}:
        made = DECIMAL
    count = sum(page.count for page in pages if page.kind != "dictionary")
    held, said = count if rows is None else len(rows), []
    parts = [bytearray(), bytearray()]
    for number, page in enumerate(pages):
        is_in_file = bool(number % 2 and (width or page.is_coded))
        part = parts[is_in_file]
        bounds = len(part), len(part) + len(page.data)
        said.append(
            [KINDS[page.kind], page.count, page.is_coded, page.levels, *bounds, is_in_file, 0]
        )
        part += page.data
    data, file = (np.frombuffer(part + bytes(SLACK), np.uint8) for part in parts)
    columns = np.zeros((1, COLUMN_FIELDS), np.int64)
    size = (made or 8) * (held + 1)
    columns[0, :7] = form, width, is_nullable, 0, len(pages), 0, size
    out = np.zeros(size + held // 8 + 1, np.uint8)
    starts, room = np.zeros((int(not width), held), np.int64), max(p.count for p in pages)
    index, texts_of = np.zeros((3, room), np.int64), np.zeros((2, room, 2), np.int64)
    wanted = np.array(rows or [], np.int64)
    if rows is not None and not rows:
        return []
    found_in = np.array(said, np.int64).reshape(-1, PAGE_FIELDS)
    room_of = (starts, index, texts_of)
    if not way(take_values)(data, file, found_in, columns, wanted, count, out, *room_of):
        return None
    bits = np.unpackbits(out[size:], bitorder="little")[:held]
    present = bits.astype(bool).tolist() if is_nullable else [True] * held
    assert columns[0, 7] == held - sum(present)
    if width:
        found = [out[made * at : made * (at + 1)].tobytes() for at in range(held)]
    else:
        content = np.zeros(int(columns[0, 8]), np.uint8)
        way(copy_texts)(data, columns, starts, out, content)
        places = out[:size].view(np.int64).tolist()
        found = [content[a:b].tobytes() for a, b in pairwise(places)]
    return [each if is_there else None for each, is_there in zip(found, present, strict=True)]


def compare(
    way: Any, pages: list[Page], of: tuple[int, int], rows: list[int] | None, *, is_nullable: bool
) -> None:
    """Check that both readers find the same values, or neither does."""
    count = sum(page.count for page in pages if page.kind != "dictionary")
    asked = list(range(count)) if rows is None else rows
    try:
        values = column(pages, of[1], asked, is_nullable=is_nullable)
        wanted = [meaning(of[0], each) for each in values]
    except ValueError:
        wanted = None
    found = taken(way, pages, of, rows, is_nullable=is_nullable)
    assert found == wanted


@ways
@given(case=columns(), data=st.data())
def test_columns_have_the_values_of_their_pages(way: Any, case: Any, data: st.DataObject) -> None:
    """Columns have the plain reader's values; codes without a dictionary are unusual to both."""
    pages, of, is_nullable = case
    count = sum(page.count for page in pages if page.kind != "dictionary")
    rows = data.draw(st.none() | st.sets(st.integers(0, count - 1)).map(sorted))
    compare(way, pages, of, rows, is_nullable=is_nullable)


@ways
@given(case=columns(), data=st.data())
def test_damaged_columns_are_unusual_to_both(way: Any, case: Any, data: st.DataObject) -> None:
    """A damaged page gives the plain reader's values, or is unusual to both."""
    pages, of, is_nullable = case
    page = data.draw(st.sampled_from(pages))
    damaged = bytearray(page.data)
    for _ in range(data.draw(st.integers(1, 2))):
        if damaged:
            damaged[data.draw(st.integers(0, len(damaged) - 1))] ^= 1 << data.draw(
                st.integers(0, 7)
            )
            del damaged[data.draw(st.integers(0, len(damaged))) or len(damaged) :]
    page.data = bytes(damaged)
    page.levels = data.draw(st.sampled_from((page.levels, page.levels, page.levels + 1)))
    compare(way, pages, of, None, is_nullable=is_nullable)


@ways
@pytest.mark.parametrize("width", [0, 4])
def test_each_flipped_bit_and_each_cut(way: Any, width: int) -> None:
    """Each flipped bit and each cut of a page gives kernels and plain reader the same values."""
    values = [b"abcd", b"efgh"] if width else [b"a text", b""]
    levels = varint(2 << 1) + b"\1" + varint(1 << 1 | 1) + b"\x0d"
    head = len(levels).to_bytes(4, "little") + levels
    pages = [
        Page("dictionary", 2, False, 0, stored(values, width)),
        Page("data", 6, True, 0, head + b"\1" + varint(1 << 1 | 1) + b"\x0a"),
        Page("data v2", 6, False, len(levels), levels + stored(values * 3, width)),
    ]
    for page in pages:
        data = page.data
        flipped = [
            bytes(byte ^ (at == bit // 8) << bit % 8 for at, byte in enumerate(data))
            for bit in range(8 * len(data))
        ]
        for damaged in [data, *flipped, *(data[:size] for size in range(len(data)))]:
            page.data = damaged
            compare(way, pages, (NUMBERS if width else TEXTS, width), None, is_nullable=True)
        page.data = data


letters = st.lists(st.binary(max_size=9), max_size=6).map(lambda found: stored(found, 0))


@ways
@given(data=letters | st.binary(max_size=20), room=st.integers(0, 7))
def test_lengths_of_texts_are_those_before_them(way: Any, data: bytes, room: int) -> None:
    """The lengths before texts are found; a text that is cut off counts with its whole length."""
    wanted, at = list[int](), 0
    while at + 4 <= len(data):
        wanted.append(int.from_bytes(data[at : at + 4], "little"))
        at += 4 + wanted[-1]
    assert way(longest_text)(bytes_of(data)) == max(wanted, default=0)
    out = np.full(room, -1, np.int64)
    count = way(text_sizes)(bytes_of(data), out)
    assert out[:count].tolist() == wanted[:room]
    if sum(wanted) + 4 * len(wanted) == len(data):
        assert [len(each) for each in texts(data, len(wanted))] == wanted


@st.composite
def lengths(draw: st.DrawFn) -> bytes:
    """Lengths as differences, sound or not."""
    parts, each = draw(st.sampled_from((1, 2, 4))), 8
    values = draw(st.lists(st.integers(0, 300), max_size=20))
    out = varint(parts * each) + varint(parts) + varint(len(values))
    out += varint(2 * values[0] if values else 0)
    steps = [after - before for before, after in pairwise(values)]
    for at in range(0, len(steps), parts * each):
        block = steps[at : at + parts * each]
        least = min(block)
        groups = [[x - least for x in block[i : i + each]] for i in range(0, len(block), each)]
        widths = [max(x.bit_length() for x in group) for group in groups]
        out += varint(2 * least if least >= 0 else -2 * least - 1)
        out += bytes(widths).ljust(parts, b"\0")
        out += b"".join(
            packed((group + [0] * each)[:each], width)
            for group, width in zip(groups, widths, strict=True)
        )
    if draw(st.booleans()):
        damaged = bytearray(out)
        damaged[draw(st.integers(0, len(out) - 1))] = draw(st.sampled_from((0, 1, 33, 127, 255)))
        out = bytes(damaged[: draw(st.integers(1, len(out)))])
    return out


@ways
@given(data=lengths() | st.binary(max_size=12), most=st.integers(0, 20), room=st.integers(0, 21))
def test_lengths_that_are_differences_are_added_up(
    way: Any, data: bytes, most: int, room: int
) -> None:
    """Delta-encoded lengths are added up as in plain Python; -1 marks damage."""
    out, each = np.zeros(2, np.int64), np.full(room, -1, np.int64)
    end = way(sum_of_lengths)(np.frombuffer(data, np.uint8).copy(), 0, most, out, each)
    try:
        wanted, place = differences(data, most)
    except ValueError:
        assert end == -1
    else:
        assert end == place
        assert out.tolist() == [max(wanted, default=0), sum(wanted)]
        assert each[: len(wanted)].tolist() == wanted[:room]


@ways
@given(
    streams=st.lists(st.binary(max_size=12), min_size=3, max_size=3),
    widths=st.tuples(st.integers(1, 3), st.integers(0, 2), st.integers(-1, 3)),
    sizes=st.lists(st.integers(0, 50), max_size=6),
    values=st.integers(0, 40),
)
def test_the_heaviest_row_has_most_bytes(
    way: Any, streams: list[bytes], widths: tuple[int, int, int], sizes: list[int], values: int
) -> None:
    """The row with most bytes is found from any levels and codes, the unfinished row included."""
    full, least = 1, 2
    state, places = np.array([5, 9], np.int64), np.zeros((3, 4), np.int64)
    seen = way(heaviest_row)(
        *map(bytes_of, streams), np.array(widths), full, np.array(sizes, np.int64), least,
        values, places, state,
    )  # fmt: skip
    row, heaviest, count, following = 5, 9, 0, 0
    levels, nulls, codes = (runs(each, max(w, 0)) for each, w in zip(streams, widths, strict=True))
    for level in levels:
        if count == values:
            break
        count, size = count + 1, least
        if widths[1] == 0 or next(nulls, -1) == full:
            code = next(codes, -1) if widths[2] >= 0 else following
            following += 1
            size = max(least, sizes[code]) if 0 <= code < len(sizes) else least
        row = row + size if level else size
        heaviest = max(heaviest, row)
    assert seen == count
    assert state[[ROW, HEAVIEST]].tolist() == [row, heaviest]


PLAIN, SNAPPY = numbers(CODECS, "UNCOMPRESSED", "SNAPPY")
INT64, BYTE_ARRAY = numbers(TYPES, "INT64", "BYTE_ARRAY")
DATA_PAGE: Final = 5
LEAVES: Final = {"numbers": [INT64, 8, 0, 1], "texts": [BYTE_ARRAY, -1, 0, 1]}


def noise(size: int, seed: int = 1) -> bytes:
    """Bytes in which there is nothing to compress."""
    return np.random.default_rng(seed).bytes(size)


def snappy(content: bytes) -> bytes:
    """A page of Snappy."""
    return bytes(cramjam.snappy.compress_raw(content))


class Placed:
    """Pages after one another in a file, where `place_pages` finds them, and what it says.

    pages    per page: its codec, its kind, whether it has codes, whether its column has texts, the
             bytes that are never compressed, and the others as the file has them and decompressed
    slack    bytes of the file after the pages
    """

    def __init__(self, way: Any, pages: list[tuple[Any, ...]], slack: int = SLACK) -> None:
        """Place the pages."""
        file, found = b"", np.zeros((len(pages), FOUND_FIELDS), np.int64)
        self.said = np.full((len(pages), PAGE_FIELDS), -1, np.int64)
        for number, (_, kind, is_coded, _, stored, packed, content) in enumerate(pages):
            begin, file = len(file), file + stored + packed
            found[number] = (
                number, kind, 0, 0, begin, len(file), len(stored), len(stored) + len(content)
            )  # fmt: skip
            self.said[number, [KIND, IS_CODED]] = kind, is_coded
        self.file = bytes_of(file + bytes(slack))
        self.data = np.full(int(found[:, 7].sum()) + SLACK, 0xEE, np.uint8)
        ranges = np.full((len(pages), RANGE_FIELDS), -1, np.int64)
        codecs = np.array([each[0] for each in pages], np.int64)
        leaves = np.array([LEAVES["texts" if each[3] else "numbers"] for each in pages], np.int64)
        leaves = leaves.reshape(-1, 4)
        needed = np.ones(len(pages), np.bool_)
        count = way(place_pages)(
            self.file, found, codecs, leaves, needed, self.said, self.data, ranges
        )
        self.ranges = ranges[:count].tolist()

    def contents(self) -> list[bytes]:
        """The bytes of each page, after the compressed ones are decompressed."""
        for begin, end, first, last, codec in self.ranges:
            assert codec == SNAPPY
            content = bytes(cramjam.snappy.decompress_raw(self.file[begin:end].tobytes()))
            self.data[first:last] = np.frombuffer(content, np.uint8)
        return [
            (self.file if page[IS_IN_FILE] else self.data)[page[BEGIN] : page[END]].tobytes()
            for page in self.said
        ]

    def in_file(self) -> list[bool]:
        """Whether each page is read in the file."""
        return [bool(page[IS_IN_FILE]) for page in self.said]


@st.composite
def pages(draw: st.DrawFn) -> tuple[Any, ...]:
    """A page with numbers, codes or texts, compressed or not."""
    codec = draw(st.sampled_from((PLAIN, SNAPPY)))
    kind = draw(st.sampled_from((DATA_PAGE, DATA_PAGE_V2, DICTIONARY_PAGE)))
    is_coded, is_text = draw(st.booleans()), draw(st.booleans())
    size = draw(st.integers(0, 300))
    content = draw(st.sampled_from((noise(size, size), bytes(size), b"ab" * (size // 2))))
    stored = noise(draw(st.integers(0, 3))) if kind == DATA_PAGE_V2 else b""
    if codec == PLAIN:
        return codec, kind, is_coded, is_text, stored + content, b"", b""
    return codec, kind, is_coded, is_text, stored, snappy(content) if content else b"", content


@ways
@given(st.lists(pages(), max_size=6))
def test_pages_have_their_bytes_wherever_they_are(way: Any, held: list[tuple[Any, ...]]) -> None:
    """Each page's bytes are those that the writer had; texts are never read in the file."""
    placed = Placed(way, held)
    assert placed.contents() == [each[4] + each[6] for each in held]
    for (codec, kind, is_coded, is_text, _, _, _), is_in_file in zip(
        held, placed.in_file(), strict=True
    ):
        has_texts = is_text and (kind == DICTIONARY_PAGE or not is_coded)
        assert not (is_in_file and has_texts)
        assert is_in_file or has_texts or codec == SNAPPY


@ways
@pytest.mark.parametrize("size", [1, 59, 60, 61, 255, 256, 257, 65535, 65536])
def test_what_snappy_did_not_compress_is_read_in_the_file(way: Any, size: int) -> None:
    """A page of up to 64 KiB that Snappy could not compress is not copied."""
    placed = Placed(way, [(SNAPPY, DATA_PAGE, True, True, b"", snappy(noise(size)), noise(size))])
    assert placed.in_file() == [True]
    assert placed.contents() == [noise(size)]


@ways
@pytest.mark.parametrize(
    ("packed", "content"),
    [
        (snappy(noise(65537)), noise(65537)),
        (snappy(b"ab" * 50), b"ab" * 50),
        (b"\x04\x0cabcd", b"abc"),
        (b"\x03\x0cabcd", b"abc"),
        (b"\x04\x0cabc", b"abcd"),
        (b"\x04\x08abcd", b"abcd"),
        (b"\x04\x0cabcde", b"abcd"),
        (b"\x04\x0dabcd", b"abcd"),
        (b"\x04\x0eabcd", b"abcd"),
        (b"\x04\xf4\x03\x00\x00", b"abcd"),
        (b"\x04\xf0", b"abcd"),
        (b"\x04", b"abcd"),
        (b"", b"abcd"),
    ],
    ids=range(13),
)
def test_other_pages_are_left_to_the_library(way: Any, packed: bytes, content: bytes) -> None:
    """Pages of several elements, and damaged ones, are decompressed by the library."""
    placed = Placed(way, [(SNAPPY, DATA_PAGE, False, False, b"", packed, content)])
    assert placed.ranges == [[0, len(packed), 0, len(content), SNAPPY]]


@ways
def test_each_form_of_a_literal_is_known(way: Any) -> None:
    """A literal may say its size in the first byte, or in one to four bytes after it."""
    for head in (b"\x0c", b"\xf0\x03", b"\xf4\x03\0", b"\xf8\x03\0\0", b"\xfc\x03\0\0\0"):
        packed = b"\x04" + head + b"abcd"
        assert bytes(cramjam.snappy.decompress_raw(packed)) == b"abcd"
        placed = Placed(way, [(SNAPPY, DATA_PAGE, False, False, b"", packed, b"abcd")])
        assert placed.in_file() == [True]
        assert placed.contents() == [b"abcd"]


@ways
def test_a_flipped_bit_of_a_literal_gives_what_the_library_gives(way: Any) -> None:
    """A damaged page is left to the library, or has the bytes that the library finds in it."""
    sound = snappy(noise(300))
    for bit in range(8 * 6):
        packed = bytearray(sound)
        packed[bit // 8] ^= 1 << bit % 8
        placed = Placed(way, [(SNAPPY, DATA_PAGE, False, False, b"", bytes(packed), noise(300))])
        if placed.in_file() == [True]:
            wanted = bytes(cramjam.snappy.decompress_raw(bytes(packed)))
            assert placed.contents() == [wanted]


@ways
@pytest.mark.parametrize("slack", [0, SLACK - 1, SLACK])
def test_pages_at_the_end_of_memory_are_copied(way: Any, slack: int) -> None:
    """Loops read eight bytes at once: a page without as many bytes after it is copied."""
    placed = Placed(way, [(PLAIN, DATA_PAGE, False, False, b"12345678", b"", b"")], slack)
    assert placed.in_file() == [slack == SLACK]
    assert placed.contents() == [b"12345678"]


@ways
@pytest.mark.parametrize("count", [1, 7, 8, 9, 64])
def test_columns_have_room_for_their_values(way: Any, count: int) -> None:
    """Each column's values or offsets, and its validity, begin at multiples of 64 bytes."""
    forms = [(NUMBERS, 8), (TEXTS, -1), (NUMBERS, 4), (INTEGERS, 4), (DECIMALS, 7), (FLAGS, 1)]
    leaves = np.array([[0, width, 0, number % 2] for number, (_, width) in enumerate(forms)])
    columns = np.zeros((6, COLUMN_FIELDS), np.int64)
    columns[:, 0] = [form for form, _ in forms]
    size = way(place_columns)(leaves, np.array([2, 1, 3, 1, 1, 1]), count, columns)
    assert columns[:3, 1:5].tolist() == [[8, 0, 0, 2], [0, 1, 2, 3], [4, 0, 3, 6]]
    wanted, at = [], 0
    flags = -(-count // 8)
    sizes = [8 * count, 8 * count + 8, 4 * count, 16 * count, 16 * count, flags]
    for number, held in enumerate(sizes):
        values = -(-held // 64) * 64
        wanted.append([at, at + values])
        at += values + 64 * (number % 2)
    assert columns[:, 5:7].tolist() == wanted
    assert size == at
