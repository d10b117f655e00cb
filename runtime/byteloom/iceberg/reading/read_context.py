"""What all tasks of a scan need to be read: its columns, how its files are opened, cached deletes.

Source: Iceberg table spec, "Scan Planning", "Column Projection".
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from byteloom.datafiles.data_file import OpenOptions
from byteloom.iceberg.arrow_types import arrow_field
from byteloom.iceberg.expressions.binding import references
from byteloom.iceberg.name_mapping import NAME_MAPPING_PROPERTY, NameMapping, SchemaNames
from byteloom.iceberg.planning.scan_columns import optional, pruned, selected
from byteloom.iceberg.reading.cache import Cache
from byteloom.iceberg.reading.equality_deletes import EqualityDeletes
from byteloom.iceberg.reading.metadata_columns import DELETED
from byteloom.iceberg.reading.position_deletes import deleted_positions
from byteloom.iceberg.reading.small_deletes import read_small_deletes
from byteloom.iceberg.reading.table_files import TableFiles
from byteloom.iceberg.transforms import Identity
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.planning.plan import FileTask
    from byteloom.iceberg.planning.planned_scan import PlannedScan
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom.iceberg.types import NestedField

__all__ = ["ReadContext"]


class ReadContext:
    """How the tasks of one scan are read.

    Attributes:
        table: The table.
        fields: The columns to return, in order.
        schema: The Arrow schema of the batches.
        threads: Whether a file's columns may be decoded at the same time; to be set before a file
            is opened, when the plan shows how many there are.
    """

    def __init__(
        self,
        table: StoredTable,
        schema: Schema,
        columns: Sequence[str] | None = None,
        *,
        case_sensitive: bool = True,
        changes: bool = False,
    ) -> None:
        """Choose the columns; nothing is read.

        Args:
            schema: The schema whose columns *columns* names.
            columns: Names, which may be those of metadata columns; None for all columns of the
                schema.
            changes: Whether the tasks are those of a changelog.

        Raises:
            FormatError: An unknown name.
        """
        self.table = table
        with about_file(table.metadata_location):
            self.fields = selected(
                schema, columns, table.metadata, case_sensitive=case_sensitive, changes=changes
            )
        self.schema = pa.schema([arrow_field(each) for each in self.fields])
        self.threads = False
        self._schema = schema
        self._cache = Cache()

    @classmethod
    def of(cls, scan: PlannedScan, columns: Sequence[str] | None) -> ReadContext:
        """Choose the columns of a scan, by the names of *columns*; nothing is read."""
        return cls(
            scan.table,
            scan.schema,
            columns,
            case_sensitive=scan.case_sensitive,
            changes=scan.has_changes,
        )

    @cached_property
    def given(self) -> list[tuple[NestedField, pa.DataType | None]]:
        """The columns to return with Arrow's type of each; None for nested ones."""
        types = self.schema.types
        return [
            (each, of if not of.num_fields else None)
            for each, of in zip(self.fields, types, strict=True)
        ]

    @cached_property
    def wants_deleted(self) -> bool:
        """Whether deleted rows are returned too, with a flag."""
        return any(each.id == DELETED for each in self.fields)

    @cached_property
    def files(self) -> TableFiles:
        """How the table's files are opened."""
        text = self.table.metadata.properties.get(NAME_MAPPING_PROPERTY)
        if text is not None:
            with about_file(self.table.metadata_location):
                mapping = NameMapping.parse(text)
        else:
            mapping = SchemaNames(self._schema, reversed(self.schemas))
        options = OpenOptions(mapping, self.table.limits, self.threads)
        return TableFiles(self.table.relocation, options)

    @cached_property
    def schemas(self) -> list[Schema]:
        """All schemas of the table, the newest first."""
        known = self.table.metadata.schemas
        return [known[each] for each in sorted(known, reverse=True)]

    def positions(self, task: FileTask) -> NDArray[np.int64]:
        """Return which rows of a task are deleted by position."""
        with self.table.relocation.naming():
            return deleted_positions(task, self.files, self._cache)

    def load_positions(self, tasks: Sequence[FileTask]) -> None:
        """Read those position delete files of some tasks at once that can be."""
        read_small_deletes(tasks, self.files, self._cache)

    def equality(self, task: FileTask) -> EqualityDeletes:
        """Return the equality deletes of a task."""
        schemas = [self.table.schema, *self.schemas]
        return EqualityDeletes.of(task, schemas, self.files, self._cache)

    def filter_fields(self, task: FileTask) -> list[NestedField]:
        """Return the columns that a task's residual refers to."""
        ids = references(task.residual)
        return [optional(each) for each in pruned(self._schema.columns_around(ids), ids)]

    def constants(self, task: FileTask) -> Mapping[int, Any]:
        """Return the values of columns that a task's partition gives, by id."""
        spec = self.spec(task)
        return {
            each.source_id: task.partition.get(each.name)
            for each in spec.fields
            if isinstance(each.transform, Identity)
        }

    def spec(self, task: FileTask) -> PartitionSpec:
        """Return the partition spec of a task's file."""
        return self.table.metadata.spec(task.spec_id)
