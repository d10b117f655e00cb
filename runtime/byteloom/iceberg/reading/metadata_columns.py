"""Metadata columns, which files usually do not store: where a row is, and where it came from.

The rules:

- ``_row_id`` and ``_last_updated_sequence_number`` are stored for rows that were moved. If
  they are missing or null, a row's id follows from that of its file's first row, and its sequence
  number is that of its file. Files of tables without row lineage have neither.
- Only rows of a changelog have ``_change_type`` and related columns.
- ``_partition`` is a struct of the fields of all specs, by id; a file has those of its own spec.

Source: Iceberg table spec, "Reserved Field IDs" and "Row Lineage".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.iceberg.reading.column_projection import constant, project
from byteloom.iceberg.reserved_fields import CHANGELOG_COLUMNS, METADATA_COLUMNS, STORED
from byteloom.iceberg.types import StructType
from byteloom.late import pc

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.planning.plan import FileTask
    from byteloom.iceberg.reading.column_projection import Columns
    from byteloom.iceberg.types import NestedField, Type

__all__ = ["Rows", "is_metadata"]

FILE, POS, DELETED, SPEC_ID, PARTITION, ROW_ID = (
    METADATA_COLUMNS[each].id
    for each in ("_file", "_pos", "_deleted", "_spec_id", "_partition", "_row_id")
)
CHANGE_TYPE, CHANGE_ORDINAL, COMMIT = (
    CHANGELOG_COLUMNS[each].id
    for each in ("_change_type", "_change_ordinal", "_commit_snapshot_id")
)
_IDS: Final = frozenset(
    each.id for each in (*METADATA_COLUMNS.values(), *CHANGELOG_COLUMNS.values())
)


def is_metadata(field: NestedField) -> bool:
    """Return whether a field is a metadata column."""
    return field.id in _IDS


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a task to be returned.

    Attributes:
        spec: The partition spec of the task's file.
        columns: The columns that the file stores.
        start: The position in the file of the first row of their piece.
        keep: Which rows of the piece they are; None for all.
        deleted: Which of them are deleted; None for none.
    """

    task: FileTask
    spec: PartitionSpec
    columns: Columns
    start: int
    keep: NDArray[np.bool_] | None
    deleted: NDArray[np.bool_] | None

    @property
    def positions(self) -> NDArray[np.int64]:
        """The positions of the rows in their file."""
        rows = np.arange(self.columns.rows) if self.keep is None else np.flatnonzero(self.keep)
        return rows + self.start

    def column(self, wanted: NestedField) -> pa.Array:
        """Return one of the spec's metadata columns."""
        if wanted.id == POS:
            return pa.array(self.positions)
        if wanted.id == DELETED:
            none = np.zeros(self.columns.rows, np.bool_)
            return pa.array(none if self.deleted is None else self.deleted)
        if wanted.id in STORED:
            return self._lineage(wanted)
        values: dict[int, object] = {
            FILE: self.task.file_path,
            SPEC_ID: self.task.spec_id,
            PARTITION: _partition(wanted.type, self.task, self.spec),
        }
        if self.task.change is not None:
            values[CHANGE_TYPE] = self.task.change.type
            values[CHANGE_ORDINAL] = self.task.change.ordinal
            values[COMMIT] = self.task.change.snapshot_id
        return constant(wanted.type, values[wanted.id], self.columns.rows)

    def _lineage(self, wanted: NestedField) -> pa.Array:
        """Return the stored ids or sequence numbers of rows, or those that follow from the file."""
        stored = project(wanted, self.columns)
        first = self.task.first_row_id
        if first is None:
            return stored
        if wanted.id == ROW_ID:
            return pc.coalesce(stored, pa.array(self.positions + first))
        return pc.fill_null(stored, self.task.sequence_number)


def _partition(of: Type, task: FileTask, spec: PartitionSpec) -> dict[str, object]:
    """Return the partition values of a file under the names in all specs."""
    by_id = {each.field_id: task.partition.get(each.name) for each in spec.fields}
    fields = of.fields if isinstance(of, StructType) else ()
    return {each.name: _partition_value(each.type, by_id.get(each.id)) for each in fields}


def _partition_value(of: Type, value: object) -> object:
    """Return a partition value; for an unknown transform as text, however the file stores it."""
    return value if value is None or of.kind != "string" else str(value)
