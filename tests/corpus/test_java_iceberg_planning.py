"""Plans of tables that Java Iceberg wrote, against those that Java made.

- A plan holds all files of Java's, and may hold those that Java left out wrongly; no others.
- Each has the deletes of Java, and equality deletes that it misses: it compares UUIDs as signed
  words, and leaves files out by columns that they do not compare.
- Residuals are written the same way, or pick the same rows of the file.
- Where Java ends in an error of its own, the files with matching rows are planned all the same.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc
from tests.support.java_iceberg import JavaTable, is_damaged, is_sound, java_tables

from byteloom.errors import ByteloomError
from byteloom.iceberg import bind, evaluate, from_json
from byteloom.iceberg.expressions.binding import references

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from byteloom.iceberg import Table, TableScan
    from byteloom.iceberg.planning.plan import DeleteFile, FileTask

_CONTENT = {1: "POSITION_DELETES", 2: "EQUALITY_DELETES"}

_UNNOTICED = frozenset({"ArithmeticException", "NullPointerException"})
"""What Java's own mistakes end in; other exceptions refuse a filter or a table."""


def _scan(java: JavaTable, table: Table, case: dict[str, Any]) -> TableScan:
    """Return the scan of a case; Java plans the current snapshot with the current schema."""
    snapshot = case.get("snapshot-id")
    return table.scan(
        from_json(case["expr"]),
        snapshot=None if snapshot == java.record["current-snapshot-id"] else snapshot,
        case_sensitive=case["case-sensitive"],
        ignore_residuals=case.get("ignore-residuals", False),
    )


def _asks_nanoseconds(scan: TableScan) -> bool:
    """Return whether a filter has nanoseconds, which Java reads a thousand times too large."""
    fields = map(scan.schema.find, scan.pruning.columns)
    return any(each is not None and each.type.kind.endswith("_ns") for each in fields)


def _is_planned(record: dict[str, Any]) -> bool:
    """Return whether a table is not damaged, and has something to plan."""
    return is_sound(record) and record["planning-cases"] > 0


@java_tables(_is_planned)
def test_plans_hold_the_files_deletes_and_residuals_of_java(java_table: JavaTable) -> None:
    """Every case of a table has the files, their deletes and residuals that Java gives."""
    cases = list(java_table.planning())
    assert len(cases) == java_table.record["planning-cases"]
    opened, rows_of = java_table.open(), cache(java_table.truth_rows)
    for case in cases:
        if "tasks" in case:
            _check_case(java_table, opened, case, rows_of)


def _check_case(
    table: JavaTable,
    opened: Table,
    case: dict[str, Any],
    rows_of: Callable[[int], pa.Table | None],
) -> None:
    """Check one plan against Java's."""
    scan = _scan(table, opened, case)
    if _asks_nanoseconds(scan):
        return
    name = f"{table.name} {case['case']}: {case['expr-string']}"
    plan = scan.plan()
    found = {table.relative(each.file_path): each for each in plan}
    assert len(found) == len(plan), name
    wanted = {each["file"]: each for each in case["tasks"]}
    assert wanted.keys() <= found.keys(), name
    assert case.get("matched-files", 0) <= len(found), name
    assert found.keys() <= wanted.keys() | set(case.get("wrongly-pruned", ())), name
    for path, task in wanted.items():
        _check_task(scan, table, task, found[path], f"{name}: {path}")
        _check_residual(
            scan, task, found[path], lambda: rows_of(case["snapshot-id"]), f"{name}: {path}"
        )


def _check_task(
    scan: TableScan, table: JavaTable, wanted: dict[str, Any], found: FileTask, name: str
) -> None:
    """Check the fields of a file, and its deletes, against Java's."""
    assert found.spec_id == wanted["spec-id"], name
    assert found.record_count == wanted["records"], name
    assert found.sequence_number == wanted["data-sequence-number"], name
    of_java = {_deletes_key(each) for each in wanted["deletes"]}
    of_ours = {_delete_key(table, each): each for each in found.deletes}
    assert len(of_ours) == len(found.deletes), name
    assert of_java <= of_ours.keys(), name
    for key in of_ours.keys() - of_java:
        ids = of_ours[key].equality_ids
        fields = map(scan.schema.find, ids)
        is_uuid = any(each is not None and each.type.kind == "uuid" for each in fields)
        assert is_uuid or (ids and not references(scan.bound) <= set(ids)), name


def _deletes_key(message: dict[str, Any]) -> tuple[Any, ...]:
    """Return what identifies a delete file of the truth."""
    keys = ("content", "file", "data-sequence-number", "content-offset", "content-size")
    return (*(message.get(key) for key in keys), message["format"].lower())


def _delete_key(table: JavaTable, found: DeleteFile) -> tuple[Any, ...]:
    """Return what identifies one of our delete files."""
    return (
        _CONTENT[found.content],
        table.relative(found.file_path),
        found.sequence_number,
        found.content_offset,
        found.content_size,
        found.file_format,
    )


def _check_residual(
    scan: TableScan,
    wanted: dict[str, Any],
    found: FileTask,
    rows_of: Callable[[], pa.Table | None],
    name: str,
) -> None:
    """Check a residual against Java's: the same, or picking the same rows of the file."""
    bound = bind(from_json(wanted["residual-json"]), scan.schema, case_sensitive=False)
    if bound == found.residual:
        return
    rows = rows_of()
    assert rows is not None, name
    of_file = rows.filter(pc.equal(rows.column("_file"), wanted["file"]))
    for each in of_file.combine_chunks().to_batches():
        assert evaluate(bound, each).equals(evaluate(found.residual, each)), name


@java_tables(_is_planned)
def test_where_java_fails_filters_are_refused_or_answered(java_table: JavaTable) -> None:
    """A filter that Java refuses is refused, and one that Java fails on by mistake is planned."""
    opened = java_table.open()
    for case in java_table.planning():
        if "error" in case:
            kind = case["error"].partition(":")[0].rpartition(".")[2]
            if kind in _UNNOTICED:
                _check_no_match_is_lost(java_table, _scan(java_table, opened, case))
            elif "Cannot find field" in case["error"]:
                assert any(
                    _refuses(java_table, opened, case, each) for each in _snapshots(java_table)
                )


def _check_no_match_is_lost(java: JavaTable, scan: TableScan) -> None:
    """Check a plan against the rows of the truth: it has every file with a matching one."""
    assert scan.snapshot is not None
    rows = java.truth_rows(scan.snapshot.snapshot_id)
    assert rows is not None
    planned = {java.relative(each.file_path) for each in scan.plan()}
    for batch in rows.to_batches():
        matching = batch.filter(evaluate(scan.bound, batch))
        assert set(matching.column("_file").to_pylist()) <= planned


def _snapshots(table: JavaTable) -> Iterator[int | None]:
    """Return the snapshots that a case without one may be about."""
    yield None
    yield from (each["snapshot-id"] for each in table.record["snapshots"])


def _refuses(java: JavaTable, opened: Table, case: dict[str, Any], snapshot: int | None) -> bool:
    """Return whether the filter of a case is refused in a snapshot."""
    try:
        _scan(java, opened, {**case, "snapshot-id": snapshot}).plan()
    except ByteloomError as error:
        return "column" in str(error)
    return False


@java_tables(is_damaged)
def test_the_plan_of_a_damaged_table_is_refused_or_that_of_java(java_table: JavaTable) -> None:
    """Planning a damaged table gives an error or the plan of Java."""
    try:
        plan = java_table.open().scan().plan()
    except ByteloomError:
        return
    assert f"{len(plan)} tasks" == java_table.expect["plan"]
