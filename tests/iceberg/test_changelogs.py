"""A changelog has the rows that data files and deletes added or removed between snapshots."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.drawn import examples
from tests.support.iceberg_drawn import commits, removals, write
from tests.support.iceberg_rows import (
    File,
    TableMaker,
    arrow,
    deletion_vectors,
    parquet,
    position_deletes,
)

from byteloom.errors import FormatError
from byteloom.iceberg import open_table

if TYPE_CHECKING:
    from byteloom.iceberg import Table

COLUMNS = [(1, "id", "long")]
FILTERS = ("x is null", "x > 4", "s = 'a' and p = 1", "p = 0 or x = 3")


def rows_of(scan: Any) -> Counter[tuple[Any, ...]]:
    """Return the rows of a scan, counted."""
    return Counter(tuple(each.values()) for each in scan.to_table().to_pylist())


def check_changes(table: Table, filter_: str = "true") -> None:
    """Compare each snapshot with the one before, less the rows deleted and with those inserted."""
    before: Counter[tuple[Any, ...]] = Counter()
    changes = table.changelog(filter=filter_).to_table().to_pylist()
    for snapshot in table.snapshots:
        kinds: dict[str, Counter[tuple[Any, ...]]] = {"INSERT": Counter(), "DELETE": Counter()}
        for each in changes:
            if each["_commit_snapshot_id"] == snapshot.snapshot_id:
                kinds[each["_change_type"]][tuple(each.values())[:-3]] += 1
        assert not kinds["DELETE"] - before
        before = before - kinds["DELETE"] + kinds["INSERT"]
        assert before == rows_of(table.scan(filter_, snapshot=snapshot.snapshot_id))


@pytest.mark.parametrize(
    ("version", "kinds"), [(2, "positions equality"), (3, "positions vectors equality")]
)
@examples(0.4)
@given(data=st.data(), together=st.booleans(), removed=removals())
def test_changes_make_each_snapshot_of_the_one_before(
    version: int, kinds: str, together: bool, data: st.DataObject, removed: Any
) -> None:
    """Applying a changelog to a snapshot gives the next one, with and without a filter."""
    made = data.draw(commits(frozenset([*kinds.split(), "nulls", "partitions"])))
    with TemporaryDirectory() as folder:
        place = write(made, Path(folder), version=version, together=together, removals=removed)
        check_changes(open_table(place))
        check_changes(open_table(place), data.draw(st.sampled_from(FILTERS)))


def ids(path: Path, *values: int) -> File:
    """Write a data file of numbers."""
    return parquet(path, arrow({(1, "id"): pa.array(values, pa.int64())}))


def changelog_rows(table: Table, **options: Any) -> list[tuple[Any, ...]]:
    """Return the changelog of a table, row by row."""
    return sorted(
        tuple(each.values()) for each in table.changelog(**options).to_table().to_pylist()
    )


def test_rows_that_were_deleted_before_are_not_deleted_again(tmp_path: Path) -> None:
    """A row that was deleted is not deleted again by a later delete, vector or file removal."""
    data = ids(tmp_path / "a.parquet", 1, 2, 3, 4)
    (first,) = deletion_vectors(tmp_path / "1.puffin", {data.path: [0]})
    (second,) = deletion_vectors(tmp_path / "2.puffin", {data.path: [0, 2]})
    maker = TableMaker(tmp_path / "t", COLUMNS, version=3).commit(data).commit(first)
    maker.commit(second, removed=[first]).commit(removed=[data, second], operation="delete")
    table = maker.open()
    assert changelog_rows(table, from_=1) == [
        (1, "DELETE", 0, 2),
        (2, "DELETE", 2, 4),
        (3, "DELETE", 1, 3),
        (4, "DELETE", 2, 4),
    ]
    assert table.changelog(from_=1).count() == 4


def test_rows_come_back_with_the_delete_file_that_goes(tmp_path: Path) -> None:
    """Removing a delete file inserts its rows again, unless another delete file has them."""
    data = ids(tmp_path / "a.parquet", 1, 2, 3)
    one = position_deletes(tmp_path / "1.parquet", [(data.path, 0), (data.path, 1)])
    other = position_deletes(tmp_path / "2.parquet", [(data.path, 1)])
    maker = TableMaker(tmp_path / "t", COLUMNS).commit(data).commit(one, other)
    table = maker.commit(removed=[one]).open()
    assert changelog_rows(table, from_=2) == [(1, "INSERT", 0, 3)]


def test_deletes_of_the_same_commit_take_inserted_rows(tmp_path: Path) -> None:
    """A row that one commit adds and deletes by position is not a change.

    An equality delete of that commit does not apply to it.
    """
    data = ids(tmp_path / "a.parquet", 1, 2)
    place = position_deletes(tmp_path / "1.parquet", [(data.path, 0)])
    equal = replace(ids(tmp_path / "2.parquet", 2), content=2, equality_ids=[1])
    table = TableMaker(tmp_path / "t", COLUMNS).commit(data, place, equal).open()
    assert changelog_rows(table) == [(2, "INSERT", 0, 1)]


def test_replacements_change_no_row(tmp_path: Path) -> None:
    """A replace operation changes no row, even if it removes files and deletes."""
    data = ids(tmp_path / "a.parquet", 1, 2)
    place = position_deletes(tmp_path / "1.parquet", [(data.path, 0)])
    maker = TableMaker(tmp_path / "t", COLUMNS).commit(data).commit(place)
    new = ids(tmp_path / "b.parquet", 2)
    table = maker.commit(new, removed=[data, place], operation="replace").open()
    assert changelog_rows(table, from_=2) == []


def test_tasks_name_the_deletes_that_changed_a_file(tmp_path: Path) -> None:
    """A task names the deletes that changed its file, and the older ones that still apply."""
    data = ids(tmp_path / "a.parquet", 1, 2, 3)
    old = position_deletes(tmp_path / "1.parquet", [(data.path, 0)])
    new = position_deletes(tmp_path / "2.parquet", [(data.path, 0), (data.path, 1)])
    table = TableMaker(tmp_path / "t", COLUMNS).commit(data).commit(old).commit(new).open()
    tasks = list(table.changelog().plan())
    by = [each.change.changed_by for each in tasks if each.change is not None]
    names = [each and [delete.file_path for delete in each] for each in by]
    assert names == [None, [str(old.path)], [str(new.path)]]
    taken = [[delete.file_path for delete in each.deletes] for each in tasks]
    assert taken == [[], [], [str(old.path)]]
    limited = replace(table.changelog(from_=1), limit=2)
    assert len(limited.plan()) == 2
    assert len(limited.to_table()) == limited.count() == 2


def test_a_vector_of_a_file_that_is_gone_is_refused(tmp_path: Path) -> None:
    """A deletion vector of a file that is not live is refused in a changelog."""
    data = ids(tmp_path / "a.parquet", 1, 2)
    (vector,) = deletion_vectors(tmp_path / "1.puffin", {tmp_path / "b.parquet": [0]})
    table = TableMaker(tmp_path / "t", COLUMNS, version=3).commit(data).commit(vector).open()
    with pytest.raises(FormatError, match=r"deletion vector of .*b\.parquet: found no such live"):
        table.changelog().plan()


def test_appends_read_no_delete_files_of_others(tmp_path: Path) -> None:
    """A changelog of an append does not read older delete manifests, even if one is missing."""
    data, more = ids(tmp_path / "a.parquet", 1, 2), ids(tmp_path / "b.parquet", 3)
    place = position_deletes(tmp_path / "1.parquet", [(data.path, 0)])
    maker = TableMaker(tmp_path / "t", COLUMNS).commit(data).commit(place)
    table = maker.commit(more).open()
    listed = table.manifests(table.current_snapshot)
    is_delete = listed.numbers("content") == 1
    (path,) = listed.table.column("manifest_path").filter(pa.array(is_delete)).to_pylist()
    Path(path).unlink()
    assert changelog_rows(table, from_=2) == [(3, "INSERT", 0, 3)]


@pytest.mark.parametrize(
    ("after", "last", "wanted"),
    [
        (None, None, [1, 2, 4]),
        (None, 3, [1, 2]),
        (1, None, [2, 4]),
        (2, 3, []),
        (3, None, [4]),
        (4, None, []),
    ],
)
def test_scans_of_appends_leave_other_operations_out(
    tmp_path: Path, after: int | None, last: int | None, wanted: list[int]
) -> None:
    """A scan of appends omits rows of overwrites, and excludes the snapshot it begins after."""
    maker = TableMaker(tmp_path / "t", COLUMNS)
    for number, operation in enumerate(["append", "append", "overwrite", "append"], 1):
        maker.commit(ids(tmp_path / f"{number}.parquet", number), operation=operation)
    scan = maker.open().incremental_append(after, last)
    assert sorted(each["id"] for each in scan.to_table().to_pylist()) == wanted
    assert len(scan.plan().files) == len(wanted)


def test_a_range_begins_at_a_snapshot_that_its_end_came_from(tmp_path: Path) -> None:
    """A range is refused unless it begins at an ancestor of its end."""
    maker = TableMaker(tmp_path / "t", COLUMNS)
    for number in (1, 2):
        maker.commit(ids(tmp_path / f"{number}.parquet", number))
    with pytest.raises(
        FormatError, match=r"^from-snapshot: found 2, wanted an ancestor of snapshot 1$"
    ):
        maker.open().incremental_append(2, 1).plan()
