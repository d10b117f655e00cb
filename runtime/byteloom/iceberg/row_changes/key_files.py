"""Equality delete files of some keys: rows are deleted by their values, and nothing is read.

The rules:

- An unpartitioned file applies to all rows of the table. If the table has no unpartitioned spec,
  files are written for each partition of each spec, since files of older specs may be live; keys
  without the columns that rows are partitioned by need such a spec, which the table is given.
- Null equals null, and NaN equals NaN.

Source: Iceberg table spec, "Equality Delete Files".
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Self

from byteloom.iceberg.commits.attempts import commit_again, requirements_of
from byteloom.iceberg.partition_spec import PartitionSpec
from byteloom.iceberg.stored_table import AnyTable
from byteloom.iceberg.writing.data_files import DataFiles
from byteloom_generated.iceberg.table_updates import (
    AddPartitionSpec,
    AssertLastAssignedPartitionId,
)

if TYPE_CHECKING:
    from types import TracebackType

    import pyarrow as pa

    from byteloom.documents.json_record import JsonRecord
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.stored_table import StoredTable

__all__ = ["KeyFiles", "with_spec_for_keys"]


def with_spec_for_keys(table: AnyTable, schema: Schema) -> AnyTable:
    """Return a table whose specs let keys be deleted; one of them may be added to it.

    An unpartitioned spec is added beside the table's own, and not made the default, if keys lack a
    column that rows are partitioned by.

    Args:
        table: The table.
        schema: The key columns.

    Raises:
        CommitConflict: Other writers were first in all attempts.
    """
    return commit_again(table, lambda base, _: _spec_added(base, schema))


def _spec_added(base: StoredTable, schema: Schema) -> tuple[list[JsonRecord], list[JsonRecord]]:
    """Return what must hold for a further spec, and the spec; nothing if keys need none."""
    metadata = base.metadata
    specs = list(metadata.partition_specs.values())
    ids = {each.id for each in schema.fields}
    sources = {number for spec in specs for each in spec.fields for number in each.source_ids}
    if ids >= sources or any(each.is_unpartitioned for each in specs):
        return [], []
    spec = PartitionSpec((), max(metadata.partition_specs) + 1)
    last = AssertLastAssignedPartitionId(last_assigned_partition_id=metadata.last_partition_id)
    return [*requirements_of(base), last], [AddPartitionSpec(spec=spec.to_json())]


class KeyFiles:
    """The equality delete files of one job; a failure inside ``with`` removes them."""

    def __init__(self, table: StoredTable, schema: Schema) -> None:
        """Begin a job.

        Args:
            table: The table.
            schema: The key columns.
        """
        ids = tuple(each.id for each in schema.fields)
        self._jobs = [
            DataFiles(table, schema=schema, spec=spec, equality_ids=ids) for spec in _specs(table)
        ]
        self._stack = ExitStack()

    @property
    def entries(self) -> list[dict[str, Any]]:
        """The finished files, as `write_manifest` takes them, each with its ``spec_id``."""
        return [entry for each in self._jobs for entry in each.entries]

    def __enter__(self) -> Self:
        for each in self._jobs:
            self._stack.enter_context(each)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def keep(self) -> None:
        """Let the files stay whatever happens: a snapshot may have them."""
        for each in self._jobs:
            each.keep()

    def write(self, keys: pa.Table) -> None:
        """Write keys.

        Raises:
            StorageError: A file cannot be written.
        """
        for each in self._jobs:
            each.write(keys.to_batches())


def _specs(table: StoredTable) -> list[PartitionSpec]:
    """Return the specs of the equality delete files of some keys."""
    specs = list(table.metadata.partition_specs.values())
    everywhere = [each for each in specs if each.is_unpartitioned]
    if everywhere:
        return everywhere[:1]
    return specs
