"""`byteloom lance`, and the reports of `inspect` and `verify` on Lance files."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support.cli import byteloom
from tests.support.lance_files import StoredPage, lance_field, lance_file
from tests.support.lance_pages import binary, ends, flat, no_nulls, page

from byteloom.lance import LanceWriter

if TYPE_CHECKING:
    from pathlib import Path

NUMBERS = np.arange(100, dtype=np.int64)
FLAT = no_nulls(flat(64))
NAMES = [f"n{number}" for number in range(100)]


def data(**values: Any) -> bytes:
    """Return a file of 100 numbers in two pages, and of their names in one."""
    text = "".join(NAMES).encode()
    stops = np.cumsum([len(each) for each in NAMES])
    fields = [lance_field("id", "int64", nullable=False), lance_field("name", "string", 1)]
    halves = [page(50, FLAT, part.tobytes()) for part in np.split(NUMBERS, 2)]
    names = [page(100, binary(len(text)), ends(*stops), text)]
    return lance_file(fields, [halves, names], rows=100, **values)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Write the file to disk."""
    path = tmp_path / "x.lance"
    path.write_bytes(data())
    return path


def rows(*arguments: object) -> list[dict[str, Any]]:
    """Return the rows that a command prints."""
    outcome = byteloom("lance", *arguments, "--json")
    assert (outcome.status, outcome.err) == (0, "")
    return [json.loads(line) for line in outcome.out.splitlines()]


def test_inspect_names_columns_and_the_runs_that_it_folds(tmp_path: Path) -> None:
    """Each column says its field and type, and a folded run names its first element."""
    file = tmp_path / "x.lance"
    columns = [f"c{number}" for number in range(5)]
    table = pa.table({name: pa.array([[1, None], None, [3]]) for name in columns})
    with LanceWriter(file, table.schema) as writer:
        writer.write(table)
    report = byteloom("inspect", file, "--depth", "1").out
    assert re.search(r"columns\[0\] +\d+ +\d+  'c0[^']*: int64'", report)
    folded = re.findall(r"├─ (\S+)… +\d+ +\d+  … \d+ more", report)
    assert folded
    assert all(re.fullmatch(r"columns\[\d\]\.pages\[0\]\.buffers\[\d\]", each) for each in folded)
    assert not re.search(r"columns\[[5-9]\]", report)


def test_narrow_trees_keep_offsets_and_sizes(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a narrow screen names and values are cut, with a mark, and offsets and sizes are whole."""
    wide = [each for each in byteloom("inspect", file).out.splitlines() if "─ " in each]
    monkeypatch.setenv("COLUMNS", "40")
    narrow = [each for each in byteloom("inspect", file).out.splitlines() if "─ " in each]
    numbers = [re.findall(r" +(\d+)  +(\d+)(?:  |$)", each)[:1] for each in narrow]
    assert numbers == [re.findall(r" +(\d+)  +(\d+)(?:  |$)", each)[:1] for each in wide]
    assert all(numbers)
    assert max(map(len, narrow)) <= 40
    assert any("… " in each for each in narrow)


def test_cat_prints_rows(file: Path) -> None:
    """`cat` prints all rows, some columns, a range, or the first rows."""
    assert rows("cat", file)[99] == {"id": 99, "name": "n99"}
    assert rows("cat", file, "--rows", "48:52", "-c", "name") == [
        {"name": name} for name in NAMES[48:52]
    ]
    assert rows("cat", file, "--rows", ":2") == rows("cat", file, "-n", 2)
    assert rows("cat", file, "--rows", "98:1000", "-c", "id") == [{"id": 98}, {"id": 99}]


def test_cat_prints_the_rows_that_match(file: Path) -> None:
    """`cat --where` prints the matching rows of a range; an invalid expression is status 2."""
    assert rows("cat", file, "--where", "id > 97 or name = 'n3'", "-c", "name") == [
        {"name": name} for name in ("n3", "n98", "n99")
    ]
    assert rows("cat", file, "-w", "id > 10", "--rows", ":13", "-c", "id") == [
        {"id": 11},
        {"id": 12},
    ]
    outcome = byteloom("lance", "cat", file, "--where", "id >")
    assert outcome.status == 2
    assert "--where" in outcome.err
    outcome = byteloom("lance", "cat", file, "--where", "ids > 3")
    assert (outcome.status, outcome.out) == (1, "")
    assert "found 'ids', wanted a column of the schema; did you mean id?" in outcome.err


def test_cat_writes_files(file: Path, tmp_path: Path) -> None:
    """`cat -o` writes the form that the file's name says."""
    assert byteloom("lance", "cat", file, "-o", tmp_path / "x.parquet").status == 0
    assert pq.read_table(tmp_path / "x.parquet")["name"].to_pylist() == NAMES


@pytest.mark.parametrize("text", ["5", "a:b", "1:-1", "9" * 30 + ":", "5:4"])
def test_other_ranges_of_rows_are_wrong_usage(file: Path, text: str) -> None:
    """Two numbers, the first not the greater, either of which may be left out, are a range."""
    outcome = byteloom("lance", "cat", file, "--rows", text)
    assert outcome.status == 2
    assert "--rows: found" in outcome.err


@pytest.mark.parametrize("text", ["5:5", "500:", "100:"])
def test_ranges_of_rows_may_be_empty(file: Path, text: str) -> None:
    """A range that ends where it begins, or begins after the last row, has no rows."""
    assert rows("cat", file, "--rows", text) == []


def test_take_prints_rows_in_the_order_asked_for(file: Path) -> None:
    """`take` prints rows in the given order; a row that does not exist is an error."""
    assert rows("take", file, 77, 0, 77, "-c", "id") == [{"id": 77}, {"id": 0}, {"id": 77}]
    outcome = byteloom("lance", "take", file, 100)
    assert outcome.status == 1
    assert f"{file}: rows: found 100, wanted 0 to 99" in outcome.err
    assert byteloom("lance", "take", file, "x").status == 2


def test_schema_lists_columns(file: Path) -> None:
    """`schema` prints columns as text and as JSON."""
    assert byteloom("lance", "schema", file).out == "id: int64 not null\nname: string\n"
    shown = json.loads(byteloom("lance", "schema", file, "--json").out)
    assert shown["columns"][0] == {"name": "id", "type": "int64", "required": True}


def test_stats_list_what_columns_take(file: Path) -> None:
    """`stats` prints pages, rows and bytes of columns, and with ``--pages`` each page."""
    (ids, names) = rows("stats", file)
    assert (ids["column"], ids["type"], ids["pages"], ids["size"]) == ("id", "int64", 2, 800)
    assert (names["rows"], names["size"], names["bytes_per_row"]) == (100, 1090, 10.9)
    pages = rows("stats", file, "--pages")
    assert [each["rows"] for each in pages] == [50, 50, 100]
    assert pages[0]["encoding"] == "nullable(no_nulls(values=flat(64)))"
    assert pages[2]["buffers"] == [800, 290]


def test_inspect_shows_the_structure(file: Path) -> None:
    """`inspect` shows footer, tables, schema, columns and page buffers at their offsets."""
    report = json.loads(byteloom("inspect", "--json", file).out)
    assert report["format"] == "lance"
    assert report["facts"]["schema"] == ["id: int64", "name: string"]
    assert [each["column"] for each in report["columns"]] == ["id", "name"]
    structure = {each["name"]: each for each in report["structure"]}
    assert structure["columns[0].pages[1].buffers[0]"]["size"] == 400
    assert structure["footer"]["offset"] == file.stat().st_size - 40
    assert {"descriptor", "column_extents", "buffer_extents", "columns[1]"} < set(structure)


def test_inspect_lists_pages(file: Path) -> None:
    """`inspect --pages` prints the same as `lance stats --pages`."""
    shown = json.loads(byteloom("inspect", "--pages", "--json", file).out)
    assert shown["pages"] == rows("stats", file, "--pages")
    assert byteloom("inspect", "--pages", file).out.startswith("number  column  page")


def test_verify_reads_all_rows(file: Path) -> None:
    """`verify` reads all rows of a file, and names damaged columns."""
    outcome = byteloom("verify", file)
    assert outcome.status == 0
    assert f"{file}  Lance file, version 2.0, 100 rows, 2 columns" in outcome.out
    short = StoredPage(100, "/lance.encodings.ArrayEncoding", FLAT, [b"\0"])
    fields = [lance_field("a", "int64"), lance_field("b", "int64", 1)]
    file.write_bytes(lance_file(fields, [[short], [short]], rows=100))
    outcome = byteloom("verify", file)
    assert outcome.status == 1
    assert "columns[0].pages[0].buffers[0]" in outcome.out
    assert "and 1 more like it" in outcome.out


def test_damage_is_shown_after_what_was_understood(file: Path) -> None:
    """A damaged file shows the parts before the damage, and then the error."""
    whole = data()
    file.write_bytes(whole[:-20] + b"\xff" * 4 + whole[-16:])
    outcome = byteloom("inspect", "--json", file)
    report = json.loads(outcome.out)
    assert outcome.status == 1
    assert "extents" in report["error"]["message"]
    assert [each["name"] for each in report["structure"]] == ["version"]


def test_rows_of_version_2_3_are_unreadable_and_its_schema_is_shown(file: Path) -> None:
    """`inspect` shows a file of version 2.3, and `verify` calls it unreadable."""
    file.write_bytes(data(version="2.3"))
    assert byteloom("inspect", file).status == 0
    outcome = byteloom("verify", file)
    assert outcome.out.startswith("unreadable")
    assert "found version 2.3" in outcome.out


@pytest.mark.parametrize(
    ("version", "url"),
    [
        ("2.0", "/lance.encodings.ArrayEncoding"),
        ("2.1", "/lance.encodings.PageLayout"),
        ("2.1", "/lance.encodings21.PageLayout"),
    ],
)
def test_inspect_reports_a_damaged_encoding(file: Path, version: str, url: str) -> None:
    """A page whose encoding cannot be parsed is the error of `inspect`, after all fields."""
    broken = StoredPage(1, url, b"\x0a\x7f", [bytes(4)])
    fields = [lance_field("x", "int32")]
    file.write_bytes(lance_file(fields, [[broken]], rows=1, version=version))
    outcome = byteloom("inspect", "--json", file)
    report = json.loads(outcome.out)
    assert (outcome.status, report["error"]["path"][:28]) == (1, "columns[0].pages[0].encoding")
    assert "footer" in [each["name"] for each in report["structure"]]


def test_inspect_reports_a_wrong_place_of_the_columns(file: Path) -> None:
    """A footer that contradicts its table of columns is the error, after all columns."""
    whole = data()
    right = int.from_bytes(whole[-40:-32], "little")
    file.write_bytes(whole[:-40] + (right + 1).to_bytes(8, "little") + whole[-32:])
    outcome = byteloom("inspect", "--json", file)
    report = json.loads(outcome.out)
    assert outcome.status == 1
    assert report["error"]["path"] == "footer.ofs_columns"
    assert report["error"]["offset"] == len(whole) - 40
    assert any(each["name"].startswith("columns") for each in report["structure"])


@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_far_moments_and_durations_are_printed_in_every_form(form: str, tmp_path: Path) -> None:
    """`lance cat` prints a far moment and a duration in every form."""
    rows = pa.table(
        {
            "t": pa.array([3 * 10**17], pa.int64()).view(pa.timestamp("us")),
            "d": pa.array([5], pa.duration("ms")),
        }
    )
    with LanceWriter(tmp_path / "a.lance", rows.schema) as writer:
        writer.write(rows)
    done = byteloom("lance", "cat", tmp_path / "a.lance", "--format", form)
    assert done.status == 0
    assert "11476-08-15" in done.out
    assert "PT0.005S" in done.out or form == "csv"
