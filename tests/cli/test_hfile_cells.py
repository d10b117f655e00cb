"""`byteloom hfile get`, `scan`, `splits` and `stats` print cells, and what is known of them."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support.cli import byteloom
from tests.support.hfile_files import Built, Given

from byteloom.hfile import HFileWriter

ROWS = [b"a", b"a\x00", b"a\\", b"b", b"b\xff", b"c"]
TYPED = ["a", r"a\x00", r"a\x5C", "b", r"b\xFF", "c"]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write six cells in three blocks."""
    cells = [Given(row=row, value=b"v%d" % number) for number, row in enumerate(ROWS)]
    path = tmp_path_factory.mktemp("cells") / "rows"
    path.write_bytes(Built(blocks=[cells[0:2], cells[2:4], cells[4:6]]).data())
    return path


def rows(*arguments: object) -> list[str]:
    """Return the rows that a command prints, in JSON."""
    outcome = byteloom("hfile", *arguments, "--format", "json")
    assert outcome.err == ""
    return [json.loads(line)["row"] for line in outcome.out.splitlines()]


def test_a_scan_prints_columns(file: Path) -> None:
    """A scan prints bytes as HBase does, and types by name."""
    outcome = byteloom("hfile", "scan", file, "-n", 2)
    assert outcome.out.splitlines() == [
        "row    family  qualifier  timestamp  type  value",
        "a      f                  1          Put   v0",
        r"a\x00  f                  1          Put   v1",
    ]


def test_a_range_has_its_start_and_not_its_end(file: Path) -> None:
    """Scans have a start and no end, in both directions, or a prefix of rows."""
    assert rows("scan", file) == TYPED
    assert rows("scan", file, "--from", r"a\x00", "--to", "b") == TYPED[1:3]
    assert rows("scan", file, "--from", "b", "--reverse") == TYPED[:2:-1]
    assert rows("scan", file, "--prefix", "a", "--reverse", "--limit", 2) == TYPED[2:0:-1]
    assert rows("scan", file, "--limit", 0) == []


def test_rows_are_typed_in_hex_as_text_or_escaped(file: Path) -> None:
    """Rows are given and printed in hex, as text or escaped."""
    assert rows("get", file, *TYPED) == TYPED
    assert rows("get", file, "62ff", "61", "--bytes", "hex") == ["62ff", "61"]
    assert rows("get", file, "a\\", "--bytes", "text") == ["a\\"]


@pytest.mark.parametrize("form", ["json", "csv"])
def test_bytes_that_are_no_text_are_not_handed_to_a_program_as_text(file: Path, form: str) -> None:
    """Bytes that are not UTF-8 are refused as text for programs, and shown with U+FFFD."""
    outcome = byteloom("hfile", "scan", file, "--bytes", "text", "--format", form)
    assert outcome.status == 1
    assert outcome.err == (
        r"byteloom: row: found b'\xff' at byte 1 of it, wanted UTF-8; --bytes escaped or "
        "--bytes hex prints any bytes\n"
    )
    shown = byteloom("hfile", "scan", file, "--bytes", "text", "--columns", "row")
    assert (shown.status, shown.out.splitlines()[5]) == (0, "b\ufffd")


def test_a_row_that_is_not_there_is_named(file: Path) -> None:
    """A missing row is named on stderr with status 1; rows that exist are printed."""
    outcome = byteloom("hfile", "get", file, "b", "bb", "--format", "csv", "--columns", "row,value")
    assert (outcome.status, outcome.out) == (1, "row,value\nb,v3\n")
    assert outcome.err.endswith(": no row bb\n")


def test_parquet_keeps_bytes(file: Path, tmp_path: Path) -> None:
    """Parquet output has all columns with their bytes, in a file or on stdout."""
    out = tmp_path / "cells.parquet"
    outcome = byteloom("hfile", "scan", file, "--format", "parquet", "-o", out)
    table = pq.read_table(out)
    assert (outcome.status, table["row"].to_pylist(), table.num_columns) == (0, ROWS, 8)


def test_a_damaged_file_leaves_no_parquet(file: Path, tmp_path: Path) -> None:
    """A scan that fails leaves the old output file as it was."""
    broken, out = tmp_path / "broken", tmp_path / "cells.parquet"
    data = bytearray(file.read_bytes())
    data[40] ^= 1
    broken.write_bytes(data)
    out.write_text("before")
    outcome = byteloom("hfile", "scan", broken, "--format", "parquet", "-o", out, "--force")
    assert (outcome.status, out.read_text()) == (1, "before")
    assert "checksums" in outcome.err


@pytest.mark.parametrize(
    "wrong",
    [
        ["scan", "--prefix", "a", "--from", "b"],
        ["scan", "--columns", "row,rows"],
        ["scan", "--columns", "row,row"],
        ["scan", "-o", "x"],
        ["get", "--bytes", "hex", "xy"],
        ["scan", "--format", "xml"],
    ],
)
def test_wrong_usage_is_reported(file: Path, wrong: list[str]) -> None:
    """Options that contradict each other, or unknown columns, are status 2."""
    assert byteloom("hfile", wrong[0], file, *wrong[1:]).status == 2


def test_stats_measure_all_cells(tmp_path: Path) -> None:
    """`stats` counts cells, rows, types, times, and lengths of keys and values."""
    place = tmp_path / "cells.hfile"
    cells = {
        "row": [b"a", b"a", b"bcd"], "family": [b"f"] * 3, "qualifier": [b"", b"q", b""],
        "timestamp": [5, 9, 7], "type": pa.array([4, 4, 8], pa.uint8()),
        "value": [b"", b"1", b"12"],
    }  # fmt: skip
    with HFileWriter(place) as writer:
        writer.write(pa.table(cells))
    stats = json.loads(byteloom("hfile", "stats", place, "--json").out)
    assert (stats["cells"], stats["rows"]) == (3, 2)
    assert (stats["first_row"], stats["middle_row"], stats["last_row"]) == ("a", "a", "bcd")
    assert stats["types"] == {"Put": 2, "Delete": 1}
    assert stats["families"] == {"f": 3}
    assert stats["timestamps"] == {"min": 5, "max": 9}
    assert stats["row_bytes"] == {"min": 1, "mean": 1.7, "max": 3, "total": 5}
    assert stats["value_bytes"] == {"min": 0, "mean": 1.0, "max": 2, "total": 3}
    assert byteloom("hfile", "stats", place).out.startswith("cells            3\n")


def splits(*arguments: object) -> list[dict[str, Any]]:
    """Return the parts that `splits` prints."""
    outcome = byteloom("hfile", "splits", *arguments, "--json")
    assert (outcome.status, outcome.err) == (0, "")
    return [json.loads(line) for line in outcome.out.splitlines()]


@pytest.mark.parametrize(("parts", "count"), [(1, 1), (2, 2), (9, 3)])
def test_splits_are_ranges_that_make_up_the_file(parts: int, count: int, file: Path) -> None:
    """Scans of all parts, one after the other, print each cell once, and sizes add up."""
    found = splits(file, "--parts", parts)
    assert len(found) == count
    ends = [("--from", "from"), ("--to", "to")]
    ranges = [
        [word for option, key in ends if each[key] for word in (option, each[key])]
        for each in found
    ]
    assert [row for each in ranges for row in rows("scan", file, *each)] == rows("scan", file)
    assert [each["offset"] for each in found[1:]] == [
        each["offset"] + each["size"] for each in found[:-1]
    ]


def test_a_row_is_in_one_part(tmp_path: Path) -> None:
    """Blocks of one row are one part, however many parts are asked for."""
    cells = [Given(row=b"a", qualifier=b"%d" % number) for number in range(4)]
    path = tmp_path / "rows"
    path.write_bytes(Built(blocks=[[each] for each in [*cells, Given(row=b"b")]]).data())
    assert [
        (each["from"], each["to"]) for each in splits(path, "--parts", 5, "--bytes", "hex")
    ] == [
        (None, "61"),
        ("61", "62"),
        ("62", None),
    ]
