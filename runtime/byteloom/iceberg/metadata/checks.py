"""Check table metadata before it is used: ids must refer to existing objects.

`byteloom.iceberg.verification` checks everything else.

Source: Iceberg table spec, "Table Metadata".
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError
from byteloom.iceberg.transforms import Void

if TYPE_CHECKING:
    from byteloom.iceberg.metadata.table_metadata import TableMetadata

__all__ = ["MAIN", "check", "check_current_schema"]

MAIN: Final = "main"
"""The branch whose snapshot is the current one."""

_CLOCK_SKEW: Final = 60_000
"""Milliseconds that the clocks of two writers may differ."""


def check_current_schema(document: dict[str, Any]) -> None:
    """Refuse a missing current schema before any other check."""
    schemas, current = document.get("schemas"), document.get("current-schema-id")
    if current is None or not isinstance(schemas, list):
        return
    ids = [each.get("schema-id", 0) for each in schemas if isinstance(each, dict)]
    if current not in ids:
        wanted = f"the id of a schema: {', '.join(map(str, ids)) or 'none is there'}"
        raise FormatError("current-schema-id", None, repr(current), wanted)


def check(metadata: TableMetadata) -> None:
    """Check that ids in a document refer to existing objects."""
    _check_specs(metadata)
    _check_snapshots(metadata)
    if metadata.default_sort_order_id not in metadata.sort_orders:
        found = metadata.default_sort_order_id
        raise FormatError("default-sort-order-id", None, repr(found), "the id of a sort order")


def _check_specs(metadata: TableMetadata) -> None:
    """Check the source columns of partition fields."""
    schema = metadata.schema()
    for spec in metadata.partition_specs.values():
        ids = [each.field_id for each in spec.fields]
        if len(set(ids)) != len(ids):
            raise FormatError(f"partition-specs[{spec.spec_id}]", None, "a field id twice", "once")
    for field in metadata.spec().fields:
        gone = [each for each in field.source_ids if schema.find(each) is None]
        if gone and not isinstance(field.transform, Void):
            where = f"partition-specs[{metadata.default_spec_id}].{field.name}"
            raise FormatError(where, None, f"source column {gone[0]}", "a column of the schema")


def _check_snapshots(metadata: TableMetadata) -> None:
    """Check that refs and the snapshot log name existing snapshots."""
    if len(metadata.snapshots) != len(metadata.outline.snapshots):
        raise FormatError("snapshots", None, "a snapshot id twice", "distinct ids")
    metadata.snapshot()
    for name, ref in metadata.refs.items():
        if ref.snapshot_id not in metadata.snapshots:
            raise FormatError(
                f"refs.{name}", None, f"snapshot {ref.snapshot_id}", "a snapshot of the metadata"
            )
    current, main = metadata.current_snapshot_id, metadata.refs.get(MAIN)
    if main is not None and main.snapshot_id != current:
        wanted = "no such branch: there is no current snapshot" if current is None else str(current)
        raise FormatError("refs.main", None, str(main.snapshot_id), wanted)
    log = [each.timestamp_ms for each in metadata.outline.snapshot_log]
    if any(later < earlier - _CLOCK_SKEW for earlier, later in itertools.pairwise(log)):
        raise FormatError("snapshot-log", None, "entries out of order", "the oldest first")
