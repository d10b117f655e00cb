"""``byteloom hfile build`` makes HFiles from Parquet and CSV."""

from __future__ import annotations

import json
from time import time_ns
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv
from tests.support.cli import byteloom
from tests.support.gallery import rows
from tests.support.hfile_cells import regular

from byteloom import hfile

if TYPE_CHECKING:
    from pathlib import Path


def read(place: Path) -> pa.Table:
    """Return all cells of a file that verifies."""
    with hfile.open(place) as file:
        file.verify()
        return file.read()


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_what_scan_prints_is_built_again(tmp_path: Path, form: str) -> None:
    """What `scan` prints, `build` makes into the same cells, for any bytes."""
    cells = pa.table(
        {
            "row": [b"a\\b", b"a\xff\x00", b"b,c"],
            "family": [b"f"] * 3,
            "qualifier": [b"", b'q"', b"q\n"],
            "timestamp": [5, 4, 3],
            "type": pa.array([4, 8, 14], pa.uint8()),
            "value": [b"\x00\x01", b"", "straße".encode()],
        }
    )
    pq.write_table(cells, tmp_path / "in.parquet")
    first = byteloom("hfile", "build", tmp_path / "1.hfile", "--from", tmp_path / "in.parquet")
    assert first.status == 0, first.err
    assert first.out == f"3 cells, {(tmp_path / '1.hfile').stat().st_size:,} bytes\n"
    place = tmp_path / f"again.{form}"
    if form == "parquet":
        byteloom("hfile", "scan", tmp_path / "1.hfile", "--format", form, "-o", place)
    else:
        place.write_text(byteloom("hfile", "scan", tmp_path / "1.hfile", "--format", form).out)
    second = byteloom("hfile", "build", tmp_path / "2.hfile", "--from", place)
    assert second.status == 0, second.err
    assert read(tmp_path / "2.hfile").equals(read(tmp_path / "1.hfile"))
    assert read(tmp_path / "2.hfile").select(cells.column_names).to_pydict() == cells.to_pydict()


def test_every_setting(tmp_path: Path) -> None:
    """Options of `build` set codec, encoding, filters, sizes, columns, family and file info."""
    cells = regular(5_000)
    table = pa.table({"id": cells["row"], "payload": cells["value"], "other": cells["timestamp"]})
    pq.write_table(table.take(list(range(4_999, -1, -1))), tmp_path / "in.parquet")
    (tmp_path / "long").write_text("from a file")
    done = byteloom(
        "hfile", "build", tmp_path / "x", "--from", tmp_path / "in.parquet", "--sort",
        "--codec", "ZSTD", "--encoding", "FAST_DIFF", "--bloom", "ROWPREFIX:7",
        "--bloom", "DELETE_FAMILY", "--block-size", "4096", "--columns", "row=id,value=payload",
        "--family", "cf", "--info", "who=me", "--info", f"what=@{tmp_path / 'long'}",
    )  # fmt: skip
    assert done.status == 0, done.err
    with hfile.open(tmp_path / "x") as file:
        assert file.verify() == 5_000
        assert file.read(["row"])["row"].to_pylist() == cells["row"].to_pylist()
        assert file.read(["family"])["family"].unique().to_pylist() == [b"cf"]
        assert (file.trailer.compression_codec, file.form.encoding) == ("ZSTD", "FAST_DIFF")
        assert file.file_info[b"BLOOM_FILTER_TYPE"] == b"ROWPREFIX_FIXED_LENGTH"
        assert (file.file_info[b"who"], file.file_info[b"what"]) == (b"me", b"from a file")
        assert len(list(file.stored_blocks())) > 20


def test_where_blocks_end(tmp_path: Path) -> None:
    """Options end blocks by a ratio of encoded bytes or by a compressed size, with a limit."""
    pq.write_table(regular(5_000), tmp_path / "in.parquet")
    build = ("hfile", "build", tmp_path / "x", "--from", tmp_path / "in.parquet", "--force")
    counts = []
    for options in (
        (), ("--encoded-ratio", "0.5"), ("--by-compressed-size",),
        ("--by-compressed-size", "--max-uncompressed-size", "8192"),
    ):  # fmt: skip
        done = byteloom(*build, "--codec", "GZ", "--block-size", "4096", *options)
        assert done.status == 0, done.err
        with hfile.open(tmp_path / "x") as file:
            assert file.verify() == 5_000
            counts.append(len(list(file.stored_blocks())))
    plain, half, compressed, limited = counts
    assert compressed < limited < plain < half
    alone = byteloom(*build, "--max-uncompressed-size", "8192")
    assert alone.status == 2
    assert "--by-compressed-size" in alone.err


def test_a_file_for_hudi(tmp_path: Path) -> None:
    """With the Hudi profile, keys and values make a file for metadata tables."""
    pq.write_table(pa.table({"key": ["a", "b"], "value": [b"1", b"2"]}), tmp_path / "in.parquet")
    done = byteloom(
        "hfile", "build", tmp_path / "x", "--from", tmp_path / "in.parquet", "--profile", "hudi"
    )
    assert done.status == 0, done.err
    with hfile.open(tmp_path / "x") as file:
        assert file.file_info[b"maxRecordKey"] == b"b"
        assert file.trailer.compression_codec == "GZ"
    facts = json.loads(byteloom("inspect", tmp_path / "x", "--json").out)["facts"]
    assert (facts["dialect"], facts["made_for"]) == ("hbase", "hudi")


def test_an_encrypted_file(tmp_path: Path) -> None:
    """An HFile built with a key is encrypted, and read with the same key."""
    pq.write_table(pa.table({"row": ["a", "b"]}), tmp_path / "in.parquet")
    command = ("hfile", "build", tmp_path / "x", "--from", tmp_path / "in.parquet")
    done = byteloom(*command, "--key", "00" * 16)
    assert done.status == 0, done.err
    locked = byteloom("verify", tmp_path / "x")
    assert (locked.status, locked.out.split()[0]) == (1, "unreadable")
    assert locked.out.endswith("(key=..., on the command line --key)\n")
    assert byteloom("verify", tmp_path / "x", "--key", "00" * 16).status == 0
    assert byteloom("hfile", "get", tmp_path / "x", "b", "--key", "00" * 16).status == 0
    assert byteloom(*command, "--force", "--key", "00").status in {1, 2}


def test_files_that_are_there_stay(tmp_path: Path) -> None:
    """`build` replaces a file only with --force, and never when it fails."""
    pq.write_table(pa.table({"row": ["b", "a"]}), tmp_path / "in.parquet")
    place = tmp_path / "x"
    place.write_bytes(b"before")
    command = ("hfile", "build", place, "--from", tmp_path / "in.parquet")
    assert "--force" in byteloom(*command).err
    unsorted = byteloom(*command, "--force")
    assert (unsorted.status, place.read_bytes()) == (1, b"before")
    assert "found row b'a'" in unsorted.err
    assert "after row b'b'" in unsorted.err
    assert "--sort" in unsorted.err
    assert byteloom(*command, "--force", "--sort").status == 0
    assert read(place).num_rows == 2


@pytest.mark.parametrize(
    ("text", "options", "word"),
    rows("cli/hfile_build", "what_is_wrong_is_a_line"),
)
def test_what_is_wrong_is_a_line(tmp_path: Path, text: str, options: list[str], word: str) -> None:
    """Bad input of `build` gives status 1, one line of error, and no file."""
    (tmp_path / "in.csv").write_text(text)
    done = byteloom("hfile", "build", tmp_path / "x", "--from", tmp_path / "in.csv", *options)
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("byteloom: ")
    assert word in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    rows("cli/hfile_build", "names_go_in_any_case_and_wrong_ones_are_reported"),
)
def test_names_go_in_any_case_and_wrong_ones_are_reported(
    tmp_path: Path, options: list[str], message: str
) -> None:
    """Names of codecs, encodings and filters ignore case; an invalid one names its option."""
    pq.write_table(pa.table({"row": ["a"]}), tmp_path / "in.parquet")
    done = byteloom(
        "hfile", "build", tmp_path / "1.hfile", "--from", tmp_path / "in.parquet", *options
    )
    assert message in " ".join(done.err.replace("│", " ").split())
    assert (done.status == 0) is (not message)
    assert (tmp_path / "1.hfile").exists() is (not message)
    if not message:
        assert done.out.startswith("1 cell, ")
        empty = byteloom("hfile", "scan", tmp_path / "1.hfile", "--from", "b")
        assert empty.out.split() == ["row", "family", "qualifier", "timestamp", "type", "value"]


@pytest.mark.parametrize("kind", ["int8", "int64", "uint64", "dictionary"])
def test_integers_of_parquet_are_the_text_that_csv_has(tmp_path: Path, kind: str) -> None:
    """The same rows give the same file from Parquet and CSV, with integers as keys and values."""
    numbers = pa.array([10, 9, 0, 127]).cast("int32" if kind == "dictionary" else kind)
    ids = numbers.dictionary_encode() if kind == "dictionary" else numbers
    pq.write_table(pa.table({"id": ids, "n": ids, "f": ids}), tmp_path / "in.parquet")
    csv.write_csv(pa.table({"id": numbers, "n": numbers, "f": numbers}), tmp_path / "in.csv")
    for form in ("parquet", "csv"):
        done = byteloom(
            "hfile", "build", tmp_path / form, "--from", tmp_path / f"in.{form}", "--sort",
            "--columns", "row=id,value=n,qualifier=f",
        )  # fmt: skip
        assert done.status == 0, done.err
    found = read(tmp_path / "parquet")
    assert found.equals(read(tmp_path / "csv"))
    assert found["row"].to_pylist() == found["value"].to_pylist() == [b"0", b"10", b"127", b"9"]


@pytest.mark.parametrize("sort", [[], ["--sort"]])
@pytest.mark.parametrize("kind", ["double", "bool", "date32"])
def test_a_column_of_other_numbers_says_how_it_becomes_text(
    tmp_path: Path, kind: str, sort: list[str]
) -> None:
    """The error about other numbers as row keys names a way that works: the same rows as CSV."""
    numbers = pa.array([0, 1], pa.int32())
    rows = pa.table({"id": numbers.cast(kind), "name": ["a", "b"]})
    pq.write_table(rows, tmp_path / "in.parquet")
    csv.write_csv(rows, tmp_path / "in.csv")
    out, options = tmp_path / "x", ("--columns", "row=id,value=name", *sort)
    done = byteloom("hfile", "build", out, "--from", tmp_path / "in.parquet", *options)
    wanted = "bytes or text; a .csv file as input has text, in Python `column.cast('string')`"
    assert done.err.startswith(f"byteloom: {tmp_path}/in.parquet: row: found {rows['id'].type}, ")
    assert wanted in done.err
    assert byteloom("hfile", "build", out, "--from", tmp_path / "in.csv", *options).status == 0


def test_a_null_among_integers_is_refused(tmp_path: Path) -> None:
    """A cell has no null, so an integer that is missing is an error, as a missing text is."""
    pq.write_table(pa.table({"row": pa.array([1, None, 2])}), tmp_path / "in.parquet")
    done = byteloom("hfile", "build", tmp_path / "x", "--from", tmp_path / "in.parquet")
    assert done.status == 1
    assert "in.parquet: row: found 1 null" in done.err


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_a_timestamp_for_all_cells(tmp_path: Path, form: str) -> None:
    """`--timestamp` gives all cells one time, of now or in milliseconds, where no column has it."""
    rows = pa.table({"row": ["a", "b"], "value": ["1", "2"]})
    times = rows.append_column("timestamp", pa.array([3, 4]))
    for name, table in (("rows", rows), ("times", times)):
        place = tmp_path / f"{name}.{form}"
        csv.write_csv(table, place) if form == "csv" else pq.write_table(table, place)

    def stamps(name: str, moment: str) -> list[int]:
        out = tmp_path / "x"
        done = byteloom(
            "hfile", "build", out, "--from", tmp_path / f"{name}.{form}", "--timestamp", moment,
            "--force",
        )  # fmt: skip
        assert done.status == 0, done.err
        found: list[int] = read(out)["timestamp"].to_pylist()
        return found

    assert stamps("rows", "1700000000000") == [1_700_000_000_000] * 2
    assert stamps("times", "1700000000000") == [3, 4]
    before = time_ns() // 1_000_000
    first, second = stamps("rows", "now")
    assert before <= first == second <= time_ns() // 1_000_000


@pytest.mark.parametrize("given", ["yesterday", "", "1.5", "9223372036854775808", "NOW+1"])
def test_a_wrong_timestamp_names_the_option(tmp_path: Path, given: str) -> None:
    """What is neither NOW nor milliseconds of 64 bits is refused before anything is read."""
    (tmp_path / "in.csv").write_text("row\na\n")
    done = byteloom(
        "hfile", "build", tmp_path / "x", "--from", tmp_path / "in.csv", "--timestamp", given
    )
    assert (done.status, done.out) == (2, "")
    shown = " ".join(done.err.replace("│", " ").split())
    assert f"--timestamp: found {given!r}, wanted NOW or milliseconds since 1970" in shown
    assert not (tmp_path / "x").exists()


def test_the_timestamp_of_cells_without_one_is_reported(tmp_path: Path) -> None:
    """Where neither a column nor an option gives timestamps, stderr says which one cells have."""
    (tmp_path / "in.csv").write_text("row,family,value\na,f,1\n")
    (tmp_path / "timed.csv").write_text("row,family,value,timestamp\na,f,1,7\n")
    build = ("hfile", "build", tmp_path / "a.hfile", "--force", "--from")
    done = byteloom(*build, tmp_path / "in.csv")
    (timestamp,) = read(tmp_path / "a.hfile")["timestamp"].to_pylist()
    assert timestamp == 2**63 - 1
    assert (
        f"in.csv: no column timestamp, so all cells have the latest timestamp, {timestamp}; "
        in (done.err)
    )
    assert "--timestamp gives another" in done.err
    assert not byteloom(*build, tmp_path / "in.csv", "--timestamp", "7").err
    assert not byteloom(*build, tmp_path / "timed.csv").err


def test_a_negative_timestamp_is_refused_as_hbase_cannot_read_it(tmp_path: Path) -> None:
    """A time before 1970 is refused without a delta encoding, and kept with one."""
    (tmp_path / "in.csv").write_text("row\na\n")
    build = ("hfile", "build", tmp_path / "x", "--from", tmp_path / "in.csv", "--timestamp=-5")
    assert "cells[0].timestamp: found -5" in byteloom(*build).err
    assert byteloom(*build, "--encoding", "DIFF").status == 0
    assert read(tmp_path / "x")["timestamp"].to_pylist() == [-5]


def test_an_empty_row_key_of_a_parquet_file_is_refused(tmp_path: Path) -> None:
    """HBase takes no empty row, so neither does `build`; of Parquet, the cell's number is named."""
    pq.write_table(pa.table({"row": [b"", b"a"]}), tmp_path / "in.parquet")
    done = byteloom("hfile", "build", tmp_path / "x", "--from", tmp_path / "in.parquet")
    assert done.status == 1
    assert "in.parquet: cells[0].row: found an empty row key, wanted at least one byte" in done.err


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("row=id,value=name,value=city", "'value=city': found value twice, wanted one column"),
        ("row=id,valu=city", "'valu=city': found 'valu', wanted one of row, family, qualifier,"),
        ("id=row", "'id=row': found the column first, wanted row=id"),
        ("row=", "'row=': found no column, wanted NAME=COLUMN"),
    ],
)
def test_a_wrong_pair_of_columns_says_what_is_wrong(
    tmp_path: Path, given: str, wanted: str
) -> None:
    """A part that is given twice, is unknown or comes after the column has an error of its own."""
    (tmp_path / "in.csv").write_text("id,name,city\n1,a,b\n")
    options = ["--from", tmp_path / "in.csv", "--columns", given]
    outcome = byteloom("hfile", "build", tmp_path / "out.hfile", *options)
    assert outcome.status == 2
    assert wanted in " ".join(outcome.err.replace("│", " ").split())
