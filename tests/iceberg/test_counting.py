"""Rows are counted from manifests and deletes where possible, and else from data files."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from tests.support.iceberg_rows import (
    File,
    TableMaker,
    arrow,
    deletion_vectors,
    parquet,
    position_deletes,
)

from byteloom.errors import ArgumentError, StorageError
from byteloom.iceberg.reading import position_deletes as reading_of_deletes
from byteloom.iceberg.reading.batches import _shares

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from byteloom.iceberg import Table, TableScan

ROWS = 10
FILES = 3


def no_deletes(_: Path, __: list[File]) -> list[File]:
    """Return no delete files."""
    return []


def positions(folder: Path, files: list[File]) -> list[File]:
    """Delete rows 3 and 9 of the first file, one of them twice, and one that it does not have."""
    path = files[0].path
    return [
        position_deletes(folder / "p.parquet", [(path, 3), (path, ROWS - 1), (path, ROWS)]),
        position_deletes(folder / "q.parquet", [(path, 3)]),
    ]


def vectors(folder: Path, files: list[File]) -> list[File]:
    """Delete four rows of the last file by a vector."""
    return deletion_vectors(folder / "dv.puffin", {files[-1].path: np.array([0, 1, 5, 9])})


def table_of(
    folder: Path, deletes: Callable[[Path, list[File]], list[File]]
) -> tuple[Table, list[File]]:
    """Return a table of three files of ten rows, with deletes, and its data files."""
    files = [
        parquet(
            folder / f"{number}.parquet",
            arrow({(1, "x"): pa.array(range(number * ROWS, (number + 1) * ROWS), pa.int64())}),
        )
        for number in range(FILES)
    ]
    maker = TableMaker(folder, [(1, "x", "long")], version=3 if deletes is vectors else 2)
    maker.commit(*files)
    if added := deletes(folder, files):
        maker.commit(*added)
    return maker.open(), files


def test_one_thread_looks_for_all_positions_of_a_delete_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tasks of a delete file that is read whole stay together; others are divided evenly."""
    files = [
        parquet(tmp_path / f"{each}.parquet", arrow({(1, "x"): pa.array([each, 7], pa.int64())}))
        for each in range(5)
    ]
    maker = TableMaker(tmp_path, [(1, "x", "long")], version=3).commit(*files)
    for name, held in (("a", files[:3]), ("b", files[3:])):
        gone = {each.path: np.array([1]) for each in held}
        maker.commit(*deletion_vectors(tmp_path / f"{name}.puffin", gone))
    tasks = list(maker.open().scan().plan().tasks())
    assert [len(each) for each in _shares(tasks, 1)] == [5]
    assert [len(each) for each in _shares(tasks, 2)] == [3, 2]
    assert [len(each) for each in _shares(tasks, 9)] == [3, 2]
    assert _shares([], 2) == [[]]
    size = (tmp_path / "a.puffin").stat().st_size
    monkeypatch.setattr(reading_of_deletes, "_SMALL", size)
    assert [len(each) for each in _shares(tasks, 9)] == [3, 2]
    monkeypatch.setattr(reading_of_deletes, "_SMALL", size - 1)
    assert [len(each) for each in _shares(tasks, 9)] == [2, 1, 1, 1]
    assert maker.open().scan().count(threads=3) == 5


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("deletes", "rows"), [(no_deletes, 30), (positions, 28), (vectors, 26)])
def test_data_files_are_not_opened_to_be_counted(
    tmp_path: Path, deletes: Callable[[Path, list[File]], list[File]], rows: int, threads: int
) -> None:
    """Counting opens no data file, even if it has deleted positions; these files are missing."""
    table, files = table_of(tmp_path, deletes)
    assert table.scan().to_table().num_rows == rows
    for each in files:
        each.path.unlink()
    scan = table.scan(columns=[])
    assert scan.count(threads=threads) == rows
    assert sum(each.num_rows for each in scan.to_batches(threads=threads)) == rows
    for limit in (0, 1, rows - 1, rows, rows + 1):
        assert table.scan(limit=limit).count(threads=threads) == min(limit, rows)
    snapshot = table.current_snapshot
    assert snapshot is not None
    names_snapshot = rf"parquet: No such file.*; named by snapshot {snapshot.snapshot_id}$"
    with pytest.raises(StorageError, match=names_snapshot):
        table.scan("x < 5").count(threads=threads)
    with pytest.raises(StorageError, match=names_snapshot):
        table.scan().to_table(threads=threads)
    with pytest.raises(StorageError, match=r"parquet: No such file or directory$"):
        table.changelog().to_table(threads=threads)


@pytest.mark.parametrize(
    "use",
    [
        lambda scan: scan.to_table(),
        lambda scan: scan.to_batches(),
        lambda scan: scan.count(),
        lambda scan: scan.plan(),
        lambda scan: scan.plan_stream(),
        lambda scan: scan.explain_file("x.parquet"),
    ],
    ids=["table", "batches", "count", "plan", "stream", "explain"],
)
def test_an_unknown_column_is_refused_by_every_use_of_a_scan(
    tmp_path: Path, use: Callable[[TableScan], object]
) -> None:
    """A column that the schema lacks is an error even where only rows or files are counted."""
    table, _ = table_of(tmp_path, no_deletes)
    with pytest.raises(ArgumentError, match="columns: found 'q', wanted "):
        use(table.scan(columns=["q"]))
    with pytest.raises(ArgumentError, match="columns: found 'q', wanted "):
        use(table.changelog().select("q"))


@pytest.mark.parametrize(
    ("use", "path"),
    [
        (lambda table: table.scan("fare > 1").plan(), "filter.column"),
        (lambda table: table.scan(columns=["fare"]).plan(), "columns"),
    ],
    ids=["filter", "columns"],
)
def test_a_former_name_of_a_column_is_refused_with_its_new_name(
    tmp_path: Path, use: Callable[[Table], object], path: str
) -> None:
    """A filter on a renamed column, or a choice of it, is an error that has the new name."""
    old, new = [(1, "id", "long"), (2, "fare", "long")], [(1, "id", "long"), (2, "price", "long")]
    file = parquet(tmp_path / "a.parquet", arrow({(1, "id"): pa.array([1])}))
    table = TableMaker(tmp_path, new, old_columns=[old]).commit(file).open()
    wanted = "a column of the schema: fare is now price"
    with pytest.raises(ArgumentError, match=f"{path}: found 'fare', wanted {wanted}$"):
        use(table)


def test_rows_that_an_equality_delete_may_ask_are_read(tmp_path: Path) -> None:
    """Counting reads the data files to which an equality delete may apply."""

    def deletes(folder: Path, _: list[File]) -> list[File]:
        made = parquet(folder / "e.parquet", arrow({(1, "x"): pa.array([4, 5])}))
        return [replace(made, content=2, equality_ids=[1])]

    table, files = table_of(tmp_path, deletes)
    assert table.scan().count() == 28
    files[0].path.unlink()
    with pytest.raises(StorageError, match=r"0\.parquet: No such file"):
        table.scan().count()


def test_rows_without_columns_come_in_batches(tmp_path: Path) -> None:
    """A scan without columns gives batches of bounded length and an empty schema."""
    path = tmp_path / "x.parquet"
    count = 3_000_000
    held = arrow({(1, "x"): pa.array(np.zeros(count, np.int64))})
    table = TableMaker(tmp_path, [(1, "x", "long")]).commit(parquet(path, held)).open()
    reader = table.scan(columns=[]).to_batches()
    assert reader.schema == pa.schema([])
    lengths = [each.num_rows for each in reader]
    assert sum(lengths) == count
    assert len(lengths) > 1
