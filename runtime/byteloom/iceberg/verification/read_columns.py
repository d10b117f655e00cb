"""The columns that scans look for in a file: those of now, and those as of each snapshot.

The rules:

- The current snapshot and the heads of branches are read with the current schema, and each snapshot
  with its own one as well: the schemas of a table that was replaced may contradict each other.
- A column that is the same in several schemas, but for its name, is looked for once.
- A required column may be absent if it has a default, or if partitions may have its values.

Source: Iceberg table spec, "Snapshots" (``schema-id``) and "Snapshot References".
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom.iceberg.stored_table import StoredTable
    from byteloom.iceberg.types import NestedField
    from byteloom.iceberg.verification.manifests import Content

__all__ = ["ReadColumns"]


class ReadColumns:
    """The columns that are looked for in files, by the manifests that have the files."""

    def __init__(self, table: StoredTable, content: Content) -> None:
        """Find the schemas with which each manifest is read."""
        metadata = table.metadata
        self._metadata = metadata
        heads = {each.snapshot_id for each in metadata.refs.values() if each.type == "branch"}
        heads.add(metadata.current_snapshot_id or 0)
        self._schemas: dict[str, set[int]] = {}
        for snapshot in metadata.snapshots.values():
            ids = {metadata.schema_of(snapshot).schema_id}
            if snapshot.snapshot_id in heads:
                ids.add(metadata.current_schema_id)
            listed = content.lists.get(snapshot.snapshot_id)
            for path in () if listed is None else listed.paths:
                self._schemas.setdefault(path, set()).update(ids)
        self._of_schemas = cache(self._found)

    def of(self, manifests: Iterable[str]) -> tuple[NestedField, ...]:
        """Return the columns that are looked for in a file of some manifests."""
        held = (self._schemas.get(each, set()) for each in manifests)
        return self._of_schemas(frozenset[int]().union(*held))

    def _found(self, ids: frozenset[int]) -> tuple[NestedField, ...]:
        """Return the distinct columns of some schemas, those of the newest first."""
        schemas = [self._metadata.schema(each) for each in sorted(ids, reverse=True)]
        fields = [self._relaxed(each) for schema in schemas for each in schema.fields]
        made = {(each.id, each.type, each.required): each for each in reversed(fields)}
        return tuple(made.values())[::-1]

    def _relaxed(self, field: NestedField) -> NestedField:
        """Return a column, not required if partitions may have its values in place of files."""
        specs = self._metadata.partition_specs.values()
        sources = {number for spec in specs for each in spec.fields for number in each.source_ids}
        return replace(field, required=False) if field.id in sources else field
