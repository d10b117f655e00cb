"""Pages of a chunk are found by their headers, and unusual ones are left to another reader."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.support.kernel_ways import bytes_of, ways

from byteloom.kernels.parquet_pages import PAGE_FIELDS, ZSTD, find_pages

VALUES = 5
V1, DICTIONARY, V2 = (VALUES, 0, 3, 3), (VALUES, 0), (VALUES, 0, VALUES, 0, 1, 2)
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


def found(way: Any, data: bytes, values: int = VALUES, more: bytes = b"") -> Any:
    """Return where the bytes of each page of a chunk are, or the code of a refusal."""
    chunks = np.array([[0, 0, 0, len(data), values, ZSTD, 0]], np.int64)
    pages, sums = np.zeros((4, PAGE_FIELDS), np.int64), np.zeros(4, np.int64)
    count = way(find_pages)(bytes_of(data + more), chunks, pages, sums)
    return [each[4:8] for each in pages[:count].tolist()] if count >= 0 else count


@ways
@pytest.mark.parametrize(
    ("part", "plain"), [((5, V1), 0), ((8, V2), 3), ((8, (VALUES, 0, VALUES, 0, 10, 0)), 10)]
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
        page(20, 10, (8, (VALUES, 0, VALUES, 0, -1, 2))),
        page(20, 10, (8, (VALUES, 0, VALUES, 0, 2, -1))),
        page(20, 10, (8, (VALUES, 0, VALUES, 0, 9, 2))),
        page(9, 10, (8, (VALUES, 0, VALUES, 0, 8, 2))),
        page(20, 10, (5, (VALUES - 1, 0, 3, 3))),
        page(20, 10, (5, (VALUES + 1, 0, 3, 3))),
        page(20, 10, (5, (-VALUES, 0, 3, 3))),
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
