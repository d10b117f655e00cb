"""Rows replace the partitions that they are in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from byteloom.iceberg import Table, create_table

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = pa.schema({"id": pa.int64(), "city": pa.string()})


def rows(*given: tuple[int, str | None]) -> pa.Table:
    """Return rows."""
    ids, cities = zip(*given, strict=True)
    return pa.table({"id": list(ids), "city": list(cities)}, COLUMNS)


def held(table: Table) -> list[int]:
    """Return the ids, in order."""
    return sorted(table.scan().to_table()["id"].to_pylist())


@pytest.mark.parametrize("version", [1, 2, 3])
def test_the_partitions_of_new_rows_are_replaced(tmp_path: Path, version: int) -> None:
    """Null is a partition too; others stay; the summary says what was replaced."""
    table = create_table(
        tmp_path / "t", COLUMNS, partition_by=["city", "bucket(4, id)"], format_version=version
    )
    table = table.append(rows((1, "Oslo"), (1, "Rome"), (2, None), (1, "Oslo")))
    table = table.overwrite_partitions(rows((2, None), (1, "Oslo")))
    assert held(table) == [1, 1, 2]
    snapshot = table.current_snapshot
    assert snapshot is not None
    summary = dict(snapshot.summary or {})
    assert (summary["operation"], summary["replace-partitions"]) == ("overwrite", "true")
    assert (summary["deleted-records"], summary["total-records"]) == ("3", "3")
    assert table.verify() == []
    assert table.overwrite_partitions(COLUMNS.empty_table()).metadata is table.metadata


def test_all_rows_go_without_partitions_and_deletes_with_them(tmp_path: Path) -> None:
    """Deletion vectors are removed, and under ``snapshot`` rows that another writer has added."""
    properties = {"write.delete.mode": "merge-on-read", "write.delete.isolation-level": "snapshot"}
    table = create_table(tmp_path / "t", COLUMNS, format_version=3, properties=properties)
    old = table.append(rows((1, "Oslo"), (2, "Rome"))).delete("id = 1")
    old.append(rows((3, "Bonn")))
    table = old.overwrite_partitions(rows((9, "Bern")))
    assert held(table) == [9]
    snapshot = table.current_snapshot
    assert snapshot is not None
    summary = dict(snapshot.summary or {})
    assert (summary["removed-dvs"], summary["total-delete-files"]) == ("1", "0")
    assert table.verify() == []
