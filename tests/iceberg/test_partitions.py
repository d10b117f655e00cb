"""Tables partitioned by any transform of any type give right rows, filters and checks.

Internal transforms make the partition values of the files here.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pyarrow as pa
import pytest
from tests.support.iceberg_rows import File, TableMaker, arrow, parquet

from byteloom.errors import FormatError
from byteloom.iceberg import apply_value, parse_primitive, parse_transform
from byteloom.iceberg.expressions.ast import Operation, Predicate, Reference
from byteloom.iceberg.transforms.arrays import storage_array, storage_values

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from byteloom.iceberg import Table


def _logical(of: str, name: str, **more: Any) -> dict[str, Any]:
    """Return a logical type of Avro."""
    return {"type": of, "logicalType": name, **more}


def _moment(unit: str, *, zoned: bool) -> dict[str, Any]:
    """Return a timestamp type of Avro."""
    return _logical("long", f"timestamp-{unit}", **{"adjust-to-utc": zoned})


def _fixed(size: int, **more: Any) -> dict[str, Any]:
    """Return a fixed type of Avro."""
    return {"type": "fixed", "name": f"of_{size}", "size": size, **more}


def _named(of: Any, number: int) -> Any:
    """Return the type under a name of its own, if it has one: a schema defines a name once."""
    has_name = isinstance(of, dict) and "name" in of
    return of | {"name": f"{of['name']}_{number}"} if has_name else of


_TIMES = ("year", "month", "day", "hour", "bucket[4]")
_MICROS = [-1, 0, 1_600_000_000_000_001]
_NANOS = [-1, 0, 1_600_000_000_000_000_123]
TYPES: dict[str, tuple[list[Any], Any, tuple[str, ...]]] = {
    "boolean": ([False, True], "boolean", ()),
    "int": ([-(2**31), -5, 7], "int", ("bucket[4]", "truncate[10]")),
    "long": ([-(2**63), 7, 2**40], "long", ("bucket[4]", "truncate[10]")),
    "float": ([-0.5, float("inf"), float("nan")], "float", ()),
    "double": ([-1e300, 0.0, float("nan")], "double", ()),
    "decimal(9, 2)": (
        [Decimal("-9999999.90"), Decimal("1.25")],
        _fixed(5, logicalType="decimal", precision=9, scale=2),
        ("bucket[4]", "truncate[10]"),
    ),
    "date": ([-719_528, -1, 19_000], _logical("int", "date"), ("year", "month", "day")),
    "time": ([0, 86_399_999_999], _logical("long", "time-micros"), ("bucket[4]",)),
    "timestamp": (_MICROS, _moment("micros", zoned=False), _TIMES),
    "timestamptz": (_MICROS, _moment("micros", zoned=True), _TIMES),
    "timestamp_ns": (_NANOS, _moment("nanos", zoned=False), _TIMES),
    "timestamptz_ns": (_NANOS, _moment("nanos", zoned=True), _TIMES),
    "string": (["", "a/b ü", "\U0001f9ca"], "string", ("bucket[4]", "truncate[1]")),
    "uuid": ([UUID(int=5), UUID(int=2**128 - 1)], _fixed(16, logicalType="uuid"), ("bucket[4]",)),
    "fixed[3]": ([b"abc", b"\xff\0\1"], _fixed(3), ("bucket[4]",)),
    "binary": ([b"", b"\xff\xfe"], "bytes", ("bucket[4]", "truncate[1]")),
}
"""Values in ascending order, the type in Avro, and the transforms that lose something."""

CASES = [(of, keeps) for of in TYPES for keeps in (True, False)]


def table_of(folder: Path, of: str, transforms: tuple[str, ...]) -> Table:
    """Return a table with a file for each value and for null."""
    values, avro, _ = TYPES[of]
    kind, made = parse_primitive(of), [parse_transform(each) for each in transforms]
    stored = {"int": "int", "date": _logical("int", "date")}
    spec = [
        (
            2,
            1000 + at,
            f"p{at}",
            str(each),
            stored.get(each.result_type(kind).kind, _named(avro, at)),
        )
        for at, each in enumerate(made)
    ]
    maker = TableMaker(folder, [(1, "x", "int"), (2, "p", of)], version=3, partitions={0: spec})
    for number, value in enumerate([*values, None]):
        columns: dict[tuple[int, str], pa.Array] = {(1, "x"): pa.array([number], pa.int32())}
        if transforms != ("identity",):
            columns[2, "p"] = storage_array(kind, [value])
        file = parquet(folder / f"{number}.parquet", arrow(columns))
        reported = [apply_value(each, kind, value) for each in made]
        partition = {
            f"p{number}": each.bytes if isinstance(each, UUID) else each
            for number, each in enumerate(reported)
        }
        maker.commit(File(file.path, file.records, partition=partition))
    return maker.open()


def found(table: Table, operation: Operation, *literals: Any) -> list[int]:
    """Return the numbers of the rows that a filter on the partitioned column picks."""
    asked = Predicate(operation, Reference("p"), literals)
    return sorted(table.scan(asked, columns=["x"]).to_table()["x"].to_pylist())


COMPARED: dict[Operation, Callable[[Any, Any], bool]] = {
    Operation.EQ: operator.eq,
    Operation.NOT_EQ: operator.ne,
    Operation.LT: operator.lt,
    Operation.GT_EQ: operator.ge,
}


@pytest.mark.parametrize(("of", "keeps"), CASES)
def test_partitions_of_every_type_are_read_and_filtered(
    tmp_path: Path, of: str, keeps: bool
) -> None:
    """Partitioned columns of every type have their values, and filters pick the right rows."""
    values, _, losing = TYPES[of]
    table = table_of(tmp_path, of, ("identity",) if keeps else ("void", *losing))
    rows = table.scan().to_table().sort_by("x")
    held = storage_values(parse_primitive(of), rows["p"].combine_chunks())
    assert list(map(repr, held)) == list(map(repr, [*values, None]))
    assert found(table, Operation.IS_NULL) == [len(values)]
    for one in (values[0], values[1]):
        for operation, holds in COMPARED.items():
            wanted = [number for number, each in enumerate(values) if holds(each, one)]
            wanted += [len(values)] if operation is Operation.NOT_EQ else []
            assert found(table, operation, one) == wanted
    assert table.verify() == []
    for name in ("files", "partitions", "manifests", "entries"):
        assert table.metadata_table(name).num_rows


_DROPPED = ("i", "identity")
"""The name and the transform of a partition field of column 2, which the tables below lost."""


def _stored(of: Any) -> list[tuple[int, int, str, str, Any]]:
    """Return the one field of a spec, as a manifest stores it."""
    return [(2, 1000, *_DROPPED, of)]


def _table_of(root: Path, *stored: tuple[Any, Any]) -> Table:
    """Return a table of a file and a manifest for each type and value of the field."""
    parts: list[Any] = []
    maker = TableMaker(root, [(1, "id", "long")], partitions={0: parts, 1: ()})
    for number, (of, value) in enumerate(stored):
        parts[:] = _stored(of)
        path = root / "data" / f"{number}.parquet"
        file = parquet(path, arrow({(1, "id"): pa.array([number], pa.int64())}))
        maker.commit(replace(file, partition={"i": value}))
    return maker.open()


def test_partition_values_may_be_stored_as_nothing(tmp_path: Path) -> None:
    """A partition field of type null, which Java writes for a dropped column, is read."""
    table = _table_of(tmp_path, ("null", None), ("int", 7), ("null", None))
    assert sorted(table.scan().to_table().column("id").to_pylist()) == [0, 1, 2]
    (found,) = table.scan().plan().partitions.values()
    assert [each["i"] for each in found.to_pylist()] == [None, 7, None]
    assert found.type.field(0).type == pa.int32()


@pytest.mark.parametrize(
    ("types", "of"),
    [
        (("int", "long"), pa.int64()),
        (("long", "int"), pa.int64()),
        (("float", "double"), pa.float64()),
        ((_logical("int", "date"), _moment("micros", zoned=False)), pa.timestamp("us")),
    ],
)
def test_types_before_and_after_a_promotion(
    tmp_path: Path, types: tuple[Any, Any], of: pa.DataType
) -> None:
    """Partition values of a dropped column that was promoted have the wider type."""
    table = _table_of(tmp_path, *((each, 1) for each in types))
    (found,) = table.scan().plan().partitions.values()
    assert found.type.field(0).type == of
    assert table.scan().count() == 2
    assert len(table.metadata_table("partitions")) == 1


def test_types_that_do_not_become_each_other_are_refused(tmp_path: Path) -> None:
    """Unrelated partition types are an error that names the first manifest with another type."""
    table = _table_of(tmp_path, ("int", 1), ("int", 2), ("string", "x"))
    place = tmp_path / "metadata" / "3-m.avro"
    with pytest.raises(FormatError, match=rf"^{place}: spec 0.partition: found .*int32.*string"):
        table.metadata_table("files")


def test_fields_of_dropped_columns_are_not_in_metadata_tables(tmp_path: Path) -> None:
    """Partition fields of dropped columns are not in metadata tables, as in Java."""
    table = _table_of(tmp_path, ("int", 1), ("int", 2))
    assert "partition" not in table.metadata_table("files").column_names
    partitions = table.metadata_table("partitions")
    assert "partition" not in partitions.column_names
    assert partitions.column("file_count").to_pylist() == [2]
    shown = table.metadata_table("manifests").column("partition_summaries").to_pylist()
    assert {(each["lower_bound"], each["upper_bound"]) for (each,) in shown} == {("null", "null")}


def test_equal_partitions_of_specs_with_as_many_fields_are_one(tmp_path: Path) -> None:
    """Files of two specs of one field are of one partition, those of two fields are of another."""
    x, y = (1, 1000, "x", "identity", "int"), (2, 1001, "y", "identity", "int")
    specs = {0: (x,), 1: (x, y), 2: (x,)}
    maker = TableMaker(tmp_path, [(1, "x", "int"), (2, "y", "int")], partitions=specs)
    listed: list[tuple[int, dict[str, int | None]]] = [
        (0, {"x": 7}),
        (1, {"x": 7, "y": None}),
        (2, {"x": 7}),
        (1, {"x": 7, "y": 5}),
    ]
    for number, (spec_id, partition) in enumerate(listed):
        path = tmp_path / f"{number}.parquet"
        path.write_bytes(bytes(10))
        maker.commit(File(path, 10 + number, partition=partition, spec_id=spec_id))
    names = ["partition", "spec_id", "record_count", "file_count", "last_updated_snapshot_id"]
    table = maker.open().metadata_table("partitions").select(names)
    found = [(each.pop("partition"), *each.values()) for each in table.to_pylist()]
    assert sorted(found, key=lambda each: each[-1]) == [
        ({"x": 7, "y": None}, 1, 11, 1, 2),
        ({"x": 7, "y": None}, 2, 22, 2, 3),
        ({"x": 7, "y": 5}, 1, 13, 1, 4),
    ]
