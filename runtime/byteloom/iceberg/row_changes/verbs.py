"""Rows of a table deleted, updated, replaced and merged, each change in one snapshot.

The rules:

- A change is worked out once, on the head of its branch, and its files are written once. Other
  writers' commits in between are allowed, unless the result would not be that of one change after
  the other: the isolation level of the table says what that is.
- A change that changes nothing makes no snapshot.

Source: Iceberg table spec, "Row-level Deletes" and "Optimistic Concurrency"; Java's
``OverwriteFiles`` and ``RowDelta``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.arrow.data import batches_of
from byteloom.errors import ArgumentError, Unsupported
from byteloom.iceberg.arrow_types import arrow_field
from byteloom.iceberg.commits.references import head_of
from byteloom.iceberg.commits.snapshots import Effects, commit_snapshot
from byteloom.iceberg.commits.validation import Validation
from byteloom.iceberg.expressions.text import as_expression
from byteloom.iceberg.row_changes.assignments import Assignments, one_array, with_columns
from byteloom.iceberg.row_changes.committing import commit_changes
from byteloom.iceberg.row_changes.key_files import KeyFiles, with_spec_for_keys
from byteloom.iceberg.row_changes.key_lookup import KeyLookup, key_fields
from byteloom.iceberg.row_changes.selection import (
    ChangeScan,
    SelectedRows,
    rows_found,
    selected_rows,
)
from byteloom.iceberg.row_changes.written_changes import WrittenChanges, is_merged_on_read
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.writing.rows import rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from byteloom.iceberg.expressions.ast import Expression
    from byteloom.iceberg.stored_table import AnyTable, StoredTable
    from byteloom.iceberg.types import NestedField
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = [
    "change_scan",
    "check_choices",
    "delete_keys",
    "delete_rows",
    "matched_rows",
    "overwrite_rows",
    "update_rows",
    "upsert_rows",
]

_MATCHED: Final = ("update", "delete", "ignore")
_NOT_MATCHED: Final = ("insert", "ignore")
_DELETES: Final = 2
"""The first version that has delete files."""


def delete_rows(table: AnyTable, where: Expression | str, *, branch: str) -> AnyTable:
    """Return a table without the rows that match a filter; see `Table.delete`."""
    table.catalog.check(table)
    scan = change_scan(table, branch, as_expression(where))
    merges = is_merged_on_read(table, "delete")
    with WrittenChanges(table, scan.snapshot, merges) as written:
        written.drop(scan.whole)
        written.write(rows_found(scan))
        return commit_changes(table, written, scan, branch=branch, call="delete")


def update_rows(
    table: AnyTable, values: Mapping[str, Any], where: Expression | str, *, branch: str
) -> AnyTable:
    """Return a table with new values in the rows that match a filter; see `Table.update`."""
    table.catalog.check(table)
    scan = change_scan(table, branch, as_expression(where))
    merges = is_merged_on_read(table, "update")
    change = Assignments(values, table.schema)
    with WrittenChanges(table, scan.snapshot, merges) as written:
        written.write(selected_rows(scan), change)
        return commit_changes(table, written, scan, branch=branch, call="update")


def overwrite_rows(table: AnyTable, rows: Any, where: Expression | str, *, branch: str) -> AnyTable:
    """Return a table with rows in place of those that match a filter; see `Table.overwrite`."""
    table.catalog.check(table)
    scan = change_scan(table, branch, as_expression(where))
    merges = is_merged_on_read(table, "delete")
    added = rows_of(rows, table.schema)
    with WrittenChanges(table, scan.snapshot, merges) as written:
        written.drop(scan.whole)
        written.write(rows_found(scan), added=added)
        return commit_changes(table, written, scan, branch=branch, call="overwrite")


def upsert_rows(  # noqa: PLR0913  what a merge says
    table: AnyTable,
    rows: Any,
    on: str | Sequence[str] | None,
    *,
    when_matched: str,
    when_not_matched: str,
    branch: str,
) -> AnyTable:
    """Return a table with rows in place of those with the same keys; see `Table.upsert`."""
    check_choices(when_matched, when_not_matched)
    table.catalog.check(table)
    merges = is_merged_on_read(table, "merge")
    scan, given, selected = matched_rows(table, rows, on, branch)
    added = _not_matched(table, given, selected) if when_not_matched == "insert" else iter(())
    change = _Replacing(table.schema, given) if when_matched == "update" else None
    with WrittenChanges(table, scan.snapshot, merges) as written:
        chosen = [] if when_matched == "ignore" else selected
        written.write(chosen, change, added=added)
        return commit_changes(table, written, scan, branch=branch, call="upsert")


def matched_rows(
    table: StoredTable, rows: Any, on: str | Sequence[str] | None, branch: str
) -> tuple[ChangeScan, pa.Table, list[SelectedRows]]:
    """Return the scan for keys, the given rows, and the rows of the table that have their keys."""
    given, fields = _given(table, rows, on)
    lookup = KeyLookup(given, fields)
    scan = change_scan(table, branch, lookup.filter, ignore_residuals=True)
    names = tuple(each.name for each in fields)
    return scan, given, list(selected_rows(scan, names, lookup))


def delete_keys(
    table: AnyTable, keys: Any, on: str | Sequence[str] | None, *, branch: str
) -> AnyTable:
    """Return a table without the rows that have some keys; see `Table.delete_keys`."""
    table.catalog.check(table)
    version = table.metadata.format_version
    if version < _DELETES:
        wanted = "version 2 or 3, which have equality deletes"
        raise Unsupported("format-version", None, str(version), wanted)
    given, fields = _given(table, keys, on, only_keys=True)
    if not given.num_rows:
        return table
    schema = Schema(fields)
    table = with_spec_for_keys(table, schema)
    with KeyFiles(table, schema) as files:
        files.write(given.select([each.name for each in fields]))
        validation = Validation.of("deleted keys", table, branch)
        return commit_snapshot(table, _KeyDelete(files), validation, branch=branch)


@dataclass
class _KeyDelete:
    """Equality delete files, which apply to all rows that were there before their snapshot."""

    files: KeyFiles

    def effects(self, base: StoredTable, head: Snapshot | None) -> Effects:  # noqa: ARG002
        """Return the files, whatever the state of the table."""
        return Effects("delete", self.files.entries)

    def keep(self) -> None:
        """Let the files stay whatever happens: a snapshot may have them."""
        self.files.keep()


def change_scan(table: StoredTable, branch: str, where: Expression, **more: Any) -> ChangeScan:
    """Return the scan of the rows of a branch that match a filter; columns are checked."""
    scan = ChangeScan(table, head_of(table, branch), table.schema, where, **more)
    scan.bound  # noqa: B018  refuses a column that the table lacks
    return scan


def check_choices(when_matched: str, when_not_matched: str) -> None:
    """Refuse what an upsert cannot do with rows; `ArgumentError` says what it can."""
    _check_word("when_matched", when_matched, _MATCHED)
    _check_word("when_not_matched", when_not_matched, _NOT_MATCHED)


def _check_word(name: str, given: str, known: Sequence[str]) -> None:
    if given not in known:
        raise ArgumentError(name, None, repr(given), " or ".join(map(repr, known)))


def _given(
    table: StoredTable, rows: Any, on: str | Sequence[str] | None, *, only_keys: bool = False
) -> tuple[pa.Table, tuple[NestedField, ...]]:
    """Return rows with keys in the table's types, those of their columns alone, and the keys."""
    batches = list(batches_of(rows))
    names = _names_of(batches, rows)
    if on is None and only_keys:
        on = names
    names = names or [each.name for each in table.schema.fields]
    fields = key_fields(on, table.schema, names)
    known = Schema([each for each in table.schema.fields if each.name in names])
    held = rows_of(batches, known)
    schema = pa.schema([arrow_field(each) for each in known.fields])
    return pa.Table.from_batches(held, schema), fields


def _names_of(batches: Sequence[pa.RecordBatch], rows: Any) -> list[str]:
    """Return the names of the columns of rows; none of a stream without a batch.

    Raises:
        ArgumentError: Batches with other columns than the first has: values that one of them lacks
            would be taken for null.
    """
    if not batches:
        schema = getattr(rows, "schema", None)
        return list(schema.names) if isinstance(schema, pa.Schema) else []
    names: list[str] = batches[0].schema.names
    for each in batches:
        if {*each.schema.names} != {*names}:
            found = f"a batch with the columns {', '.join(each.schema.names)}"
            wanted = f"{', '.join(names)}, as in the first batch"
            raise ArgumentError("rows", None, found, wanted)
    return names


def _not_matched(
    table: StoredTable, given: pa.Table, selected: Sequence[SelectedRows]
) -> Iterator[pa.RecordBatch]:
    """Yield the rows whose keys no row of the table has, with all columns."""
    is_new = np.ones(given.num_rows, np.bool_)
    for each in selected:
        is_new[each.numbers] = False
    yield from rows_of(given.filter(pa.array(is_new)), table.schema)


@dataclass
class _Replacing:
    """The values of given rows in place of those of rows that have their keys."""

    schema: Schema
    given: pa.Table

    @property
    def sets(self) -> frozenset[str]:
        """The names of the columns that the given rows have."""
        return frozenset(self.given.column_names)

    def __call__(
        self, rows: pa.RecordBatch, numbers: NDArray[np.int64] | None, /
    ) -> pa.RecordBatch:
        """Return rows of the table with the values of those that have their keys."""
        taken = self.given.take(pa.array(numbers)).combine_chunks()
        columns = zip(taken.column_names, map(one_array, taken.columns), strict=True)
        return with_columns(rows, dict(columns), self.schema)
