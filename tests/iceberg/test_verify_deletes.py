"""Delete files are compared with their manifest entries, and with the data files they are about."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.support.iceberg_edits import changed_list
from tests.support.iceberg_rows import (
    File,
    TableMaker,
    arrow,
    deletion_vectors,
    parquet,
    position_deletes,
)

COLUMNS = [(1, "x", "long"), (2, "name", "string")]
POS, PATH = 2_147_483_545, 2_147_483_546


def _data(path: Path) -> File:
    """Write a data file of three rows."""
    columns = {(1, "x"): pa.array([0, 1, 2], pa.int64()), (2, "name"): pa.array(["a", "b", None])}
    return parquet(path, arrow(columns))


def _found(root: Path, deletes: File, *data: File, **options: Any) -> list[str]:
    """Return what is wrong with a table of data files and one delete file."""
    return list(
        map(str, TableMaker(root, COLUMNS, **options).commit(*data).commit(deletes).open().verify())
    )


@pytest.mark.parametrize(("position", "is_wrong"), [(0, False), (3, False), (4, True), (-1, True)])
def test_positions_of_delete_files_are_rows(
    tmp_path: Path, position: int, *, is_wrong: bool
) -> None:
    """A position before or beyond the rows is reported; some writers leave one right after them."""
    data = _data(tmp_path / "a.parquet")
    deletes = position_deletes(tmp_path / "d.parquet", [(data.path, position)])
    found = _found(tmp_path, deletes, data)
    assert [
        f"d.parquet: pos: found {position}, wanted below 3, a row of" in each for each in found
    ] == [True] * is_wrong


@pytest.mark.parametrize(("position", "is_wrong"), [(2, False), (3, True), (1 << 40, True)])
def test_positions_of_vectors_are_rows(tmp_path: Path, position: int, *, is_wrong: bool) -> None:
    """A deletion vector with a position after the last row is reported."""
    data = _data(tmp_path / "a.parquet")
    (vector,) = deletion_vectors(tmp_path / "v.puffin", {data.path: [0, position]})
    found = _found(tmp_path, vector, data, version=3)
    assert [f"v.puffin: pos: found {position}, wanted below 3" in each for each in found] == [
        True
    ] * is_wrong


def test_the_referenced_data_file_is_the_one_in_the_rows(tmp_path: Path) -> None:
    """An entry that names another data file than the rows do is reported: its rows stay."""
    one, other = _data(tmp_path / "a.parquet"), _data(tmp_path / "b.parquet")
    deletes = position_deletes(tmp_path / "d.parquet", [(one.path, 1)])
    assert _found(tmp_path, replace(deletes, referenced=str(one.path)), one, other) == []
    (found,) = _found(tmp_path, replace(deletes, referenced=str(other.path)), one, other)
    assert f"referenced_data_file: found {other.path}, wanted {one.path}, which" in found


def test_a_data_file_has_the_same_path_in_its_deletes(tmp_path: Path) -> None:
    """A delete that spells the path of a data file in another way is reported: its rows stay.

    A data file that the table no longer has may be named, even one of the same last name.
    """
    data = _data(tmp_path / "a.parquet")
    other = Path(f"file:{data.path}")
    deletes = position_deletes(tmp_path / "d.parquet", [(other, 1)])
    (found,) = _found(tmp_path / "positions", deletes, data)
    assert f"d.parquet: file_path: found {other}, wanted {data.path}, as its entry" in found
    gone = position_deletes(tmp_path / "g.parquet", [(tmp_path / "old/a.parquet", 1)])
    assert _found(tmp_path / "gone", gone, data) == []


def test_bounds_of_paths_include_all_of_them(tmp_path: Path) -> None:
    """Bounds of one path, of a file that names two, are reported: readers skip the other one."""
    data = [_data(tmp_path / f"{name}.parquet") for name in "ab"]
    deletes = position_deletes(tmp_path / "d.parquet", [(each.path, 1) for each in data])
    wrong = replace(deletes, bounds={PATH: str(data[0].path).encode()})
    (found,) = _found(tmp_path, wrong, *data)
    assert f"upper_bounds[{PATH}]: found {str(data[0].path)[:60]}" in found


def test_position_deletes_have_the_partition_of_their_data(tmp_path: Path) -> None:
    """A delete file of another partition than the data file it names is reported."""
    columns = {(1, "x"): pa.array([7, 7], pa.int64()), (2, "name"): pa.array(["a", "b"])}
    data = replace(parquet(tmp_path / "a.parquet", arrow(columns)), partition={"x": 7})
    deletes = position_deletes(tmp_path / "d.parquet", [(data.path, 1)])
    specs = {0: [(1, 1000, "x", "identity", "long")]}
    sound = replace(deletes, partition={"x": 7})
    assert _found(tmp_path, sound, data, partitions=specs) == []
    (found,) = _found(tmp_path, replace(deletes, partition={"x": 8}), data, partitions=specs)
    assert "partition: found partition (8,) of spec 0, wanted partition (7,) of spec 0" in found


@pytest.mark.parametrize(
    ("ids", "says"),
    [
        ([1], None),
        ([1, 2], "equality_ids: found column 2, wanted columns of the delete file"),
        ([9], "equality_ids: found column 9, wanted a column that the table has had"),
    ],
)
def test_equality_deletes_have_the_columns_that_they_compare(
    tmp_path: Path, ids: list[int], says: str | None
) -> None:
    """A compared column that the table or the delete file lacks is reported."""
    data = _data(tmp_path / "a.parquet")
    held = parquet(tmp_path / "d.parquet", arrow({(1, "x"): pa.array([1], pa.int64())}))
    found = _found(tmp_path, replace(held, content=2, equality_ids=ids), data)
    assert [str(says) in each for each in found] == [True] * (says is not None)


def test_a_missing_lower_bound_of_an_equality_delete_is_reported_once(tmp_path: Path) -> None:
    """A compared column with an upper bound alone is one finding, though its file is read, too."""
    data = _data(tmp_path / "a.parquet")
    held = parquet(tmp_path / "d.parquet", arrow({(1, "x"): pa.array([1], pa.int64())}))
    deletes = replace(held, content=2, equality_ids=[1], bounds={1: (1).to_bytes(8, "little")})
    table = TableMaker(tmp_path, COLUMNS).commit(data).commit(deletes).open()
    assert table.verify() == []

    def change(rows: Any) -> None:
        rows[1][0]["data_file"]["lower_bounds"] = None

    document = dict(table.metadata.as_written)
    (found,) = map(str, changed_list(document, tmp_path, change, number=1).verify())
    assert "entries[0].lower_bounds[1]: found nothing, wanted a bound" in found


def test_deletion_vectors_have_no_statistics_of_columns(tmp_path: Path) -> None:
    """Counts of a column in the entry of a vector are reported: filters would skip it."""
    data = _data(tmp_path / "a.parquet")
    (vector,) = deletion_vectors(tmp_path / "v.puffin", {data.path: [0]})
    (found,) = _found(tmp_path, replace(vector, nulls={1: 1}), data, version=3)
    assert "null_value_counts[1]: found statistics, wanted none: the file has no column x" in found


def test_statistics_in_footers_are_compared_with_the_pages(tmp_path: Path) -> None:
    """A footer whose greatest value is less than one in the pages is reported."""
    path = tmp_path / "a.parquet"
    rows = arrow({(1, "x"): pa.array([1, 2, 77_777_777], pa.int64())})
    made = parquet(path, rows, use_dictionary=False, compression="none")
    stored, greatest = path.read_bytes(), (77_777_777).to_bytes(8, "little")
    footer = stored.rindex(b"PAR1") - int.from_bytes(stored[-8:-4], "little") - 4
    changed = stored[footer:].replace(greatest, (3).to_bytes(8, "little"))
    path.write_bytes(stored[:footer] + changed)
    (found,) = TableMaker(tmp_path, COLUMNS[:1]).commit(made).open().verify()
    assert "row_groups[0].column x.max: found 3, wanted at least 77777777" in str(found)
