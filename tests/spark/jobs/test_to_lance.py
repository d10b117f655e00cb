"""Rows of an Iceberg table become one version of a Lance dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.spark_tables import deleted_table, new_table

from byteloom import lance
from byteloom.errors import AlreadyExists, FormatError
from byteloom.iceberg import open_table
from byteloom.lance import begin_write
from byteloom.spark.jobs import to_lance
from byteloom.spark.jobs.lance_export import export_group
from byteloom.spark.jobs.scanning import SentScan, groups_of

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.iceberg import Table, TableScan


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """A table with deletes of several kinds, in several groups of files."""
    return deleted_table(tmp_path_factory.mktemp("export"), files=12, rows=300)


def rows(found: pa.Table) -> pa.Table:
    """The rows of a table, sorted."""
    return found.sort_by("id")


def wanted(scan: TableScan) -> pa.Table:
    """The rows of a scan."""
    return rows(scan.to_table().replace_schema_metadata())


def read(dataset: lance.Dataset) -> pa.Table:
    """The rows of a dataset, with the types of Iceberg's reader."""
    return rows(pa.table(dataset))


def test_groups_write_files_that_one_commit_shows(table: Table, tmp_path: Path) -> None:
    """Files that groups write become a dataset with the one commit, and not before."""
    scan = table.scan("id > 100")
    sent, groups = SentScan.of(scan), groups_of(scan, 1)
    assert len(groups) > 1
    job = begin_write(tmp_path / "d", sent.context().schema)
    written = [each for group in groups for each in export_group(group, sent, job)]
    with pytest.raises(FormatError, match="no Lance dataset"):
        lance.open_dataset(tmp_path / "d")
    assert read(job.commit(written)).to_pylist() == wanted(scan).to_pylist()


def test_a_scan_becomes_a_dataset(spark: Any, table: Table, tmp_path: Path) -> None:
    """The dataset has the rows of the scan and the schema of a local write."""
    scan = table.scan("id > 100", columns=["id", "day"])
    made = to_lance(spark, scan, tmp_path / "d")
    assert made.version == 1
    assert read(made).to_pylist() == wanted(scan).to_pylist()
    alone = lance.write_dataset(tmp_path / "alone", scan.to_table())
    assert made.schema == alone.schema


def test_modes_are_those_of_a_local_writer(spark: Any, table: Table, tmp_path: Path) -> None:
    """An existing dataset is refused, appended to or overwritten; each write is one version."""
    one, other = table.scan("id < 50"), table.scan("id > 3000", columns=["id"])
    to_lance(spark, one, tmp_path / "d", version="2.1")
    with pytest.raises(AlreadyExists, match="there is a Lance dataset already"):
        to_lance(spark, one, tmp_path / "d")
    twice = to_lance(spark, one, tmp_path / "d", mode="append")
    assert (twice.version, twice.count()) == (2, 2 * one.count())
    replaced = to_lance(spark, other, tmp_path / "d", mode="overwrite")
    assert (replaced.version, replaced.data_version) == (3, "2.1")
    assert read(replaced).to_pylist() == wanted(other).to_pylist()


def test_a_table_without_a_row_is_a_dataset_without_one(spark: Any, tmp_path: Path) -> None:
    """A table without rows becomes a dataset with its columns."""
    made = to_lance(spark, new_table(tmp_path / "t").scan(), tmp_path / "d")
    assert (made.count(), made.schema.names) == (0, ["id", "city", "day"])


def test_a_damaged_file_leaves_no_dataset(spark: Any, tmp_path: Path) -> None:
    """The error names the damaged file, no file is left, and the job can run again."""
    deleted_table(tmp_path / "t", files=8, rows=50)
    damaged = tmp_path / "t" / "data" / "6.parquet"
    sound = damaged.read_bytes()
    damaged.write_bytes(sound[:-20] + bytes(20))
    with pytest.raises(FormatError, match=r"data/6\.parquet"):
        to_lance(spark, open_table(tmp_path / "t").scan(), tmp_path / "d")
    assert [each for each in (tmp_path / "d").rglob("*") if each.is_file()] == []
    damaged.write_bytes(sound)
    scan = open_table(tmp_path / "t").scan()
    assert to_lance(spark, scan, tmp_path / "d").count() == scan.count()


def test_a_limit_is_refused(spark: Any, table: Table, tmp_path: Path) -> None:
    """A scan with a limit cannot be exported by executors, and is refused."""
    with pytest.raises(FormatError, match="limit: found 3"):
        to_lance(spark, table.scan(limit=3), tmp_path / "d")
