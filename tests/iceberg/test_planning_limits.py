"""A plan with a limit has the first files that surely have enough rows, and no others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.iceberg_rows import File, TableMaker, position_deletes

if TYPE_CHECKING:
    from byteloom.iceberg import Table

ROWS = [1, 2, 3, 4]


def table_of(folder: Path, *, deletes: bool = False, commits: int = 1) -> Table:
    """Return a table of files of 1, 2, 3 and 4 rows; the second may have a row deleted."""
    maker = TableMaker(folder, [(1, "x", "long")])
    files = [File(folder / f"{rows}.parquet", rows, length=100) for rows in ROWS]
    share = len(files) // commits
    for first in range(0, len(files), share):
        maker.commit(*files[first : first + share])
    if deletes:
        rows = [(files[1].path, 0)]
        maker.commit(position_deletes(folder / "deletes.parquet", rows, has_bounds=True))
    return maker.open()


def kept(plan: Any) -> list[int]:
    """Return how many rows each planned file has, by its name."""
    assert plan.counts.kept == len(plan)
    assert plan.counts.files_by_limit == plan.counts.data_files - len(plan)
    return [int(Path(each.file_path).stem) for each in plan]


@pytest.mark.parametrize(
    ("limit", "wanted"),
    [
        (1, [1]),
        (2, [1, 2]),
        (3, [1, 2]),
        (4, [1, 2, 3]),
        (6, [1, 2, 3]),
        (7, [1, 2, 3, 4]),
        (10, [1, 2, 3, 4]),
        (11, [1, 2, 3, 4]),
    ],
)
def test_files_after_the_limit_are_left_out(tmp_path: Path, limit: int, wanted: list[int]) -> None:
    """Files are planned until they have as many rows as the limit."""
    assert kept(table_of(tmp_path).scan(limit=limit).plan()) == wanted


def test_no_manifest_is_read_after_the_limit(tmp_path: Path) -> None:
    """Manifests are read from the newest to the oldest, and none after the limit."""
    table = table_of(tmp_path, commits=4)
    first = [int(Path(each.file_path).stem) for each in table.scan().plan()]
    for limit in range(1, 11):
        plan = table.scan(limit=limit).plan()
        assert sum(kept(plan)[:-1]) < limit <= sum(kept(plan))
        assert kept(plan) == first[: len(plan)]


def test_files_with_deletes_have_no_row_for_sure(tmp_path: Path) -> None:
    """A file with deletes does not count towards the limit."""
    table = table_of(tmp_path, deletes=True)
    assert kept(table.scan(limit=1).plan()) == [1]
    assert kept(table.scan(limit=2).plan()) == [1, 2, 3]
    assert kept(table.scan(limit=4).plan()) == [1, 2, 3]
    assert kept(table.scan(limit=5).plan()) == [1, 2, 3, 4]


def test_files_that_are_asked_again_have_no_row_for_sure(tmp_path: Path) -> None:
    """A file whose rows may or may not match does not count towards the limit."""
    assert kept(table_of(tmp_path).scan("x > 3", limit=1).plan()) == ROWS
