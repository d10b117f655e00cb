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

if TYPE_CHECKING:
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


@pytest.mark.parametrize("pages", [1, 2, 3])
def test_pages_with_dictionaries_are_decoded_together(pages: int) -> None:
    """Pages that each have a dictionary are decoded together, nulls included."""
    words = [f"text {number % 7}" if number % 5 else None for number in range(3_000)]
    parts = [[f"{page} {each}" if each else None for each in words] for page in range(pages)]
    table = pa.table({"c": pa.array([each for part in parts for each in part])})
    rows = list(range(0, len(table), 7))
    with lance.open(written(table, "2.1", page_size=-(-table.nbytes // pages))) as file:
        assert len(file.columns()[0].pages) == pages
        assert difference(file.to_table(), table) is None
        assert difference(file.take(rows), table.take(rows)) is None


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
