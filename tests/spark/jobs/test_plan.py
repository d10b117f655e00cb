"""Manifests that executors decode give the plan that one process makes."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from tests.support.iceberg_rows import TableMaker, arrow, deletion_vectors, parquet
from tests.support.spark_tables import deleted_table, new_table, vector_table

from byteloom.errors import FormatError
from byteloom.spark.jobs import plan
from byteloom.spark.jobs.planning import (
    COLUMNS,
    Planned,
    check_live,
    files_of,
    grouped,
    live_in,
    rows_of,
)

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.iceberg import Table, TableScan

FILTERS = (
    "id >= 0",
    "city = 'Oslo'",
    "id < 120 and city != 'Rome'",
    "day > '1970-01-20' or id = 3",
    "id = -1",
)


@pytest.fixture(scope="module", params=[deleted_table, vector_table], ids=["deletes", "vectors"])
def table(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Table:
    """A table whose deletes are in other manifests than what they delete from."""
    made: Table = request.param(tmp_path_factory.mktemp("plan"))
    return made


def local(scan: TableScan) -> list[dict[str, Any]]:
    """The plan of one process."""
    rows: list[dict[str, Any]] = rows_of(scan, scan.plan()).to_pylist()
    return rows


@pytest.mark.parametrize("filter_", FILTERS)
def test_groups_of_manifests_have_the_files_of_the_plan(table: Table, filter_: str) -> None:
    """Groups of manifests have the files, residuals and deletes of the local plan, in order."""
    scan = table.scan(filter_)
    planned, data = Planned.of(scan)
    sent = pickle.loads(pickle.dumps(planned))  # noqa: S301  (our own)
    groups = [each for row in range(len(data)) for each in grouped(data.take(np.array([row])), 1)]
    found = [batch for each in groups for batch in files_of(sent, each)]
    assert pa.Table.from_batches(found, COLUMNS).to_pylist() == local(scan)
    assert any(each["deletes"] for each in local(table.scan()))


def test_a_plan_is_a_dataframe(spark: Any, table: Table) -> None:
    """A plan is a DataFrame, each row with its partition, residual and deletes."""
    scan = table.scan("id < 420")
    made = plan(spark, scan)
    assert made.columns == COLUMNS.names
    rows = [each.asDict(recursive=True) for each in made.collect()]
    assert sorted(rows, key=str) == sorted(local(scan), key=str)
    assert made.selectExpr("explode(deletes) d").where("d.content = 1").count() > 0


def test_two_plans_of_one_session_stay_apart(spark: Any, table: Table) -> None:
    """A DataFrame keeps to its own scan after another scan has been planned."""
    one, other = plan(spark, table.scan("id < 100")), plan(spark, table.scan())
    assert one.count() == len(table.scan("id < 100").plan())
    assert other.count() == len(table.scan().plan())


def test_a_table_without_a_snapshot_has_no_files(spark: Any, tmp_path: Path) -> None:
    """The plan of a table without a snapshot has its columns and no rows."""
    made = plan(spark, new_table(tmp_path).scan())
    assert (made.columns, made.collect()) == (COLUMNS.names, [])


def _rows() -> pa.Table:
    return arrow({(1, "id"): pa.array([1, 2, 3], pa.int64())})


def test_a_file_that_is_live_in_two_manifests_is_refused(spark: Any, tmp_path: Path) -> None:
    """A file that is live in two manifests, which no executor sees together, is refused by name."""
    file = parquet(tmp_path / "0.parquet", _rows())
    other = parquet(tmp_path / "1.parquet", _rows())
    table = TableMaker(tmp_path, [(1, "id", "long")]).commit(file).commit(other, file).open()
    with pytest.raises(FormatError, match=r"0\.parquet', which is live already"):
        table.scan().plan()
    with pytest.raises(FormatError, match=r"0\.parquet', which is live already"):
        plan(spark, table.scan())
    planned, data = Planned.of(table.scan())
    found = [live_in(planned, data.take(np.array([row]))) for row in range(2)]
    with pytest.raises(FormatError, match=r"0\.parquet', which is live already"):
        check_live(planned, data, found)


def test_a_vector_without_its_file_is_refused(spark: Any, tmp_path: Path) -> None:
    """A deletion vector whose data file is in no manifest is refused, unless checks are off."""
    file = parquet(tmp_path / "0.parquet", _rows())
    maker = TableMaker(tmp_path, [(1, "id", "long")], version=3).commit(file)
    lost = deletion_vectors(tmp_path / "v.puffin", {tmp_path / "lost.parquet": [1]})
    table = maker.commit(*lost, operation="delete").open()
    with pytest.raises(FormatError, match=r"lost\.parquet: found no such live data file"):
        plan(spark, table.scan())
    assert plan(spark, table.scan(), check=False).count() == 1


def test_live_files_come_to_the_driver_as_eight_bytes_each(table: Table) -> None:
    """The driver gets eight bytes for each live file, and the vectors whose file was not seen."""
    planned, data = Planned.of(table.scan())
    first = live_in(planned, data.take(np.array([0])))
    assert first.hashes.nbytes == 8 * len(first.hashes)
    assert len(live_in(planned, data).hashes) == len(table.scan().plan())
    assert len(live_in(planned, data).unseen) == 0
    assert len(first.unseen) == max(len(planned.index.vectors) - 1, 0)


def test_a_limit_is_refused(spark: Any, table: Table) -> None:
    """A scan with a limit cannot be planned by executors, and is refused."""
    with pytest.raises(FormatError, match="limit: found 3, wanted a scan without a limit"):
        plan(spark, table.scan(limit=3))


def test_a_damaged_manifest_is_named(spark: Any, tmp_path: Path) -> None:
    """The executor's error, which names the damaged manifest, reaches the driver."""
    table = deleted_table(tmp_path, files=8, rows=10)
    place = tmp_path / "metadata" / "2-m.avro"
    data = bytearray(place.read_bytes())
    data[-40] ^= 0xFF
    place.write_bytes(data)
    with pytest.raises(FormatError, match=r"2-m\.avro: "):
        plan(spark, table.scan())
