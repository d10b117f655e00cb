"""Tables and warehouses that jobs on Spark are tried on: many files, deletes of every kind."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
from tests.support.iceberg_rows import (
    File,
    TableMaker,
    arrow,
    deletion_vectors,
    parquet,
    position_deletes,
)

from byteloom.iceberg.table import open_table

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.iceberg.table import Table

__all__ = ["deleted_table", "new_table", "vector_table"]

_COLUMNS = [(1, "id", "long"), (2, "city", "string"), (3, "day", "date")]
_SPECS = {0: (), 1: ((2, 1000, "city", "identity", "string"),)}
CITIES = ("Oslo", "Rome", "Lima")


def _data(root: Path, number: int, rows: int, spec_id: int) -> File:
    first = number * rows
    city = CITIES[number % len(CITIES)]
    held = arrow(
        {
            (1, "id"): pa.array(range(first, first + rows), pa.int64()),
            (2, "city"): pa.array([city] * rows),
            (3, "day"): pa.array([each % 50 for each in range(rows)], pa.int32()).cast(pa.date32()),
        }
    )
    made = parquet(root / "data" / f"{number}.parquet", held)
    partition = {"city": city} if spec_id else {}
    return File(made.path, made.records, partition=partition, spec_id=spec_id)


def deleted_table(root: Path, *, files: int = 12, rows: int = 100) -> Table:
    """A table of two partition specs and several snapshots, with deletes by position and by value.

    Each commit has a manifest of its own; deletes are of later commits than the files they are of.
    """
    maker = TableMaker(root, _COLUMNS, partitions=_SPECS)
    data = [_data(root, number, rows, number % 2) for number in range(files)]
    for start in range(0, files, 4):
        maker.commit(*data[start : start + 4])
    named = [(each.path, position) for each in data[:6:2] for position in range(0, rows, 7)]
    by_position = [
        position_deletes(root / "data" / f"deletes-{number}.parquet", [pair])
        for number, pair in enumerate(named[:2])
    ]
    whole = position_deletes(root / "data" / "deletes.parquet", named)
    maker.commit(*by_position, whole, operation="delete")
    gone = arrow({(1, "id"): pa.array([5, rows + 5, 5 * rows + 6], pa.int64())})
    path = root / "data" / "equal.parquet"
    pq.write_table(gone, path)
    maker.commit(File(path, gone.num_rows, content=2, equality_ids=[1]), operation="delete")
    return maker.open()


def new_table(root: Path) -> Table:
    """A table without a snapshot."""
    document = TableMaker(root, _COLUMNS).commit().open().metadata.to_json()
    for key in ("snapshots", "current-snapshot-id", "refs"):
        del document[key]
    path = root / "metadata" / "v2.metadata.json"
    path.write_text(json.dumps(document))
    return open_table(path)


def vector_table(root: Path, *, files: int = 6, rows: int = 100) -> Table:
    """A table of version 3 in which half of the files have a deletion vector."""
    maker = TableMaker(root, _COLUMNS, version=3)
    data = [_data(root, number, rows, 0) for number in range(files)]
    for each in data:
        maker.commit(each)
    wanted = {each.path: range(0, rows, 3) for each in data[::2]}
    maker.commit(*deletion_vectors(root / "data" / "vectors.puffin", wanted), operation="delete")
    return maker.open()
