"""The rows of data files that are written again: those that stay, and those that change.

The rules:

- Rows keep their order. They are read and changed batch by batch, whatever the size of a file.
- If only the rows that change are wanted, no others are decoded, and no column that gets new values
  whatever it had.
- Version 3 stores the ids of rows, and the sequence numbers of their last changes: those of a row
  that stays are stored as they are, a row that changes gets the number of the new snapshot.

Source: Iceberg table spec, "Row Lineage".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
import pyarrow as pa

from byteloom.errors import Unsupported
from byteloom.iceberg.manifests.manifest_list import named_by
from byteloom.iceberg.reading.found_rows import placed_rows, placed_rows_of
from byteloom.iceberg.reading.read_context import ReadContext
from byteloom.iceberg.reading.threads import read_tasks
from byteloom.iceberg.reserved_fields import METADATA_COLUMNS
from byteloom.iceberg.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from byteloom.iceberg.planning.plan import FileTask
    from byteloom.iceberg.row_changes.selection import SelectedRows
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["LAST_UPDATED", "Change", "new_rows", "stored_columns"]

_ROW_ID: Final = METADATA_COLUMNS["_row_id"]
LAST_UPDATED: Final = METADATA_COLUMNS["_last_updated_sequence_number"]
_NUMBERED: Final = 3
"""The first version that numbers rows."""


class Change(Protocol):
    """What becomes of rows."""

    @property
    def sets(self) -> frozenset[str]:
        """Names of columns that get new values whatever the rows have in any column."""

    def __call__(
        self, rows: pa.RecordBatch, numbers: NDArray[np.int64] | None, /
    ) -> pa.RecordBatch:
        """Return what becomes of rows, as many as there are, with the columns of `stored_columns`.

        Args:
            rows: The rows, perhaps without columns of `sets`.
            numbers: What their lookup returned for each.
        """


def stored_columns(table: StoredTable) -> Schema:
    """Return the columns of the table's files with rows that were in others before.

    Raises:
        Unsupported: A column that has the name of one that the spec reserves.
    """
    schema = table.schema
    if table.metadata.format_version < _NUMBERED:
        return schema
    for each in (_ROW_ID, LAST_UPDATED):
        if schema.find(each.name) is not None:
            wanted = "another name: the spec reserves it"
            raise Unsupported(f"column {each.name}", None, "a column of the table", wanted)
    return Schema((*schema.fields, _ROW_ID, LAST_UPDATED), schema.schema_id)


def new_rows(
    table: StoredTable,
    snapshot: Snapshot | None,
    selected: Sequence[SelectedRows],
    change: Change | None,
    *,
    with_others: bool,
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of data files as they are written again, deletes applied.

    Args:
        table: The table.
        snapshot: The snapshot that has the files.
        selected: The files, and the selected rows of each.
        change: What becomes of the selected rows; None to leave them out.
        with_others: Whether to yield the rows that are not selected too, as without a change.
    """
    names = [each.name for each in stored_columns(table).fields]
    if change is not None and not with_others:
        names = [each for each in names if each not in change.sets] or names[:1]
    context = ReadContext(table, table.schema, names)
    by_path = {each.task.file_path: each for each in selected}

    def read(context: ReadContext, tasks: Sequence[FileTask]) -> Iterator[pa.RecordBatch]:
        if with_others or change is None:
            for task, positions, batch in placed_rows(context, tasks):
                yield _changed(batch, positions, by_path[task.file_path], change)
            return
        for each in tasks:
            chosen = by_path[each.file_path]
            for _, positions, batch in placed_rows_of(context, each, chosen.are_among):
                yield change(batch, chosen.numbers_of(positions))

    with named_by(snapshot):
        yield from read_tasks(context, (each.task for each in selected), read=read)


def _changed(
    batch: pa.RecordBatch,
    positions: NDArray[np.int64],
    chosen: SelectedRows,
    change: Change | None,
) -> pa.RecordBatch:
    """Return the rows of a batch after the change."""
    span = range(int(positions[0]), int(positions[-1]) + 1) if len(positions) else range(0)
    marks = chosen.are_among(span)[positions - span.start]
    others = batch.filter(pa.array(~marks))
    if change is None or not marks.any():
        return others
    numbers = chosen.numbers_of(positions[marks])
    made = change(batch.filter(pa.array(marks)), numbers)
    if not others.num_rows:
        return made
    order = np.argsort(np.concatenate([np.flatnonzero(~marks), np.flatnonzero(marks)]))
    return _joined(others, made).take(pa.array(order))


def _joined(*batches: pa.RecordBatch) -> Any:
    """Return the rows of some batches as one."""
    return pa.Table.from_batches(batches).combine_chunks().to_batches()[0]
