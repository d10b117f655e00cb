"""`-o` replaces no file without `--force`, and never one that the command reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support.cli import byteloom
from tests.support.iceberg_rows import TableMaker, arrow, parquet

from byteloom import lance

if TYPE_CHECKING:
    from pathlib import Path


def test_sketches_do_not_replace_their_source(tmp_path: Path) -> None:
    """Sketches never replace their source, even with `--force` or by another name."""
    source = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": range(3)}), source)
    before = source.read_bytes()
    (tmp_path / "link").symlink_to(source)
    for output in (source, tmp_path / "link"):
        outcome = byteloom("puffin", "ndv", tmp_path, "-o", output, "--force")
        assert (outcome.status, source.read_bytes()) == (1, before)
        assert "the command reads it" in outcome.err


def test_standard_output_is_no_file_called_dash(tmp_path: Path) -> None:
    """`-o -` prints rows; where a file is written whole or not at all it is refused."""
    source = tmp_path / "t.parquet"
    pq.write_table(pa.table({"row": ["a"]}), source)
    refused = (
        "byteloom: found - (standard output), wanted the name of a file, which appears when it is"
        " complete; ./- is a file called -\n"
    )
    ndv = byteloom("puffin", "ndv", source, "-o", "-", cwd=tmp_path)
    assert ndv == (1, "", refused)
    assert byteloom("hfile", "build", "-", "--from", source, cwd=tmp_path) == (1, "", refused)
    assert byteloom("puffin", "create", "-", cwd=tmp_path) == (1, "", refused)
    assert byteloom("puffin", "create", "x.puffin", cwd=tmp_path).status == 0
    printed = byteloom("puffin", "ls", "x.puffin", "-o", "-", "--format", "csv", cwd=tmp_path)
    assert (printed.status, printed.out.startswith("number,type")) == (0, True)
    assert byteloom("puffin", "ls", "x.puffin", "-o", "-", cwd=tmp_path).out.startswith("number  ")
    assert not (tmp_path / "-").exists()


def test_an_output_needs_force_and_is_no_input(tmp_path: Path) -> None:
    """An output may replace a file with --force only, and never one inside an input folder."""
    lance.write_dataset(tmp_path / "in", pa.table({"x": [1]}))
    inside, other = tmp_path / "in/a.csv", tmp_path / "b.csv"
    cat = ("lance", "cat", tmp_path / "in", "-o")
    assert byteloom(*cat, inside).status == 0
    assert f"it belongs to {tmp_path}/in; wanted another" in byteloom(*cat, inside, "-f").err
    assert byteloom(*cat, other).status == 0
    assert byteloom(*cat, other).err.endswith("b.csv: the file exists; --force replaces it\n")
    assert byteloom(*cat, other, "--force").status == 0


def test_a_new_file_inside_a_table_needs_force(tmp_path: Path) -> None:
    """A new file inside a table needs --force, and no file of the table is replaced."""
    root = tmp_path / "t"
    data = parquet(root / "data" / "a.parquet", arrow({(1, "id"): pa.array([1])}))
    TableMaker(root, [(1, "id", "long")]).commit(data).open()
    scan = ("table", "scan", root, "-o")
    refused = byteloom(*scan, root / "new.csv")
    assert (refused.status, (root / "new.csv").exists()) == (1, False)
    assert f"it would be inside {root}, which the command reads" in refused.err
    assert byteloom(*scan, root / "new.csv", "-f").status == 0
    (tmp_path / "t_2").mkdir()
    assert byteloom(*scan, tmp_path / "t_2/new.csv").status == 0
    assert "belongs to" in byteloom(*scan, data.path, "-f").err


def test_a_table_whose_file_is_missing_is_damaged(tmp_path: Path) -> None:
    """A table with a missing file is damaged; with one that cannot be opened, unreadable."""
    data = parquet(tmp_path / "data" / "a.parquet", arrow({(1, "id"): pa.array([1])}))
    TableMaker(tmp_path, [(1, "id", "long")]).commit(data).open()
    data.path.unlink()
    outcome = byteloom("verify", tmp_path)
    assert outcome.status == 1
    assert outcome.out.split(maxsplit=2)[:2] == ["damaged", str(tmp_path)]
    assert f"  {data.path}: No such file or directory" in outcome.out
    data.path.mkdir()
    outcome = byteloom("verify", tmp_path)
    assert outcome.status == 1
    assert outcome.out.split(maxsplit=2)[:2] == ["unreadable", str(tmp_path)]
    assert f"  {data.path}: found a directory" in outcome.out


@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.parquet"])
def test_a_listing_that_is_written_says_how_much(tmp_path: Path, name: str) -> None:
    """`-o` prints the number of rows, up to the limit, and of bytes; on a terminal only rows."""
    lance.write_dataset(tmp_path / "d", pa.table({"x": range(30)}))
    output = tmp_path / name
    done = byteloom("lance", "cat", tmp_path / "d", "-o", output, "-n", 7)
    assert (done.status, done.out) == (0, f"7 rows, {output.stat().st_size:,} bytes\n")
    values = byteloom("lance", "versions", tmp_path / "d", "-o", output, "-f")
    assert (values.status, values.out) == (0, f"1 row, {output.stat().st_size:,} bytes\n")
    assert "rows," not in byteloom("lance", "cat", tmp_path / "d").out
