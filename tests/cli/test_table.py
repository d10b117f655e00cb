"""`byteloom table`, and `inspect` and `verify` on the files of Iceberg tables."""

from __future__ import annotations

import csv
import gzip
import io
import json
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support.cli import byteloom
from tests.support.deep_folders import too_deep
from tests.support.gallery import rows
from tests.support.iceberg_rows import TableMaker, arrow, parquet, position_deletes
from tests.support.terminal import on_terminal

from byteloom.errors import StorageError
from byteloom.iceberg import open_table

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write two commits of ten rows each; the second deletes a row of the first."""
    return _written(tmp_path_factory.mktemp("below") / "table")


def _written(root: Path) -> Path:
    maker = TableMaker(root, [(1, "id", "long"), (2, "name", "string")])
    first = parquet(root / "data" / "a.parquet", _rows(range(10)))
    second = parquet(root / "data" / "b.parquet", _rows(range(10, 20)))
    maker.commit(first).commit(
        second, position_deletes(root / "data" / "d.parquet", [(first.path, 3)])
    )
    maker.open()
    return root


def _rows(ids: range) -> pa.Table:
    """Return rows with these ids."""
    names = pa.array([f"n{each}" for each in ids])
    return arrow({(1, "id"): pa.array(ids, pa.int64()), (2, "name"): names})


def _json(*arguments: object) -> list[dict[str, object]]:
    """Return what a command prints, one object a line."""
    outcome = byteloom("table", *arguments, "--format", "json")
    assert outcome.err == ""
    return [json.loads(line) for line in outcome.out.splitlines()]


def test_info_describes_a_table(table: Path) -> None:
    """`info` prints lines for a person, or one document for a program."""
    outcome = byteloom("table", "info", table)
    assert "1: id: optional long" in outcome.out
    assert f"{table}/metadata/v2.metadata.json" in outcome.out
    document = json.loads(byteloom("table", "info", table, "--json").out)
    assert (document["format_version"], document["snapshots"]) == (2, 2)
    assert [each["name"] for each in document["schema"]["fields"]] == ["id", "name"]
    assert (document["partitioned_by"]["fields"], document["sorted_by"]["fields"]) == ([], [])
    assert document["current_snapshot"]["snapshot_id"] == 2
    lines = [line.split("  ")[-1].strip() for line in outcome.out.splitlines()]
    assert {"unpartitioned", "unsorted", "none", "snapshot_id 2"} <= set(lines)
    assert max(map(len, lines)) < 200


def test_tables_are_listed(table: Path, tmp_path: Path) -> None:
    """`list` prints the tables below a folder, but nothing inside a table."""
    shutil.copytree(table, tmp_path / "db" / "one")
    shutil.copytree(table, tmp_path / "db" / "two")
    shutil.copytree(table, tmp_path / "db" / "two" / "data" / "inner")
    shutil.copytree(table, tmp_path / "db" / ".hidden" / "three")
    assert _json("list", tmp_path) == [
        {"name": f"db/{name}", "place": f"{tmp_path}/db/{name}"} for name in ("one", "two")
    ]
    assert _json("list", tmp_path / "db" / "one", "-n", 1)[0]["place"] == f"{tmp_path}/db/one"
    outcome = byteloom("table", "list", tmp_path / "none")
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err == f"byteloom: {tmp_path}/none: No such file or directory\n"
    (tmp_path / "empty").mkdir()
    outcome = byteloom("table", "list", tmp_path / "empty")
    assert (outcome.status, outcome.out) == (1, "")
    assert f"{tmp_path}/empty: found nothing, wanted a folder of tables" in outcome.err


def test_the_search_for_tables_follows_no_links_to_folders(table: Path, tmp_path: Path) -> None:
    """The search for tables follows no links to folders, and counts them on stderr."""
    shutil.copytree(table, tmp_path / "db" / "one")
    for number in range(10):
        (tmp_path / "db" / f"up{number}").symlink_to(tmp_path)
    outcome = byteloom("table", "list", tmp_path, "--json")
    assert json.loads(outcome.out)["name"] == "db/one"
    stated = f"byteloom: links to folders are not followed: {tmp_path}/db/up0 and 9 more\n"
    assert (outcome.status, outcome.err) == (0, stated)


def test_tables_are_listed_beside_folders_that_cannot_be_read(table: Path, tmp_path: Path) -> None:
    """`list` prints the tables it finds, and names unreadable folders with status 1."""
    shutil.copytree(table, tmp_path / "z")
    deep = too_deep(tmp_path)
    outcome = byteloom("table", "list", tmp_path, "--json")
    assert json.loads(outcome.out)["name"] == "z"
    assert (outcome.status, outcome.err) == (1, f"byteloom: {deep}: File name too long\n")


def test_a_folder_whose_metadata_is_a_link_is_a_table(table: Path, tmp_path: Path) -> None:
    """A folder whose `metadata` is a link is listed as a table."""
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "metadata").symlink_to(table / "metadata")
    outcome = byteloom("table", "list", tmp_path, "--json")
    assert json.loads(outcome.out)["name"] == "t"


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        *(
            (text, "2014-01-01T00:00:00.000+00:00")
            for text in ("2014", "2014-01", "2014-01-01", "20140101", "2014-01-01T00:00")
        ),
        ("1388534400000", "2014-01-01T00:00:00.000+00:00"),
        ("-5000", "1969-12-31T23:59:55.000+00:00"),
    ],
)
def test_a_year_a_month_and_a_day_are_their_first_moments(
    table: Path, text: str, moment: str
) -> None:
    """A year, month or day means its first moment; other numbers are milliseconds."""
    outcome = byteloom("table", "schema", table, "--as-of", text)
    assert f": snapshot: found none as of {moment}, wanted " in outcome.err


KINDS_OF_ROWS = {"t": "TABLE", "v": "VIEW", "old": None}
"""What a catalog says of its rows: a table, a view, and nothing, as before there were views."""


def test_the_tables_of_a_catalog_are_listed(table: Path, tmp_path: Path) -> None:
    """Tables of a catalog have places that can be opened, even with several catalogs in a file."""
    with closing(sqlite3.connect(tmp_path / "cat.db")) as database:
        database.execute(
            "create table iceberg_tables"
            " (catalog_name, table_namespace, table_name, metadata_location)"
        )
        here = f"{table}/metadata/v2.metadata.json"
        rows = [("a", "db", "t", here), ("a", "other", "u", here), ("b", "db", "t", here)]
        database.executemany("insert into iceberg_tables values (?, ?, ?, ?)", rows)
        database.commit()
    catalog = f"sqlite:///{tmp_path}/cat.db"
    listed = _json("list", f"{catalog}?catalog=a")
    assert [each["name"] for each in listed] == ["db.t", "other.u"]
    assert [each["name"] for each in _json("list", f"{catalog}#other")] == ["other.u"]
    every = _json("list", catalog)
    assert [each["name"] for each in every] == ["db.t", "other.u", "db.t"]
    assert all(byteloom("table", "count", each["place"]).out == "19\n" for each in every + listed)


def test_views_of_a_catalog_are_left_out(table: Path, tmp_path: Path) -> None:
    """Rows of views in a catalog, as Java writes them, are neither listed nor opened as tables."""
    with closing(sqlite3.connect(tmp_path / "cat.db")) as database:
        database.execute(
            "create table iceberg_tables"
            " (catalog_name, table_namespace, table_name, metadata_location, iceberg_type)"
        )
        here = f"{table}/metadata/v2.metadata.json"
        rows = [("a", "db", name, here, kind) for name, kind in KINDS_OF_ROWS.items()]
        database.executemany("insert into iceberg_tables values (?, ?, ?, ?, ?)", rows)
        database.commit()
    catalog = f"sqlite:///{tmp_path}/cat.db"
    assert [each["name"] for each in _json("list", catalog)] == ["db.old", "db.t"]
    refused = byteloom("table", "info", f"{catalog}#db.v")
    assert (refused.status, "no table db.v; there is db.old, db.t" in refused.err) == (1, True)


def test_schema_lists_the_columns(table: Path) -> None:
    """`schema` prints one line a column, of an earlier snapshot too."""
    column = {"type": "long", "required": False, "identifier": False, "doc": None}
    assert _json("schema", table, "-n", 1) == [{"id": 1, "name": "id", **column}]
    assert [each["name"] for each in _json("schema", table, "--snapshot", 1)] == ["id", "name"]


@pytest.mark.parametrize(
    ("asked", "rows"),
    [([], 19), (["--snapshot", 1], 10), (["--where", "id < 12"], 11), (["--where", "id > 99"], 0)],
)
def test_count_is_the_number_of_rows_that_a_scan_has(
    table: Path, asked: list[object], rows: int
) -> None:
    """`count` prints the number of rows of a scan, with deletes and filters."""
    assert byteloom("table", "count", table, *asked).out == f"{rows}\n"
    assert _json("count", table, *asked) == [{"rows": rows}]
    assert len(_json("scan", table, *asked)) == rows


def test_counting_reads_only_files_that_must_be_asked(table: Path, tmp_path: Path) -> None:
    """Counting without deletes or filters reads manifests only, not data files."""
    shutil.copytree(table, tmp_path / "table")
    (tmp_path / "table" / "data" / "a.parquet").unlink()
    moved = open_table(tmp_path / "table", relocate={str(table): tmp_path / "table"})
    assert moved.scan(snapshot=1).count() == 10
    assert moved.scan(snapshot=1, limit=5).count() == 5
    with pytest.raises(StorageError, match=r"a\.parquet: No such file"):
        moved.scan("id < 5").count()


def test_a_table_knows_its_snapshots_and_hints_at_its_names(table: Path) -> None:
    """A table has its snapshots; an argument with pyiceberg's name gives a hint."""
    opened = open_table(table)
    assert [each.snapshot_id for each in opened.snapshots] == [1, 2]
    assert opened.current_snapshot == opened.snapshots[1]
    with pytest.raises(TypeError, match=r"no argument snapshot_id; it is called snapshot$"):
        opened.scan(snapshot_id=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^scan\(\) has no argument nope$"):
        opened.scan(nope=1)  # type: ignore[arg-type]


def test_snapshots_and_files_are_listed(table: Path) -> None:
    """Snapshots are listed, and files of any snapshot, by id, name or time."""
    assert [each["snapshot_id"] for each in _json("snapshots", table)] == [1, 2]
    shown = byteloom("table", "snapshots", table).out
    assert shown.startswith("committed_at")
    assert shown.splitlines()[0].split()[-3:] == ["data_files", "records", "delete_files"]
    assert [each["content"] for each in _json("files", table)] == [0, 0, 1]
    (file,) = _json("files", table, "--snapshot", 1)
    assert file["record_count"] == 10
    # No snapshot of this table names its parent: the current one is as far back as it goes.
    for moment in ("2023-11-14T22:13:20.002", "1700000000002"):
        assert len(_json("files", table, "--as-of", moment)) == 3
    assert [each["type"] for each in _json("metadata", table, "refs")] == ["BRANCH"]


def test_counts_of_a_summary_are_listed_in_short(table: Path, tmp_path: Path) -> None:
    """A snapshot has the counts that its summary gives, by their words, and "" for none."""
    document = json.loads((table / "metadata" / "v2.metadata.json").read_text())
    document["snapshots"][1]["summary"] |= {
        "added-records": "10", "total-records": "20", "deleted-data-files": "0",
    }  # fmt: skip
    (tmp_path / "v2.metadata.json").write_text(json.dumps(document))
    shown = byteloom("table", "snapshots", tmp_path / "v2.metadata.json", "--format", "csv").out
    assert [row[4:] for row in csv.reader(io.StringIO(shown))] == [
        ["data_files", "records", "delete_files"],
        ["", "", ""],
        ["deleted 0", "added 10, total 20", ""],
    ]


def test_deleted_positions_are_listed(table: Path) -> None:
    """Deleted positions are listed with their files, and none of an earlier snapshot."""
    (row,) = _json("metadata", table, "position_deletes")
    assert (row["pos"], row["row"]) == (3, None)
    assert str(row["file_path"]).endswith("a.parquet")
    assert str(row["delete_file_path"]).endswith("d.parquet")
    outcome = byteloom("table", "metadata", table, "position_deletes")
    assert outcome.out.splitlines()[0].split()[:3] == ["file_path", "pos", "row"]
    assert _json("metadata", table, "position_deletes", "--snapshot", 1) == []


def test_the_kinds_of_metadata_tables_are_listed(table: Path) -> None:
    """The help names every kind of metadata table that the error for another one lists."""
    output = byteloom("table", "metadata", "--help").out
    kinds = byteloom("table", "metadata", table, "x").err.partition("one of ")[2].splitlines()[0]
    assert [kind for kind in kinds.split(", ") if kind not in output] == []
    assert len(kinds.split(", ")) > 10


def test_entries_that_people_read_have_no_statistics(table: Path) -> None:
    """Printed entries omit long statistics; JSON and Parquet have them."""
    (header, *lines) = byteloom("table", "metadata", table, "entries").out.splitlines()
    assert header.split()[:2] == ["status", "snapshot_id"]
    assert all("record_count" in line and "lower_bounds" not in line for line in lines)
    assert "lower_bounds" in _json("metadata", table, "entries")[0]["data_file"]  # type: ignore[operator]


def test_plans_list_files_deletes_and_what_is_left(table: Path) -> None:
    """`plan` lists files, and with `--explain` what each rule removed."""
    planned = _json("plan", table, "--where", "id < 5")
    names = [str(each["file_path"]).rsplit("/", 1)[1] for each in planned]
    assert "a.parquet" in names
    deletes = {name: each["deletes"] for name, each in zip(names, planned, strict=True)}
    assert [len(each) for name, each in deletes.items() if name == "a.parquet"] == [1]  # type: ignore[arg-type]
    assert all(each["residual"] == "id < 5" for each in planned)
    delete = {"content": 1, "content_offset": None, "content_size_in_bytes": None}
    assert deletes["a.parquet"] == [delete | {"file_path": f"{table}/data/d.parquet"}]
    explained = byteloom("table", "plan", table, "--explain").out
    counts = {line[12:]: int(line[:10]) for line in explained.splitlines()}
    assert counts["data files to read"] == 2
    assert counts["delete files in the manifests read"] == 1
    assert counts["delete files to read"] == 1
    lost = byteloom("table", "plan", table, "--explain", "--file", "data/a.parquet")
    assert (lost.status, lost.out.splitlines()[1:]) == (1, [
        "  is not a live data file of the snapshot",
        f"  did you mean {table}/data/a.parquet?",
    ])  # fmt: skip
    whole = open_table(table).scan().plan()
    none = whole.only(pa.array([False] * len(whole))).explain()
    assert (none.delete_files, none.kept_delete_files) == (1, 0)
    why = byteloom("table", "plan", table, "--explain", "--file", "nowhere")
    assert "is not a live data file" in why.out
    assert why.status == 1


def test_scans_print_rows_in_every_form(table: Path, tmp_path: Path) -> None:
    """Scans apply deletes and filters, and give the same rows in every output form."""
    found = _json("scan", table, "--where", "id >= 2 and id <= 5")
    assert sorted(each["id"] for each in found) == [2, 4, 5]  # type: ignore[type-var]
    assert _json("scan", table, "--where", "id = 4", "--columns", "name") == [{"name": "n4"}]
    assert len(_json("scan", table, "-n", 3)) == 3
    assert len(_json("scan", table, "--snapshot", 1)) == 10
    csv = byteloom("table", "scan", table, "--where", "id = 2", "--format", "csv")
    assert csv.out == "id,name\n2,n2\n"
    output = tmp_path / "rows.parquet"
    byteloom("table", "scan", table, "--format", "parquet", "-o", output)
    assert pq.read_table(output).num_rows == 19


@pytest.mark.parametrize(
    ("options", "printed"),
    [
        (["-o", "x.csv"], ["--format", "csv"]),
        (["-o", "x.JSON"], ["--format", "json"]),
        (["-o", "x", "--format", "json"], ["--format", "json"]),
        (["-o", "x.csv", "--format", "json"], ["--format", "json"]),
    ],
)
def test_files_hold_what_would_be_printed(
    table: Path, tmp_path: Path, options: list[str], printed: list[str]
) -> None:
    """An output file has what would be printed, in the given form or that of its name."""
    outcome = byteloom("table", "scan", table, *options, cwd=tmp_path)
    file = tmp_path / options[1]
    assert (outcome.status, outcome.out) == (0, f"19 rows, {file.stat().st_size} bytes\n")
    written = file.read_text()
    assert written == byteloom("table", "scan", table, *printed).out


def test_parquet_is_recognised_by_the_name_of_a_file(table: Path, tmp_path: Path) -> None:
    """An output file named `.parquet` is Parquet with all columns, in every command."""
    for command in ("scan", "files", "plan"):
        byteloom("table", command, table, "-o", tmp_path / "x.parquet", "--force")
        assert pq.read_table(tmp_path / "x.parquet").num_rows in {2, 3, 19}
    byteloom("table", "files", table, "-o", tmp_path / "files.parquet")
    assert "readable_metrics" in pq.read_schema(tmp_path / "files.parquet").names


def test_terminals_get_no_parquet(table: Path) -> None:
    """Parquet is not printed on a terminal."""
    shown = on_terminal("table", "scan", table, "--format", "parquet")
    assert shown.status == 2
    assert "wanted --output FILE, or a pipe" in shown.text


def test_small_files_make_one_table(table: Path) -> None:
    """Columns of several small files have one width."""
    lines = byteloom("table", "scan", table).out.splitlines()
    assert len({line.index("n") for line in lines}) == 1


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    rows("cli/table", "mistakes_are_reported"),
)
def test_mistakes_are_reported(table: Path, arguments: list[str], status: int, says: str) -> None:
    """An unknown or invalid argument is one line on stderr and an exit status."""
    outcome = byteloom("table", *(each.format(table) for each in arguments))
    assert outcome.status == status
    assert says in outcome.err
    assert "Traceback" not in outcome.err


def test_copied_tables_are_read_where_they_lie(table: Path, tmp_path: Path) -> None:
    """A copied table is read with a map of prefixes from old places to new ones."""
    copy = tmp_path / "copy"
    shutil.copytree(table, copy)
    hidden = table.with_name("hidden")
    table.rename(hidden)
    try:
        assert byteloom("table", "scan", copy).status == 1
        moved = ["--relocate", f"{table}={copy}"]
        assert len(_json("scan", copy, *moved)) == 19
        assert byteloom("verify", copy, *moved).status == 0
    finally:
        hidden.rename(table)


def test_metadata_lists_and_manifests_are_inspected(table: Path) -> None:
    """`inspect` shows metadata, manifest lists and manifests, as text and JSON."""
    metadata = byteloom("inspect", table / "metadata" / "v2.metadata.json")
    assert "Iceberg table metadata" in metadata.out
    assert "snapshots (2)" in metadata.out
    listed = json.loads(byteloom("inspect", table / "metadata" / "snap-2.avro", "--json").out)
    assert listed["title"] == "Iceberg manifest list"
    assert len(listed["manifests"]) == 3
    manifest = listed["manifests"][0]["manifest_path"]
    document = json.loads(byteloom("inspect", manifest, "--json").out)
    assert document["title"] == "Iceberg manifest"
    assert [each["record_count"] for each in document["entries"]] == [10]


def test_gzipped_metadata_is_recognised(table: Path, tmp_path: Path) -> None:
    """Gzipped metadata is recognised by its content, not by its name."""
    path = tmp_path / "any.bin"
    path.write_bytes(gzip.compress((table / "metadata" / "v2.metadata.json").read_bytes()))
    outcome = byteloom("inspect", path, "--json")
    assert json.loads(outcome.out)["facts"]["snapshots"] == 2


def test_tables_are_verified_whole(table: Path, tmp_path: Path) -> None:
    """`verify` checks a table with all its files, and prints every finding."""
    sound = byteloom("verify", table)
    assert sound.status == 0
    assert "Iceberg table, version 2, 2 snapshots, with all files, every row read" in sound.out
    copy = tmp_path / "copy"
    shutil.copytree(table, copy)
    (copy / "data" / "b.parquet").unlink()
    path = copy / "metadata" / "v2.metadata.json"
    path.write_text(path.read_text().replace('"last-column-id": 1000', '"last-column-id": 1'))
    damaged = byteloom("verify", path, "--relocate", f"{table}={copy}", "--json")
    found = json.loads(damaged.out)["findings"]
    assert damaged.status == 1
    assert found[0]["path"] == "last-column-id"
    assert "b.parquet" in found[1]["message"]
    assert len(found) == 2


def test_a_copy_says_that_its_files_are_read_from_the_original(table: Path, tmp_path: Path) -> None:
    """`scan` of a copied table says on stderr whose files it reads, and how to read the copy's."""
    copy = tmp_path / "copy"
    shutil.copytree(table, copy)
    outcome = byteloom("table", "scan", copy)
    mapped = f"--relocate {table}={copy}"
    says = f"{copy}: says that it is in {table}, where its files are read: {mapped} reads those"
    assert outcome.status == 0
    assert outcome.err.startswith(f"byteloom: {says} in this folder\n")
    assert says not in byteloom("table", "scan", copy, "--relocate", f"{table}={copy}").err
    assert says not in byteloom("table", "scan", table).err


def test_rows_meet_each_of_several_filters(table: Path) -> None:
    """`--where` may be given more than once; a row must meet all of them."""
    rows = _json("scan", table, "--where", "id > 3", "-w", "id < 6 or id = 12")
    assert [each["id"] for each in rows] == [4, 5, 12]
    wrong = byteloom("table", "count", table, "--where", "id > 3", "--where", "id <")
    assert (wrong.status, "--where" in wrong.err) == (2, True)


def test_a_moved_table_whose_files_are_gone_is_not_damaged(tmp_path: Path) -> None:
    """Files that are missing at the old place of a moved table are counted; others are damage."""
    table, copy = _written(tmp_path / "table"), tmp_path / "copy"
    shutil.copytree(table, copy)
    (table / "data" / "b.parquet").unlink()
    one = byteloom("verify", copy, "--json")
    found = json.loads(one.out.splitlines()[0])
    assert (one.status, found["status"]) == (2, "elsewhere")
    assert found["summary"].endswith(
        f": 1 of the files at {table} is missing; those in {copy} were not checked"
        f" (--relocate {table}={copy} checks those in {copy})"
    )
    places = found["error"]["kind"], found["error"]["old"], found["error"]["new"]
    assert places == ("MovedTable", str(table), str(copy))
    assert [each["kind"] for each in found["findings"]] == ["MovedTable", "MissingFile"]
    (table / "data" / "b.parquet").write_bytes(b"PAR1")
    damaged = byteloom("verify", copy)
    assert damaged.status == 1
    assert f"its metadata names files in {table}" in damaged.out


def test_errors_of_a_mapped_table_name_the_files_that_were_read(
    table: Path, tmp_path: Path
) -> None:
    """With `--relocate`, an error names the file that was opened, and the path in metadata."""
    copy = tmp_path / "copy"
    shutil.copytree(table, copy)
    file = copy / "data" / "a.parquet"
    data = file.read_bytes()
    file.write_bytes(data[:-12] + b"\xff" * 4 + data[-8:])
    outcome = byteloom("table", "scan", copy, "--relocate", f"{table}={copy}")
    assert outcome.status == 1
    named = f"byteloom: {file} (written as {table}/data/a.parquet): found a damaged file ("
    assert outcome.err.startswith(named)


def test_tables_below_a_directory_are_verified_whole(table: Path, tmp_path: Path) -> None:
    """`verify` of a folder checks each table whole; a moved one has a status of its own."""
    copy = tmp_path / "lake" / "copy"
    shutil.copytree(table, copy)
    outcome = byteloom("verify", table.parent)
    assert f"{table}  Iceberg table, version 2, 2 snapshots, with all files" in outcome.out
    elsewhere = byteloom("verify", copy.parent)
    says = (
        f"elsewhere   {copy}  Iceberg table, its metadata names files in {table}, and the table is"
        f" in {copy}: "
    )
    advice = f"(--relocate {table}={copy} checks those in {copy})\n"
    assert elsewhere.status == 2
    assert f"{says}none was checked {advice}" in elsewhere.out
    named = byteloom("verify", copy)
    assert named.status == 2
    sound = f"the files at {table} were checked and are sound"
    assert f"{says}{sound}; those in {copy} were not checked {advice}" in named.out
    assert named.err.endswith("byteloom: a table was moved: see the lines `elsewhere`\n")
    assert byteloom("verify", next(copy.glob("metadata/*.json"))).status == 2
    mapped = byteloom("verify", copy, "--relocate", f"{table}={copy}")
    assert (mapped.status, "elsewhere" in mapped.out) == (0, False)
    (copy / "data" / "b.parquet").unlink()
    damaged = byteloom("verify", copy.parent, "--relocate", f"{table}={copy}")
    assert damaged.status == 1
    assert "b.parquet: No such file" in damaged.out
