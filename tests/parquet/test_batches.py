"""Rows of whole Parquet files are read in batches, within limits, as commands read them."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from byteloom.errors import LimitExceeded
from byteloom.limits import Limits
from byteloom.parquet.whole import batches_of, sound_file
from byteloom.storage import open_source

if TYPE_CHECKING:
    from pathlib import Path

TABLE = pa.table(
    {
        "a": pa.array(range(10)),
        "a.b": pa.array([str(each) for each in range(10)]),
        "s": pa.array([{"x": each, "y": None} for each in range(10)]),
    }
)


@pytest.fixture
def place(tmp_path: Path) -> str:
    """Write a file of four row groups."""
    place = str(tmp_path / "t.parquet")
    pq.write_table(TABLE, place, row_group_size=3)
    return place


@pytest.mark.parametrize("columns", [["a"], ["s"], ["s", "a"], ["a", "a.b", "s"]])
def test_batches_have_the_rows_of_the_columns_that_are_asked_for(
    place: str, columns: list[str]
) -> None:
    """Batches have the rows of the chosen columns, in the order of the file."""
    with closing(open_source(place)) as source:
        found = pa.Table.from_batches(batches_of(source, sound_file(source), columns))
    assert found.select(columns).to_pylist() == TABLE.select(columns).to_pylist()


def test_batches_have_no_more_rows_than_are_asked_for(place: str) -> None:
    """A batch has at most the rows asked for, here two of a row group's three."""
    with closing(open_source(place)) as source:
        made = batches_of(source, sound_file(source), ["a"], most=2)
        assert [each.num_rows for each in made] == [2, 1, 2, 1, 2, 1, 1]


def test_text_that_a_page_repeats_is_read_some_rows_at_a_time(tmp_path: Path) -> None:
    """A column that repeats a text of 10 MB 40 times is read in batches of fewer than ten rows."""
    place = str(tmp_path / "t.parquet")
    codes = pa.array([0] * 40, pa.int32())
    texts = pa.DictionaryArray.from_arrays(codes, pa.array(["x" * 10_000_000]))
    pq.write_table(pa.table({"s": texts}), place, compression="zstd", write_statistics=False)
    with closing(open_source(place)) as source:
        sizes = [each.num_rows for each in batches_of(source, sound_file(source), ["s"])]
    assert sum(sizes) == 40
    assert max(sizes) < 10


def test_pages_beyond_the_limits_are_refused(place: str) -> None:
    """Pages beyond the limit are refused, and no batch is read."""
    limits = Limits(decompressed_size=10, expansion=0)
    with closing(open_source(place)) as source:
        file = sound_file(source)
        with pytest.raises(LimitExceeded, match=r"limits\.decompressed_size"):
            next(batches_of(source, file, ["a"], limits))
