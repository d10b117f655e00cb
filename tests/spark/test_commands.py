"""`byteloom spark`: each job is a command, with the options of a session."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support.cli import Outcome, byteloom
from tests.support.spark_tables import deleted_table

from byteloom import lance
from byteloom.extras import installing
from byteloom.puffin import ThetaSketch

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.iceberg import Table


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """A table with deletes of several kinds."""
    return deleted_table(tmp_path_factory.mktemp("orders"), files=8, rows=50)


def counts_of(verified: Outcome) -> str:
    """Return the messages of `verify` without the files that it names as skipped."""
    lines = verified.err.splitlines(keepends=True)
    return "".join(each for each in lines if "files of unknown format" not in each)


def place(table: Table) -> str:
    """The folder of a table."""
    return table.metadata.location


def test_help_lists_the_jobs() -> None:
    """The help of `byteloom spark` lists all jobs, and does not import pyspark."""
    code = "import sys\nfrom byteloom.cli import app\ntry: app(['spark', '--help'])\n"
    code += "except SystemExit: pass\nassert 'pyspark' not in sys.modules"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for name in ("ndv", "audit", "plan", "to-lance", "to-hfile"):
        assert f" {name} " in run.stdout


def test_without_pyspark_one_line_says_what_to_install(tmp_path: Path) -> None:
    """Without pyspark, the command prints one line on what to install, and exits with 1."""
    code = "import sys\nsys.modules['pyspark'] = None\nfrom byteloom.cli import app\n"
    code += f"app(['spark', 'audit', {str(tmp_path)!r}])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    (line,) = run.stderr.splitlines()
    assert line.startswith("byteloom: pyspark cannot be imported")
    assert line.endswith(f"wanted what `{installing('spark')}` installs")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--conf", "spark.ui"], "--conf: found 'spark.ui', wanted NAME=VALUE"),
        (["--cores", "0"], "--cores: found 0, wanted 1 or more"),
        (["--cores", "two"], "'--cores': found 'two', wanted a number"),
    ],
)
def test_wrong_options_of_a_session_are_wrong_usage(
    tmp_path: Path, options: list[str], message: str
) -> None:
    """Wrong session options exit with 2, before a session starts."""
    outcome = byteloom("spark", "audit", tmp_path, *options)
    assert outcome.status == 2
    assert message in outcome.err


@pytest.mark.usefixtures("spark")
def test_ndv_prints_what_it_wrote(table: Table, tmp_path: Path) -> None:
    """`ndv` prints a line for each column and the metadata entry, and replaces no file."""
    output = tmp_path / "orders.stats"
    outcome = byteloom("spark", "ndv", place(table), "-o", output, "-c", "city,id", "--json")
    assert (outcome.status, outcome.err) == (0, "")
    city, ids, entry = map(json.loads, outcome.out.splitlines())
    assert (city["column"], city["ndv"], ids["field_id"]) == ("city", 3, 1)
    assert entry["statistics-path"] == str(output)
    assert [each["fields"] for each in entry["blob-metadata"]] == [[2], [1]]
    again = byteloom("spark", "ndv", place(table), "-o", output)
    assert (again.status, "--force replaces it" in again.err) == (1, True)
    text = byteloom("spark", "ndv", place(table), "-o", output, "-c", "city", "--force")
    heading, city, document = text.out.splitlines()
    assert heading.split() == ["column", "field_id", "ndv", "lower_bound", "upper_bound"]
    assert (city.split(), document[0]) == (["city", "2", "3", "3", "3"], "{")


@pytest.mark.usefixtures("spark")
def test_audit_ends_as_verify_does(table: Table, tmp_path: Path) -> None:
    """`audit` prints a line for each finding, and has the counts and exit status of `verify`."""
    sound = byteloom("spark", "audit", place(table))
    assert (sound.status, sound.out) == (0, "")
    assert sound.err == counts_of(byteloom("verify", place(table)))
    deleted_table(tmp_path / "cut", files=4, rows=5)
    data = tmp_path / "cut" / "data" / "1.parquet"
    data.write_bytes(data.read_bytes()[:-5])
    cut = byteloom("spark", "audit", tmp_path)
    assert cut.status == 1
    assert cut.out.startswith(f"damaged     {tmp_path / 'cut'}  ")
    assert str(data) in cut.out
    assert cut.err == counts_of(byteloom("verify", tmp_path))
    found, alone = map(json.loads, byteloom("spark", "audit", tmp_path, "--json").out.splitlines())
    assert (found["status"], found["format"]) == ("damaged", "iceberg_metadata")
    assert (alone["file"], alone["format"]) == (str(data), "parquet")
    (tmp_path / "none").mkdir()
    nothing = byteloom("spark", "audit", tmp_path / "none")
    assert (nothing.status, "nothing checked" in nothing.err) == (2, True)


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(
    "named",
    [["folder"], ["folder/a.parquet"], ["one.theta", "folder/a.parquet"], ["one.theta", "blank"]],
)
def test_audit_of_single_files_ends_as_verify_does(named: list[str], tmp_path: Path) -> None:
    """Parquet files without a table, and named empty files, end `audit` as they end `verify`."""
    (tmp_path / "folder").mkdir()
    pq.write_table(pa.table({"a": [1]}), tmp_path / "folder" / "a.parquet")
    (tmp_path / "one.theta").write_bytes(ThetaSketch.from_arrow(pa.array([1])).to_bytes())
    (tmp_path / "blank").touch()
    places = [tmp_path / each for each in named]
    found, wanted = byteloom("spark", "audit", *places), byteloom("verify", *places)
    assert wanted.status == (1 if "blank" in named else 0)
    assert (found.status, found.err) == (wanted.status, wanted.err)


@pytest.mark.usefixtures("spark")
def test_audit_prints_what_verify_prints(tmp_path: Path) -> None:
    """Lines of findings are those of `verify`, with repeats counted, moved tables and links."""
    deleted_table(tmp_path / "before", files=2, rows=5)
    (tmp_path / "before").rename(tmp_path / "moved")
    deleted_table(tmp_path / "gone", files=4, rows=5)
    for number in (0, 1, 2):
        (tmp_path / "gone" / "data" / f"{number}.parquet").unlink()
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    found, wanted = byteloom("spark", "audit", tmp_path), byteloom("verify", tmp_path)
    lines = wanted.out.splitlines(keepends=True)
    assert found.out == "".join(each for each in lines if not each.startswith(("ok ", "empty ")))
    assert (found.status, found.err) == (wanted.status, counts_of(wanted))
    assert "  and 2 more like it\n" in found.out
    assert f"elsewhere   {tmp_path}/moved  Iceberg table, its metadata names files in " in found.out
    assert f"links to folders are not followed: {tmp_path}/link\n" in found.err


@pytest.mark.usefixtures("spark")
def test_plan_lists_what_table_plan_lists(table: Table) -> None:
    """`spark plan` lists the files, partitions, residuals and deletes of `table plan`."""
    asked = [place(table), "--where", "id < 120", "--json"]
    ours = [json.loads(each) for each in byteloom("spark", "plan", *asked).out.splitlines()]
    local = [json.loads(each) for each in byteloom("table", "plan", *asked).out.splitlines()]
    for one, other in zip(ours, local, strict=True):
        assert one.items() >= {key: each for key, each in other.items() if key != "deletes"}.items()
        assert [each["file_path"] for each in one["deletes"]] == [
            each["file_path"] for each in other["deletes"]
        ]
    assert len(byteloom("spark", "plan", *asked, "--limit", 1).out.splitlines()) == 1


@pytest.mark.usefixtures("spark")
def test_to_lance_says_what_there_is(table: Table, tmp_path: Path) -> None:
    """`to-lance` prints version, rows and fragments; an existing dataset is an error."""
    asked = [place(table), tmp_path / "d", "--where", "id < 120", "-c", "id"]
    outcome = byteloom("spark", "to-lance", *asked)
    rows = table.scan("id < 120").count()
    assert outcome.out.startswith(f"{tmp_path / 'd'}: version 1, {rows} rows, ")
    assert byteloom("spark", "to-lance", *asked).status == 1
    more = byteloom("spark", "to-lance", *asked, "--mode", "append", "--json")
    assert json.loads(more.out)["rows"] == 2 * rows
    assert lance.open_dataset(tmp_path / "d").schema.names == ["id"]


def test_to_hfile_builds_an_index(spark: Any, tmp_path: Path) -> None:
    """`to-hfile` writes all rows as cells into the requested number of files."""
    rows = spark.range(500).selectExpr("cast(id as string) as k", "'v' as v")
    rows.write.parquet(str(tmp_path / "rows"))
    asked = [tmp_path / "rows", tmp_path / "index", "--key", "k", "--value", "v", "--files", 3]
    outcome = byteloom("spark", "to-hfile", *asked, "--option", "compression=GZ")
    assert outcome.out == f"{tmp_path / 'index'}: 500 cells, 3 files\n"
    sized = [*asked[:1], tmp_path / "sized", *asked[2:-2], "--file-size", "4k"]
    outcome = byteloom("spark", "to-hfile", *sized)
    length = sum(20 + len(str(each)) + 1 for each in range(500))
    assert outcome.out == f"{tmp_path / 'sized'}: 500 cells, {-(-length // 4096)} files\n"
    wrong = byteloom("spark", "to-hfile", *sized[:-1], "4 files")
    assert (wrong.status, "wanted a number of bytes, as 64m" in wrong.err) == (2, True)
    wrong = byteloom("spark", "to-hfile", *asked, "--option", "gz")
    assert (wrong.status, "wanted NAME=VALUE" in wrong.err) == (2, True)
