"""Slices and statistics of tables that Hudi wrote, restored and upgraded equal those of Hudi."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

import pytest
from tests.support.java import JavaProgram

from byteloom.cli.sample_files.hudi_table import write_hudi_table
from byteloom.hudi import MetadataTable, audit
from byteloom.hudi.data_slices import data_files, data_slices

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

pytestmark = pytest.mark.peer("hudi")

PARTITIONS: Final = ["p0", "p1"]
COLUMNS: Final = ["key", "number", "text"]

_MODULES: Final = (
    *("java.lang", "java.lang.ref", "java.lang.reflect", "java.math", "java.nio", "java.util"),
    *("java.util.concurrent", "java.util.concurrent.atomic", "java.util.concurrent.locks"),
)
"""What Hudi looks into, to measure objects for example; where it may not, exceptions cost more."""


class Hudi(JavaProgram):
    """Hudi's writer for Java; ``path`` and ``version`` of a table go with every order."""

    project = "hudi"
    flags: ClassVar[Sequence[str]] = (
        "-Xmx1g",
        "-Djol.skipHotspotSAAttach=true",  # what measures objects need not attach to the machine
        *(f"--add-opens=java.base/{module}=ALL-UNNAMED" for module in _MODULES),
    )


@pytest.fixture(scope="module")
def hudi() -> Iterator[Hudi]:
    """Hudi, started once."""
    with Hudi() as program:
        yield program


class Written:
    """A table that Hudi writes."""

    def __init__(self, hudi: Hudi, path: Path, kind: str, version: int) -> None:
        """Create it, empty."""
        self._hudi, self.path = hudi, path
        self._table = {"path": str(path), "version": version}
        hudi.order("create", type=kind, **self._table)

    def order(self, name: str, **settings: Any) -> Any:
        """Give Hudi an order about it."""
        return self._hudi.order(name, **{**self._table, **settings})

    def upsert(self, keys: range, number: int) -> str:
        """Write rows with these keys; return the instant."""
        rows = {"keys": [f"key-{each:03}" for each in keys], "text": f"text {number}"}
        return str(self.order("upsert", number=number, **rows)["instant"])

    def upgrade(self, version: int) -> None:
        """Make it a table of another version."""
        self.order("upgrade", to=version)
        self._table["version"] = version

    def compare(self) -> MetadataTable:
        """Compare slices and statistics with Hudi's, and audit; return the table, opened."""
        table = MetadataTable.open(str(self.path))
        slices = self.order("slices", partitions=PARTITIONS)
        files = data_files(table.data, PARTITIONS, table.timeline)
        pieces = data_slices(files, table.timeline, table.table_version)
        for partition, theirs in slices.items():
            ours = [each for each in pieces if each.partition == partition]
            assert {
                each.file_id: (each.base and each.base.name, sorted(log.name for log in each.logs))
                for each in ours
            } == {each["file_id"]: (each["base"], each["logs"]) for each in theirs}
        assert any(slices.values())
        answer = self.order("files", partitions=PARTITIONS)
        assert {each: table.files(each) for each in PARTITIONS} == answer
        found = audit(table)
        assert not found.errors
        # Up to version 6, Hudi does not list the log files of what it rolled back.
        assert all(
            (each.index, each.kind) == ("files", "missing") and ".log." in each.subject
            for each in found.findings
        )
        assert min(found.compared[each] for each in ("files", "column_stats")) > 0
        self._compare_statistics(table, slices)
        return table

    def _compare_statistics(self, table: MetadataTable, slices: dict[str, Any]) -> None:
        """Compare the statistics of all files of the slices."""
        names = sorted(
            name
            for held in slices.values()
            for each in held
            for name in (each["base"], *each["logs"])
            if name is not None
        )
        answer = self.order("statistics", partitions=PARTITIONS, files=names, columns=COLUMNS)
        ours = {
            f"{row['partition']}/{row['file']}/{column}": {
                "min": None if row["min"] is None else str(row["min"]),
                "max": None if row["max"] is None else str(row["max"]),
                "values": row["value_count"],
                "nulls": row["null_count"],
            }
            for column, rows in table.column_stats(COLUMNS).items()
            for row in rows.to_pylist()
            if row["file"] in names
        }
        assert ours == answer
        assert ours


@pytest.mark.parametrize(
    ("kind", "version", "upgraded"),
    [
        ("MERGE_ON_READ", 6, 9),
        pytest.param("COPY_ON_WRITE", 6, 8, marks=pytest.mark.slow),
        pytest.param("COPY_ON_WRITE", 9, 9, marks=pytest.mark.slow),
        pytest.param("MERGE_ON_READ", 8, 9, marks=pytest.mark.slow),
        pytest.param("MERGE_ON_READ", 9, 9, marks=pytest.mark.slow),
    ],
)
def test_slices_and_statistics_are_hudis(
    hudi: Hudi, tmp_path: Path, kind: str, version: int, upgraded: int
) -> None:
    """Slices, statistics and files equal Hudi's after a rollback, a restore and an upgrade."""
    table = Written(hudi, tmp_path / "t", kind, version)
    saved = table.upsert(range(20), 1)
    table.order("savepoint", instant=saved)
    table.upsert(range(10, 30), 2)
    assert table.order("rollback", instant=table.upsert(range(5), 3))["done"]
    table.compare()
    table.upsert(range(40, 45), 4)
    table.order("restore", instant=saved)
    table.compare()
    table.upsert(range(15, 25), 5)
    if upgraded != version:
        table.upgrade(upgraded)
    table.upsert(range(18, 22), 6)
    opened = table.compare()
    assert opened.table_version == upgraded


def test_hudi_reads_the_sample(hudi: Hudi, tmp_path: Path) -> None:
    """Hudi finds the files and the statistics of the sample that byteloom writes."""
    write_hudi_table(tmp_path)
    table = MetadataTable.open(tmp_path / "orders.hudi")
    listed = {each: table.files(each) for each in table.partition_paths()}
    place = {"path": str(tmp_path / "orders.hudi"), "version": 9, "partitions": [*listed]}
    assert hudi.order("files", **place) == listed
    names = [name for files in listed.values() for name in files]
    stated = hudi.order("statistics", **place, files=names, columns=["cents", "country"])
    assert {
        f"{row['partition']}/{row['file']}/{column}": (str(row["min"]), str(row["max"]))
        for column, rows in table.column_stats(["cents", "country"]).items()
        for row in rows.to_pylist()
    } == {place: (each["min"], each["max"]) for place, each in stated.items()}
    assert len(stated) == 2 * len(names)


def test_a_file_that_is_gone_is_a_finding(hudi: Hudi, tmp_path: Path) -> None:
    """The audit names a missing file, and goes on with the others."""
    table = Written(hudi, tmp_path / "t", "COPY_ON_WRITE", 9)
    table.upsert(range(20), 1)
    gone = next((tmp_path / "t" / "p0").glob("*.parquet"))
    gone.unlink()
    found = audit(MetadataTable.open(str(table.path)))
    assert {(each.index, each.subject) for each in found.findings} >= {("data", gone.name)}
    assert {each.partition for each in found.findings} == {"p0"}
