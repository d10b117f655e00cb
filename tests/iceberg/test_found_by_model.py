"""What drawn steps of `test_model.py` have found, each as small as it can be."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from byteloom.iceberg import create_table

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.iceberg import Table

IDS = pa.schema({"id": pa.int64()})
INNER = pa.struct({"text": pa.string()})
OUTER = pa.struct({"n": pa.int64(), "inner": INNER})
OUTERS: list[Any] = [{"n": 1, "inner": None}, None, {"n": None, "inner": {"text": "a"}}]
OUTERS.append({"n": 4, "inner": {"text": "b"}})


def ids(table: Table) -> list[int]:
    """Return the ids of a table's rows in order."""
    return sorted(table.scan().to_table()["id"].to_pylist())


@pytest.mark.parametrize("size", ["1", "60", "100000"])
@pytest.mark.parametrize(
    ("of", "values"),
    [
        (OUTER, OUTERS),
        (pa.list_(OUTER), [OUTERS, None, [], OUTERS[2:]]),
        (pa.map_(pa.string(), OUTER), [[("x", OUTERS[0]), ("y", OUTERS[3])], None, [], []]),
    ],
    ids=["struct", "list", "map"],
)
def test_structs_in_orc_are_those_of_their_rows(
    tmp_path: Path, size: str, of: pa.DataType, values: list[Any]
) -> None:
    """Whatever batches the rows are written in, and whatever is null above a value."""
    properties = {
        "write.format.default": "orc",
        "write.parquet.row-group-size-bytes": size,
    }
    rows = pa.table({"id": range(len(values)), "c": pa.array(values, of)})
    table = create_table(tmp_path / "t", rows.schema, properties=properties)
    table = table.append(rows.slice(1)).append(rows)
    found = table.scan().to_table().to_pylist()
    wanted = [*rows.to_pylist(), *rows.to_pylist()[1:]]
    assert sorted(found, key=str) == sorted(wanted, key=str)


def test_keys_are_deleted_in_a_table_that_is_born_sorted(tmp_path: Path) -> None:
    """Its metadata has no unsorted order, which delete files have all the same."""
    table = create_table(tmp_path / "t", IDS, sort_by=["id"]).append(pa.table({"id": [1, 2]}))
    assert ids(table.delete_keys(pa.table({"id": [1]}))) == [2]


def test_files_are_added_to_a_table_that_is_born_sorted(tmp_path: Path) -> None:
    """They are in no order of the table's."""
    pq.write_table(pa.table({"id": [2, 1]}), tmp_path / "old.parquet")
    table = create_table(tmp_path / "t", IDS, sort_by=["id"])
    assert ids(table.add_files([tmp_path / "old.parquet"])) == [1, 2]


def test_keys_are_deleted_whatever_a_void_field_is_of(tmp_path: Path) -> None:
    """A table whose partition fields are void has one partition, of no column."""
    rows = pa.table({"id": [1, 2], "c": ["a", "b"]})
    table = create_table(tmp_path / "t", rows.schema, partition_by=["void(c)"]).append(rows)
    table = table.delete_keys(pa.table({"id": [1]}))
    assert ids(table) == [2]
    assert len(table.metadata.partition_specs) == 1
    assert table.verify() == []


MOMENT = dt.datetime(2024, 2, 29, 1, 2, 3)  # noqa: DTZ001  a timestamp without a zone


@pytest.mark.parametrize(
    ("of", "one", "other"),
    [
        (pa.int32(), 5, None),
        (pa.bool_(), True, False),
        (pa.float64(), 0.5, float("nan")),
        (pa.decimal128(9, 2), Decimal("1.50"), Decimal("-0.01")),
        (pa.timestamp("us"), MOMENT, None),
        (pa.string(), "a", ""),
        (pa.binary(), b"\xff", b""),
    ],
    ids=str,
)
@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_table_goes_on_after_its_partition_column_was_dropped(
    tmp_path: Path, version: int, of: pa.DataType, one: Any, other: Any
) -> None:
    """Values of the old partitions keep their type in manifests that are written again."""
    rows = pa.table({"id": [1, 2, 3, 4], "c": pa.array([one, one, one, other], of)})
    properties = {
        "write.delete.mode": "copy-on-write" if version == 1 else "merge-on-read",
        "write.summary.partition-limit": "10",
        "commit.manifest.min-count-to-merge": "2",
    }
    table = create_table(
        tmp_path / "t",
        rows.schema,
        partition_by=["c"],
        format_version=version,
        properties=properties,
    )
    table = table.append(rows).delete("id = 2")
    table = table.evolve().drop_partition_field("c").commit().evolve().drop_column("c").commit()
    table = table.append(pa.table({"id": [10]})).append(pa.table({"id": [11]}))
    table = table.delete("id = 4")
    assert ids(table) == [1, 3, 10, 11]
    assert table.verify() == []
    # Version 1 keeps a void field, and so the partitions of the old spec.
    kept = [1, 3] if version == 1 else []
    assert ids(table.overwrite_partitions(pa.table({"id": [12]}))) == [*kept, 12]


def test_manifests_of_a_late_commit_have_the_schema_of_its_snapshot(tmp_path: Path) -> None:
    """Another writer changed the schema in between: `verify` finds nothing."""
    first = create_table(tmp_path / "t", IDS).append(pa.table({"id": [1]}))
    first.evolve().add_column("name", "string").commit()
    table = first.append(pa.table({"id": [2]}))
    assert table.verify() == []
    assert table.scan().to_table()["name"].to_pylist() == [None, None]


REQUIRED = pa.struct([pa.field("a", pa.int32(), nullable=False), pa.field("b", pa.string())])
DEEP = pa.struct([pa.field("s", REQUIRED, nullable=False)])


@pytest.mark.parametrize("form", ["parquet", "orc"])
@pytest.mark.parametrize("of", [REQUIRED, DEEP], ids=["struct", "struct of structs"])
def test_a_missing_struct_with_required_fields_is_null(
    tmp_path: Path, form: str, of: pa.DataType
) -> None:
    """Rows may lack the column, and are written again as they are."""
    columns = pa.schema({"id": pa.int64(), "s": of})
    table = create_table(tmp_path / "t", columns).append(pa.table({"id": [1]}), file_format=form)
    table = table.append(pa.table({"id": [2, 3], "s": pa.nulls(2)}), file_format=form)
    table = table.delete("id = 2").update({"id": 4}, "id = 3")
    assert ids(table) == [1, 4]
    assert table.scan().to_table()["s"].to_pylist() == [None, None]
    assert table.verify() == []


@pytest.mark.parametrize("mode", ["none", "full"])
def test_a_late_delete_removes_a_file_whose_rows_all_match(tmp_path: Path, mode: str) -> None:
    """Whether its statistics show that, or only its rows, and whatever another writer did."""
    properties = {"write.metadata.metrics.default": mode}
    first = create_table(tmp_path / "t", IDS, properties=properties)
    first = first.append(pa.table({"id": [1, 2, 3]}))
    first.append(pa.table({"id": [9]}), branch="audit")
    assert ids(first.delete("id < 10")) == []
    first = first.append(pa.table({"id": [4]}), branch="other")
    assert first.scan().count() == 0
