"""What a change of rows would do, without a file that is written.

Source: Iceberg table spec, "Row-level Deletes".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from byteloom.iceberg.expressions.text import as_expression
from byteloom.iceberg.row_changes.selection import selected_rows
from byteloom.iceberg.row_changes.verbs import change_scan, check_choices, matched_rows
from byteloom.iceberg.row_changes.written_changes import is_merged_on_read
from byteloom.iceberg.scan import TableScan

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from byteloom.iceberg.expressions.ast import Expression
    from byteloom.iceberg.row_changes.selection import ChangeScan, SelectedRows
    from byteloom.iceberg.stored_table import StoredTable

__all__ = ["DryRun", "dry_run", "dry_upsert"]


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a change would do.

    Attributes:
        removed_rows: Rows that would be deleted, or get other values.
        added_rows: Rows that would come, or take the place of those.
        removed_files: Data files that would be removed as a whole, and not be read.
        rewritten_files: Data files that would be written again without the rows.
        rewritten_bytes: The size of these.
        marked_files: Data files that would stay, with their rows named by delete files.
    """

    removed_rows: int
    added_rows: int
    removed_files: int
    rewritten_files: int
    rewritten_bytes: int
    marked_files: int


def dry_run(
    table: StoredTable,
    where: Expression | str,
    *,
    branch: str,
    verb: str,
    added_rows: int | None = 0,
) -> DryRun:
    """Return what a change of the rows that match a filter would do.

    Args:
        table: The table.
        where: The filter.
        branch: The branch.
        verb: delete or update, for the mode that the table has for it.
        added_rows: How many rows would come; as many as go if None.

    Raises:
        FormatError: A filter on a column that the table lacks, or a damaged file.
        StorageError: A missing file.
    """
    table.catalog.check(table)
    scan = change_scan(table, branch, as_expression(where))
    made = list(selected_rows(scan))
    rows = _rows(scan, made)
    return _summed(table, made, rows, rows if added_rows is None else added_rows, verb)


def dry_upsert(  # noqa: PLR0913  what a merge says
    table: StoredTable,
    rows: Any,
    on: str | Sequence[str] | None,
    *,
    when_matched: str,
    when_not_matched: str,
    branch: str,
) -> DryRun:
    """Return what an upsert would do; see `Table.upsert`, which has the arguments."""
    check_choices(when_matched, when_not_matched)
    table.catalog.check(table)
    _, given, selected = matched_rows(table, rows, on, branch)
    numbers = [each.numbers for each in selected if each.numbers is not None]
    matched = len(np.unique(np.concatenate(numbers))) if numbers else 0
    chosen = [] if when_matched == "ignore" else selected
    removed = _rows(None, chosen)
    added = given.num_rows - matched if when_not_matched == "insert" else 0
    if when_matched == "update":
        added += removed
    return _summed(table, chosen, removed, added, "merge")


def _rows(scan: ChangeScan | None, selected: Sequence[SelectedRows]) -> int:
    """Return how many rows are selected; those of whole files without reading them."""
    whole = [each.task for each in selected if each.rows is None]
    if scan is not None and any(each.deletes or each.record_count is None for each in whole):
        return TableScan(scan.table, scan.snapshot, scan.schema, scan.filter).count()
    some = sum(len(each.rows) for each in selected if each.rows is not None)
    return some + sum(each.record_count or 0 for each in whole)


def _summed(
    table: StoredTable, selected: Iterable[SelectedRows], removed: int, added: int, verb: str
) -> DryRun:
    """Return the files and rows of a change."""
    parts = list(selected)
    partly = [each.task for each in parts if each.rows is not None]
    if verb == "update":  # a file of which all rows change is written again too
        partly = [each.task for each in parts]
    merges = is_merged_on_read(table, verb)
    return DryRun(
        removed_rows=removed,
        added_rows=added,
        removed_files=len(parts) - len(partly),
        rewritten_files=0 if merges else len(partly),
        rewritten_bytes=0 if merges else sum(each.file_size_in_bytes for each in partly),
        marked_files=len(partly) if merges else 0,
    )
