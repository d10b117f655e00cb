"""Whole files are read as one table or in batches, within limits, as commands read them.

Commands show only the rows: limits, and where batches end, are seen in this internal module.
"""

from __future__ import annotations

from contextlib import closing
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from byteloom.errors import FormatError, LimitExceeded
from byteloom.limits import Limits
from byteloom.parquet.whole import batches_of, read_columns, sound_file
from byteloom.storage import open_source

if TYPE_CHECKING:
    from pathlib import Path


def written(columns: dict[str, Any], **options: Any) -> bytes:
    """Return a file in memory."""
    out = BytesIO()
    pq.write_table(pa.table(columns), out, **options)
    return out.getvalue()


def test_columns_are_given_that_the_file_has() -> None:
    """The wanted columns that a file has are read whole, in the order asked for."""
    inner = [{"a": 1, "b": "x"}, {"a": 2, "b": None}]
    columns = {"s": inner, "s.a": [5, 6], "t": ["u", None]}
    data = written(columns, row_group_size=1)
    assert read_columns(data, ["t", "no", "s"], Limits()).to_pydict() == {
        "t": columns["t"],
        "s": inner,
    }
    assert read_columns(data, ["no"], Limits()).num_columns == 0


def test_rows_far_larger_than_their_file_are_refused() -> None:
    """Rows of exactly the limit are read, and refused if they take one byte more."""
    data = written({"s": ["x" * 100_000] * 500}, compression="zstd", write_statistics=False)
    size = sum(each.nbytes for each in read_columns(data, ["s"], Limits()).to_batches())
    assert size > 50_000_000
    read_columns(data, ["s"], Limits(decompressed_size=size, expansion=0))
    said = r"^parquet: found rows of more than \d+ bytes, wanted at most \d+ \(limits\.decompressed"
    with pytest.raises(LimitExceeded, match=said):
        read_columns(data, ["s"], Limits(decompressed_size=size - 1, expansion=0))


def test_pages_of_a_table_beyond_the_limits_are_refused() -> None:
    """A page beyond the limit is refused before it is decompressed."""
    data = written({"s": ["x" * 9_000], "n": [1]}, compression="zstd", use_dictionary=False)
    limits = Limits(decompressed_size=9_000, expansion=0)
    with pytest.raises(LimitExceeded, match=r"columns\[0\] at byte \d+ .*: found a page of 9010 b"):
        read_columns(data, ["s"], limits)
    assert read_columns(data, ["n"], limits).to_pydict() == {"n": [1]}


def test_what_is_no_sound_file_is_refused() -> None:
    """A file that is not sound Parquet is a `FormatError`."""
    with pytest.raises(FormatError, match=r"^parquet: found .*, wanted a sound Parquet file$"):
        read_columns(b"PAR1", ["s"], Limits())


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


def test_pages_of_batches_beyond_the_limits_are_refused(place: str) -> None:
    """Pages beyond the limit are refused, and no batch is read."""
    limits = Limits(decompressed_size=10, expansion=0)
    with closing(open_source(place)) as source:
        file = sound_file(source)
        with pytest.raises(LimitExceeded, match=r"limits\.decompressed_size"):
            next(batches_of(source, file, ["a"], limits))
