"""Structs of footers and page headers, and the values of Thrift in them, in the kernels' loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.support.kernel_ways import bytes_of, ways

from byteloom.kernels.parquet_pages import PAGE_FIELDS, ZSTD, find_pages
from byteloom.kernels.parquet_structs import (
    BOUND,
    ENCRYPTED,
    END,
    FIELDS,
    HISTOGRAM,
    IS_PLAIN,
    OTHERS,
    TEXT_SIZE,
    TYPE,
    UNKNOWN_CODEC,
    VALUES,
    chunk_at,
    layout,
    take_struct,
)
from byteloom.kernels.thrift import passed, varint

INT64 = [2, 8, 0, 1]
TEXT = [6, -1, 0, 1]


def chunk(meta: str, around: str = "") -> bytes:
    """Return a column chunk, in Thrift's compact protocol, with these fields of its metadata."""
    return bytes.fromhex(f"3c {meta} 00 {around} 00")


@pytest.mark.parametrize(
    ("meta", "leaf", "code"),
    [
        ("15 04", INT64, 0),
        ("15 0c", INT64, TYPE),
        ("18 01 61", INT64, 0),  # field 1 as bytes, which no reader takes for a type
        ("cc 18 02 61 62 00", INT64, BOUND),
        ("cc 18 02 61 62 00", TEXT, 0),
        ("cc 58 08 6161616161616161 00", INT64, 0),
        ("0c 20 16 02 00", INT64, TEXT_SIZE),
        ("0c 20 16 02 00", TEXT, 0),
        ("0c 20 39 26 02 02 00", INT64, 0),
        ("0c 20 39 36 02 02 02 00", INT64, HISTOGRAM),
        ("45 0e", INT64, 0),
        ("45 10", INT64, UNKNOWN_CODEC),
        ("45 06", INT64, UNKNOWN_CODEC),
        ("45 01", INT64, UNKNOWN_CODEC),
        ("45 22 8c 18 02 61 62 00", INT64, BOUND),
    ],
)
def test_a_chunk_is_compared_with_its_leaf(meta: str, leaf: list[int], code: int) -> None:
    """A chunk has the type, bounds, histograms and text sizes of its leaf, and a known codec."""
    data = np.frombuffer(chunk(meta), np.uint8)
    found = chunk_at(data, 0, np.array(leaf, np.int64), np.zeros(FIELDS, np.int64))
    assert tuple(map(int, found)) == (code, len(data))


@pytest.mark.parametrize(("around", "code"), [("5c 00", ENCRYPTED), ("6c 00", 0)])
def test_fields_around_the_metadata_make_a_chunk_unusual(around: str, code: int) -> None:
    """A chunk with encryption keys is refused, and one with unknown fields is not plain."""
    data, here = np.frombuffer(chunk("56 0e", around), np.uint8), np.zeros(FIELDS, np.int64)
    assert int(chunk_at(data, 0, np.array(INT64, np.int64), here)[0]) == code
    assert (int(here[VALUES]), bool(here[IS_PLAIN])) == (7, bool(code))


def test_a_layout_says_what_is_taken() -> None:
    """A layout takes numbers, sizes of bytes, and offsets of structs, and counts other fields."""
    paths = {"type": 1, "meta_data" + END: 2, "meta_data": 3, "meta_data.codec": 4, "file_path": 5}
    paths = {path: slot for path, slot in paths.items() if path != "type"}
    data = np.frombuffer(bytes.fromhex("18 03 616263 2c 45 04 00 15 02 00"), np.uint8)
    found = np.zeros(6, np.int64)
    assert int(take_struct(data, 0, layout("ColumnChunk", paths), found)) == len(data)
    assert found.tolist() == [1, 0, 9, 6, 2, 3]
    assert found[OTHERS] == 1


def test_a_layout_of_a_name_that_the_spec_lacks_is_refused() -> None:
    """Making a layout of a field that the spec does not have raises a `KeyError`."""
    with pytest.raises(KeyError, match="num_valuez"):
        layout("ColumnChunk", {"meta_data.num_valuez": 1})


I8, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = 3, 6, 7, 8, 9, 10, 11, 12


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (I8, "7f"),
        (I8, "80"),
        (I64, "ff01"),
        (DOUBLE, "00" * 8),
        (BINARY, "03616263"),
        (BINARY, "00"),
        (LIST, "06"),
        (LIST, "36 02 8001 04"),
        (LIST, f"f6 10 {'02' * 16}"),
        (LIST, "28 0161 026262"),
        (LIST, "2c 1502 00 00"),
        (LIST, "29 16 02 26 02 8001"),
        (SET, "28 0161 026262"),
        (MAP, "00"),
        (MAP, "02 86 0161 02 026262 8001"),
        (MAP, "02 68 02 0161 8001 026262"),
        (MAP, "01 8c 0161 1502 00"),
        (MAP, "01 8b 0161 01 68 02 0161"),
        (STRUCT, "00"),
        (STRUCT, "1502 00"),
        (STRUCT, "1b 01 86 0161 02 18 0161 00"),
        (STRUCT, "05 8002 02 00"),
        (STRUCT, "11 12 00"),
    ],
)
def test_a_value_is_passed_by_its_type(kind: int, value: str) -> None:
    """A value of any type is skipped to its end, and no prefix of it has an end."""
    data = bytes.fromhex(value)
    assert passed(np.frombuffer(data + b"\x18\x18\x18", np.uint8), 0, kind) == len(data)
    for size in range(len(data)):
        assert passed(np.frombuffer(data[:size], np.uint8), 0, kind) > size


@pytest.mark.parametrize(
    ("data", "value"),
    [
        ("7f", 127),
        ("8001", 128),
        ("ff" * 8 + "7f", (1 << 63) - 1),
        ("ff" * 9 + "01", (1 << 63) - 1),
        ("80" * 9 + "01", 0),
    ],
)
def test_a_number_has_63_bits(data: str, value: int) -> None:
    """Of a number of 64 bits, more than any length has, the highest bit is left out."""
    stored = np.frombuffer(bytes.fromhex(data), np.uint8)
    assert varint(stored, 0) == (value, len(stored))
    assert varint(stored[:-1], 0)[1] > len(stored) - 1


PAGE_VALUES = 5
V1, DICTIONARY, V2 = (
    (PAGE_VALUES, 0, 3, 3),
    (PAGE_VALUES, 0),
    (PAGE_VALUES, 0, PAGE_VALUES, 0, 1, 2),
)
"""The numbers in the headers of the three kinds of pages."""


def integer(number: int) -> bytes:
    """Return a field of 32 bits, the next one after the last."""
    left, out = number << 1 ^ number >> 31, b"\x15"
    while left >> 7:
        out, left = out + bytes([left & 0x7F | 0x80]), left >> 7
    return out + bytes([left])


def page(
    raw: int, stored: int, *parts: tuple[int, tuple[int, ...]], size: int | None = None
) -> bytes:
    """Return a page with these sizes and with headers, by the numbers of their fields."""
    out, last = b"".join(map(integer, (0, raw, stored))), 3
    for field, numbers in parts:
        out += bytes([field - last << 4 | 12]) + b"".join(map(integer, numbers)) + b"\0"
        last = field
    return out + b"\0" + bytes(max(stored, 0) if size is None else size)


def found(way: Any, data: bytes, values: int = PAGE_VALUES, more: bytes = b"") -> Any:
    """Return where the bytes of each page of a chunk are, or the code of a refusal."""
    chunks = np.array([[0, 0, 0, len(data), values, ZSTD, 0]], np.int64)
    pages, sums = np.zeros((4, PAGE_FIELDS), np.int64), np.zeros(4, np.int64)
    count = way(find_pages)(bytes_of(data + more), chunks, pages, sums)
    return [each[4:8] for each in pages[:count].tolist()] if count >= 0 else count


@ways
@pytest.mark.parametrize(
    ("part", "plain"),
    [((5, V1), 0), ((8, V2), 3), ((8, (PAGE_VALUES, 0, PAGE_VALUES, 0, 10, 0)), 10)],
)
def test_a_page_has_its_place_and_its_sizes(
    way: Any, part: tuple[int, tuple[int, ...]], plain: int
) -> None:
    """A page is found with its place and sizes, and the size of its uncompressed levels."""
    data = page(20, 10, part)
    assert found(way, data) == [[len(data) - 10, len(data), plain, 20]]
    words = page(7, 6, (7, DICTIONARY))
    at = len(words) + len(data) - 10
    dictionary = [len(words) - 6, len(words), 0, 7]
    assert found(way, words + data) == [dictionary, [at, at + 10, plain, 20]]


@ways
@pytest.mark.parametrize(
    "data",
    [
        page(20, 11, (5, V1), size=10),
        page(20, -1, (5, V1)),
        page(-1, 10, (5, V1)),
        page(20, 10, (5, V1), (7, DICTIONARY)),
        page(20, 10, (8, (PAGE_VALUES, 0, PAGE_VALUES, 0, -1, 2))),
        page(20, 10, (8, (PAGE_VALUES, 0, PAGE_VALUES, 0, 2, -1))),
        page(20, 10, (8, (PAGE_VALUES, 0, PAGE_VALUES, 0, 9, 2))),
        page(9, 10, (8, (PAGE_VALUES, 0, PAGE_VALUES, 0, 8, 2))),
        page(20, 10, (5, (PAGE_VALUES - 1, 0, 3, 3))),
        page(20, 10, (5, (PAGE_VALUES + 1, 0, 3, 3))),
        page(20, 10, (5, (-PAGE_VALUES, 0, 3, 3))),
    ],
)
def test_unusual_pages_are_not_taken(way: Any, data: bytes) -> None:
    """Unusual pages are not taken, nor is a page that ends after its chunk."""
    assert found(way, data, more=bytes(50)) == -1


@ways
def test_a_page_of_no_kind_is_not_taken(way: Any) -> None:
    """A page without the header of a kind is not taken, even in a chunk without values."""
    assert found(way, page(20, 10), values=0) == -1
    assert found(way, page(20, 10, (5, (0, 0, 3, 3))), values=0) != -1
