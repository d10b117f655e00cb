"""Rows that a change selects are those that a scan returns, and delete files name them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from byteloom.iceberg import create_table
from byteloom.iceberg.expressions.text import as_expression
from byteloom.iceberg.row_changes.selection import ChangeScan, SelectedRows, selected_rows
from byteloom.iceberg.writing.delete_files import DeletedRows, DeleteFiles
from byteloom.puffin import DeletionVector
from byteloom.puffin import open as open_puffin

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.iceberg import Table

COLUMNS = pa.schema({"id": pa.int64(), "group": pa.string(), "ratio": pa.float64()})


def table_of(folder: Path, version: int, **properties: str) -> Table:
    """Return a table of two files of ten rows in each of two partitions."""
    table = create_table(
        folder, COLUMNS, partition_by=["group"], format_version=version, properties=properties
    )
    for start in (0, 20):
        ids = np.arange(start, start + 20)
        groups = pa.array(["ab"[number % 2] for number in ids])
        table = table.append(pa.table({"id": ids, "group": groups, "ratio": ids / 4}))
    return table


def selected(table: Table, where: str) -> list[SelectedRows]:
    """Return what a filter selects."""
    scan = ChangeScan(table, table.current_snapshot, table.schema, as_expression(where))
    return list(selected_rows(scan))


@pytest.mark.parametrize(
    ("where", "whole"),
    [
        ("group = 'a'", 2),
        ("id >= 20", 2),
        ("id < 100", 4),
        ("id < 5", 0),
        ("id in (1, 2, 39)", 0),
        ("id < 25 or group = 'b'", 3),
        ("id is null", 0),
        ("false", 0),
    ],
)
def test_the_rows_selected_are_those_of_a_scan(tmp_path: Path, where: str, whole: int) -> None:
    """Positions are those of the rows that match; files that match wholly are not read."""
    table = table_of(tmp_path / "t", 2)
    found = selected(table, where)
    rows = table.scan(columns=["id", "_file", "_pos"]).to_table().to_pylist()
    by_place = {(each["_file"], each["_pos"]): each["id"] for each in rows}
    ids = []
    for each in found:
        positions = range(10) if each.rows is None else each.rows.positions().tolist()
        ids += [by_place[each.task.file_path, position] for position in positions]
    assert sorted(ids) == sorted(table.scan(where).to_table()["id"].to_pylist())
    assert sum(each.rows is None for each in found) == whole


def written(
    table: Table, positions: list[list[int]], where: str = "true"
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the entries of deletes of some rows of the files, and the paths of the files."""
    tasks = sorted((each.task for each in selected(table, where)), key=lambda each: each.file_path)
    deleted = [
        DeletedRows(task, DeletionVector.from_positions(some))
        for task, some in zip(tasks, positions, strict=False)
    ]
    with DeleteFiles(table) as files:
        return files.write(deleted), [each.file_path for each in tasks]


def test_vectors_of_a_job_are_in_one_puffin_file(tmp_path: Path) -> None:
    """Each entry names its data file and its place, with the bytes that Java writes."""
    table = table_of(tmp_path / "t", 3)
    entries, paths = written(table, [[20], [0, 1, 2, 3, 4, 6]])
    assert len({each["file_path"] for each in entries}) == 1
    places = [(each["content_offset"], each["content_size_in_bytes"]) for each in entries]
    assert places == [(4, 42), (46, 43)]
    assert [each["referenced_data_file"] for each in entries] == paths[:2]
    assert [each["record_count"] for each in entries] == [1, 6]
    with open_puffin(entries[0]["file_path"]) as file:
        held = [file.read(each) for each in file.blobs]
    assert [each.hex() for each in held] == [
        "00000022d1d339640100000000000000000000003a3000000100000000000000100000001400d90863e0",
        "00000023d1d339640100000000000000000000003b300000010000050002000000040006000000fb6ea84b",
    ]


@pytest.mark.parametrize("granularity", ["file", "partition"])
def test_positions_are_in_files_of_rows_below_version_three(
    tmp_path: Path, granularity: str
) -> None:
    """A file has the paths and positions of a data file or a partition, with whole bounds."""
    table = table_of(tmp_path / "t", 2, **{"write.delete.granularity": granularity})
    entries, paths = written(table, [[7, 3], [0], [1, 2], [9]])
    assert len(entries) == (4 if granularity == "file" else 2)
    rows = []
    for each in entries:
        held = pq.read_table(each["file_path"])
        assert [field.metadata[b"PARQUET:field_id"] for field in held.schema] == [
            b"2147483546",
            b"2147483545",
        ]
        ends = [held["file_path"][0].as_py(), held["file_path"][-1].as_py()]
        bounds = [each[f"{name}_bounds"][2147483546].decode() for name in ("lower", "upper")]
        assert bounds == ends
        assert (each["referenced_data_file"] is not None) == (granularity == "file")
        rows += held.to_pylist()
    expected = [(0, 3), (0, 7), (1, 0), (2, 1), (2, 2), (3, 9)]
    assert sorted((paths.index(each["file_path"]), each["pos"]) for each in rows) == expected
