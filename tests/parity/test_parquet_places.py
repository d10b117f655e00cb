"""Pages of plain Parquet columns are read where the file has their bytes, or decompressed."""

from __future__ import annotations

from typing import Any, Final

import cramjam
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.kernel_ways import bytes_of, ways

from byteloom.kernels.parquet_forms import DECIMALS, FLAGS, INTEGERS, NUMBERS, TEXTS
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
from byteloom.kernels.parquet_values import COLUMN_FIELDS, place_columns
from byteloom_generated.parquet.footers import CODECS, TYPES

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
