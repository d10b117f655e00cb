"""Equality delete files of some keys: rows are deleted by their values, and nothing is read.

The rules:

- An unpartitioned file applies to all rows of the table; others are written for each partition of
  each spec, since files of older specs may be live.
- Null equals null, and NaN equals NaN.

Source: Iceberg table spec, "Equality Delete Files".
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Self

from byteloom.errors import Unsupported
from byteloom.iceberg.writing.data_files import DataFiles

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    import pyarrow as pa

    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom.iceberg.types import NestedField

__all__ = ["KeyFiles"]


class KeyFiles:
    """The equality delete files of one job; a failure inside ``with`` removes them."""

    def __init__(self, table: StoredTable, schema: Schema) -> None:
        """Begin a job.

        Args:
            table: The table.
            schema: The key columns.

        Raises:
            Unsupported: A partition field whose source column is not a key.
        """
        ids = tuple(each.id for each in schema.fields)
        self._jobs = [
            DataFiles(table, schema=schema, spec=spec, equality_ids=ids)
            for spec in _specs(table, schema.fields)
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


def _specs(table: StoredTable, fields: Sequence[NestedField]) -> list[PartitionSpec]:
    """Return the specs of the equality delete files of some keys."""
    specs = list(table.metadata.partition_specs.values())
    everywhere = [each for each in specs if each.is_unpartitioned]
    if everywhere:
        return everywhere[:1]
    ids = {each.id for each in fields}
    for spec in specs:
        for each in spec.fields:
            if not ids.issuperset(each.source_ids):
                found = f"keys without the source of partition field {each.name}"
                wanted = "its column among the keys, or an unpartitioned table"
                raise Unsupported("on", None, found, wanted)
    return specs
