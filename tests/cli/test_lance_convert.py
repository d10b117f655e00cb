"""``byteloom lance convert`` converts Parquet, Arrow and CSV to Lance, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from tests.support.cli import byteloom
from tests.support.gallery import rows

from byteloom import lance

if TYPE_CHECKING:
    from pathlib import Path

TABLE = pa.table({"id": range(1000), "text": [f"text {n}" for n in range(1000)]})


def put(place: Path) -> None:
    """Write `TABLE` in the form that the file's name says."""
    if place.suffix == ".parquet":
        pq.write_table(TABLE, place)
    elif place.suffix == ".csv":
        pa.csv.write_csv(TABLE, place)
    else:
        with pa.ipc.new_file(place, TABLE.schema) as writer:
            writer.write_table(TABLE, max_chunksize=300)


def got(place: Path) -> pa.Table:
    """Read a file in the form that its name says."""
    if place.suffix == ".parquet":
        return pq.read_table(place)
    if place.suffix == ".csv":
        return pa.csv.read_csv(place)
    return pa.ipc.open_file(place).read_all()


def test_only_columns_that_csv_cannot_have_are_named(tmp_path: Path) -> None:
    """The refusal of CSV names each column whose type it does not have, and no other."""
    rows = {"a": [1], "l": [[1, 2]], "b": [b"x"], "s": [{"x": 1}]}
    pq.write_table(pa.table(rows), tmp_path / "in.parquet")
    error = byteloom("lance", "convert", tmp_path / "in.parquet", tmp_path / "x.csv").err
    assert ": found columns l (list<element: int64>), s (struct<x: int64>), wanted types " in error


@pytest.mark.parametrize("form", ["parquet", "arrow", "csv"])
def test_a_file_becomes_lance_and_is_what_it_was_again(form: str, tmp_path: Path) -> None:
    """A file converted to Lance and back has the same rows, as a file or a dataset."""
    source, file = tmp_path / f"in.{form}", tmp_path / "x.lance"
    put(source)
    done = byteloom("lance", "convert", source, file, "--lance-version", "2.1")
    assert (done.status, done.out) == (0, "1,000 rows\n"), done.err
    with lance.open(file) as opened:
        assert (opened.version, opened.to_table()) == ("2.1", TABLE)
    done = byteloom("lance", "convert", source, tmp_path / "d", "--dataset", "-c", "id", "--json")
    assert (done.status, done.out.strip()) == (0, '{"rows": 1000}'), done.err
    assert lance.open_dataset(tmp_path / "d").to_table() == TABLE.select(["id"])
    for place in (file, tmp_path / "d"):
        done = byteloom("lance", "convert", place, tmp_path / f"out.{form}", "--force")
        assert done.status == 0, done.err
        wanted = TABLE if place == file else TABLE.select(["id"])
        assert got(tmp_path / f"out.{form}").equals(wanted)


def test_a_stream_in_a_file_is_read(tmp_path: Path) -> None:
    """A file with an Arrow stream is converted."""
    with pa.ipc.new_stream(tmp_path / "in.arrow", TABLE.schema) as writer:
        writer.write_table(TABLE)
    assert byteloom("lance", "convert", tmp_path / "in.arrow", tmp_path / "x.lance").status == 0
    with lance.open(tmp_path / "x.lance") as opened:
        assert opened.to_table() == TABLE


@pytest.mark.parametrize(
    ("source", "to", "message"),
    rows("cli/lance_convert", "what_cannot_be_converted_is_refused"),
)
def test_what_cannot_be_converted_is_refused(
    source: str, to: str, message: str, tmp_path: Path
) -> None:
    """An impossible conversion is refused in one line; no file is left or replaced."""
    put(tmp_path / "in.parquet")
    (tmp_path / "there.lance").write_text("here")
    (tmp_path / "bad.arrow").write_text("no Arrow at all")
    (tmp_path / "in.txt").write_text("text")
    pq.write_table(pa.table({"x": [[1]]}), tmp_path / "nested.parquet")
    before = sorted(tmp_path.iterdir())
    done = byteloom("lance", "convert", tmp_path / source, tmp_path / to)
    assert done.status != 0
    assert message in " ".join(done.err.split())
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "there.lance").read_text() == "here"


def test_columns_that_are_not_there_are_refused(tmp_path: Path) -> None:
    """The error for an unknown column names the file and its columns."""
    put(tmp_path / "in.parquet")
    done = byteloom("lance", "convert", tmp_path / "in.parquet", tmp_path / "x.lance", "-c", "no")
    assert done.status == 1
    assert "in.parquet: columns: found 'no'" in done.err
