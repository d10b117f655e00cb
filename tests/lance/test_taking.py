"""Rows are taken by their numbers from many pages together, in each encoding."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from tests.support.lance_tables import difference
from tests.support.written_lance import HARD, VERSIONS, hard, written

from byteloom import lance
from byteloom.errors import FormatError
from byteloom.lance.encodings import page_layout
from byteloom.lance.pages21.mini_block import MiniBlockPages
from byteloom.lance.stored_pages import StoredPage, fetched
from byteloom.limits import DEFAULT_LIMITS
from byteloom.storage.sources import BytesSource

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize(("pages", "is_local"), [(1, False), (9, False), (9, True)])
def test_taken_rows_are_those_of_the_table(
    name: str, version: str, pages: int, is_local: bool, tmp_path: Path
) -> None:
    """Rows are taken in any order, more than once, from one page or many, in memory or local.

    Small pages of a local file are read whole for many rows, and in ranges for few.
    """
    table = hard(name)
    data = written(table, version, page_size=table.nbytes // pages + 1)
    (tmp_path / "rows.lance").write_bytes(data)
    random = np.random.default_rng(pages)
    with lance.open(tmp_path / "rows.lance" if is_local else data) as file:
        for count in (0, 1, min(60, len(table)), min(200, len(table))):
            rows = random.integers(0, len(table), count)
            assert difference(file.take(rows), table.take(pa.array(rows))) is None


@pytest.mark.parametrize("version", VERSIONS)
def test_rows_are_taken_around_a_row_of_several_chunks(version: str) -> None:
    """A row next to one that spans several chunks is taken without that row's values."""
    ends = np.cumsum([0, 3, 5000, 1, 3, 5000, 1], dtype=np.int32)
    lists = pa.ListArray.from_arrays(pa.array(ends), pa.array(np.arange(ends[-1])))
    table = pa.table({"c": lists})
    with lance.open(written(table, version, page_size=30_000)) as file:
        for pair in combinations(range(len(table)), 2):
            assert difference(file.take(pair), table.take(list(pair))) is None


def numbers() -> pa.Table:
    """Integers with nulls, which take some pages of a few kilobytes."""
    values = np.arange(6_000)
    return pa.table({"c": pa.array(values, mask=values % 7 == 0)})


@pytest.mark.parametrize("version", VERSIONS)
def test_damage_in_one_of_many_pages_is_named_by_its_page(version: str) -> None:
    """The error names the damaged page; rows of other pages can still be taken."""
    table = numbers()
    data = bytearray(written(table, version, page_size=8_000))
    with lance.open(bytes(data)) as file:
        pages = file.columns()[0].pages
    at, size = pages[2].buffers[1]
    data[at + 2 : at + size] = b"\xff" * (size - 2)
    with lance.open(bytes(data)) as file:
        bad, good = pages[2].first, [0, pages[1].first + 3, pages[3].first + 1, len(table) - 1]
        with pytest.raises(FormatError, match=r"columns\[0\].pages\[2\].chunks\[0\]"):
            file.take([*good, bad])
        assert difference(file.take(good), table.take(good)) is None


@pytest.mark.parametrize(("gap", "requests"), [(1 << 14, 1), ((1 << 14) + 8, 2)])
def test_ranges_that_are_near_to_each_other_are_read_together(gap: int, requests: int) -> None:
    """Ranges up to 16 KiB apart are read by one request."""
    asked: list[tuple[int, int]] = []

    class Asked(BytesSource):
        def read_ranges(self, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
            asked.extend(ranges)
            return super().read_ranges(ranges)

    data = np.random.default_rng(1).integers(0, 256, 1 << 16, np.uint8)
    offsets, sizes = np.array([100 + 16 + gap, 100, 3]), np.array([24, 16, 5])
    found, places = fetched(Asked(data.tobytes()), offsets, sizes)
    assert len(asked) == requests + 1, "bytes that are 97 apart are not at multiples of eight"
    assert len(found) <= sum(size for _, size in asked) + 8 * len(asked)
    assert not (places % 8).any()
    for offset, size, place in zip(offsets, sizes, places, strict=True):
        assert np.array_equal(found[place : place + size], data[offset : offset + size])


@pytest.mark.parametrize("pages", [1, 2, 3])
def test_pages_with_dictionaries_are_decoded_together(pages: int) -> None:
    """Pages that each have a dictionary are decoded together, nulls included."""
    words = [f"text {number % 7}" if number % 5 else None for number in range(3_000)]
    parts = [[f"{page} {each}" if each else None for each in words] for page in range(pages)]
    table = pa.table({"c": pa.array([each for part in parts for each in part])})
    with lance.open(written(table, "2.1", page_size=-(-table.nbytes // pages))) as file:
        found = file.columns()[0].pages
        assert len(found) == pages
        stored = [StoredPage(each, file.source, DEFAULT_LIMITS) for each in found]
        layouts = [page_layout(each, DEFAULT_LIMITS).mini_block_layout for each in found]
    assert all(each.HasField("dictionary") for each in layouts)
    made = MiniBlockPages(stored, layouts, pa.string())
    assert made.whole().equals(table["c"].combine_chunks())
    rows = np.arange(0, len(table), 7)
    assert made.take(rows).equals(table["c"].combine_chunks().take(pa.array(rows)))


@pytest.mark.parametrize(("size", "width"), [(255, 1), (256, 2), (65_535, 2), (65_536, 4)])
def test_an_index_of_rows_is_as_narrow_as_its_page_allows(size: int, width: int) -> None:
    """The integers of a repetition index are as narrow as the size of the page allows."""
    asked = {"lance-encoding:structural-encoding": "fullzip", "lance-encoding:compression": "none"}
    schema = pa.schema([pa.field("c", pa.binary(), metadata=asked)])
    table = pa.table([pa.array([b"", b"x" * (size - 8)])], schema)
    with lance.open(written(table, "2.1")) as file:
        values, index = file.columns()[0].pages[0].buffers
        assert (values[1], index[1]) == (size, 3 * width)
        assert file.take([1])["c"].to_pylist() == [b"x" * (size - 8)]
