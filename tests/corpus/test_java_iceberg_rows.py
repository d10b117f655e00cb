"""Rows of tables that Java Iceberg wrote, against those that Java, or Spark, read of them.

- Every row of every snapshot that is listed, with the file and the place that it comes from and, in
  version 3, its id and age.
- Where the index notes that Java deletes too little, ours are its rows but for those it names.
- Java's ORC reader takes zeros of either sign for one repeated value: there they count as equal.
- Maps have no order.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pyarrow as pa
from tests.support.java_iceberg import JavaTable, is_damaged, is_sound, java_tables

from byteloom.datafiles.fields import FIELD_ID
from byteloom.errors import ByteloomError
from byteloom.iceberg import from_json

if TYPE_CHECKING:
    from byteloom.iceberg import Table, TableScan

_PLACE = ["_file", "_pos", "_spec_id"]
_LINEAGE = ["_row_id", "_last_updated_sequence_number"]
_WRONG = re.compile(r"Java rows wrong.*?row id (\d+)")


@java_tables(is_sound)
def test_rows_of_every_snapshot_are_those_of_java(java_table: JavaTable) -> None:
    """Every listed snapshot has the rows that Java gives, with their files and positions."""
    opened = java_table.open()
    for stated in java_table.record["snapshots"]:
        if stated.get("rows") is None:
            continue
        found = _rows(java_table, opened, stated["snapshot-id"])
        truth = java_table.truth_rows(stated["snapshot-id"])
        if truth is None:
            assert found.num_rows == stated["rows"] == 0
            continue
        _check_rows(java_table, found, truth, f"{java_table.name} {stated['snapshot-id']}")


def _rows(table: JavaTable, opened: Table, snapshot: int) -> pa.Table:
    """Return the rows of a snapshot, in the order of their positions."""
    names = [each.name for each in opened.scan(snapshot=snapshot).schema.fields]
    lineage = _LINEAGE if opened.metadata.format_version > 2 else []
    scan = opened.scan(snapshot=snapshot, columns=[*names, *_PLACE, *lineage])
    rows = scan.to_table()
    files = pa.array([table.relative(each) for each in rows["_file"].to_pylist()], pa.string())
    rows = rows.set_column(rows.schema.get_field_index("_file"), "_file", files)
    return rows.sort_by([("_file", "ascending"), ("_pos", "ascending")])


def _check_rows(table: JavaTable, found: pa.Table, truth: pa.Table, name: str) -> None:
    """Check columns against columns, found by id, or by name where they have none."""
    wrong = _wrong_ids(table)
    if found.num_rows < truth.num_rows and wrong:
        truth = truth.filter(pa.array([each not in wrong for each in truth["id"].to_pylist()]))
    assert found.num_rows == truth.num_rows, name
    is_orc = [each.endswith(".orc") for each in found["_file"].to_pylist()]
    by_id = {_id(each): at for at, each in enumerate(found.schema)}
    for at, field in enumerate(truth.schema):
        place = by_id.get(_id(field), found.schema.get_field_index(field.name))
        ours, theirs = found.column(place), truth.column(at)
        if not ours.equals(theirs):
            values = zip(_plain(ours), _plain(theirs), is_orc, strict=True)
            differing = [each for each in values if not _is_same(*each)]
            assert not differing[:3], f"{name} {field.name}"


def _wrong_ids(table: JavaTable) -> set[int]:
    """Return the ids of rows that Java gives, and that are deleted by the spec."""
    notes = table.record.get("notes") or ()
    return {int(each) for note in notes for each in _WRONG.findall(note)}


def _id(field: pa.Field) -> Any:
    """Return the id of a column, or its name if the truth has no ids."""
    return (field.metadata or {}).get(FIELD_ID, field.name.encode())


def _plain(column: pa.ChunkedArray) -> list[Any]:
    """Return values as Python has them, with those of time as integers."""
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.int64())
    return [_value(each) for each in column.to_pylist()]


def _value(value: Any) -> Any:
    """Return a value that compares, with maps sorted and NaN equal to NaN."""
    if isinstance(value, UUID):
        return value.bytes
    if isinstance(value, dict):
        return {key: _value(each) for key, each in value.items()}
    if isinstance(value, list):
        held = [_value(each) for each in value]
        is_map = bool(held) and all(isinstance(each, tuple) for each in held)
        return sorted(held, key=repr) if is_map else held
    if isinstance(value, tuple):
        return tuple(map(_value, value))
    return repr(value) if isinstance(value, float) else value


def _is_same(ours: Any, theirs: Any, is_orc: bool) -> bool:
    """Return whether two values are the same, in a file of that kind."""
    zeros = ["0.0", "-0.0"]
    return ours == theirs or (is_orc and ours in zeros and theirs in zeros)


@java_tables(lambda record: is_sound(record) and record["planning-cases"] > 0)
def test_filters_pick_as_many_rows_as_really_match(java_table: JavaTable) -> None:
    """Every planning case gives as many rows as match by the spec, residuals applied."""
    opened = java_table.open()
    wrong = _wrong_ids(java_table)
    for case in java_table.planning():
        if "matched-rows" not in case:
            continue
        scan = _scan(java_table, opened, case)
        fields = map(scan.schema.find, scan.pruning.columns)
        if any(each is not None and each.type.kind.endswith("_ns") for each in fields):
            continue  # literals of nanoseconds are read a thousand times too large by Java
        rows = sum(each.num_rows for each in scan.to_batches())
        fewest = max(case["matched-rows"] - len(wrong), 0)
        assert fewest <= rows <= case["matched-rows"], f"{java_table.name}: {case['expr-string']}"


def _scan(java: JavaTable, opened: Table, case: dict[str, Any]) -> TableScan:
    """Return the scan of a case; Java plans the current snapshot with the current schema."""
    snapshot = case.get("snapshot-id")
    return opened.scan(
        from_json(case["expr"]),
        columns=[],
        snapshot=None if snapshot == java.record["current-snapshot-id"] else snapshot,
        case_sensitive=case["case-sensitive"],
    )


@java_tables(is_damaged)
def test_a_damaged_table_gives_an_error_or_the_rows_of_java(java_table: JavaTable) -> None:
    """Reading a damaged table gives an error or the rows of Java."""
    try:
        found = java_table.open().scan().to_table()
    except ByteloomError:
        return
    assert f"{found.num_rows} rows" == java_table.expect["rows"]
