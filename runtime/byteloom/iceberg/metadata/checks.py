"""Check table metadata before it is used: ids must refer to existing objects.

`byteloom.iceberg.verification` checks everything else.

Source: Iceberg table spec, "Table Metadata".
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError, Unsupported, beginning
from byteloom.iceberg.transforms import Void

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.schema import Schema
    from byteloom_generated.iceberg.table_metadata import SnapshotReference, TableMetadata

__all__ = ["MAIN", "check_log", "check_orders", "check_refs", "check_specs", "check_version"]

MAIN: Final = "main"
"""The branch whose snapshot is the current one."""

_VERSIONS: Final = (1, 2, 3)
_CLOCK_SKEW: Final = 60_000
"""Milliseconds that the clocks of two writers may differ."""


def check_version(document: Any) -> int:
    """Return the format version of a document; refuse one that is no table metadata."""
    if not isinstance(document, dict):
        raise FormatError("table-metadata", None, beginning(document, 60), "an object")
    version = document.get("format-version")
    if type(version) is not int:
        found = "nothing" if version is None else repr(version)
        raise FormatError("format-version", None, found, "1, 2 or 3")
    if version not in _VERSIONS:
        raise Unsupported("format-version", None, repr(version), "1, 2 or 3")
    _check_current_schema(document)
    return version


def _check_current_schema(document: dict[str, Any]) -> None:
    """Refuse a missing current schema before any other check."""
    schemas, current = document.get("schemas"), document.get("current-schema-id")
    if current is None or not isinstance(schemas, list):
        return
    ids = [each.get("schema-id", 0) for each in schemas if isinstance(each, dict)]
    if current not in ids:
        wanted = f"the id of a schema: {', '.join(map(str, ids)) or 'none is there'}"
        raise FormatError("current-schema-id", None, repr(current), wanted)


def check_specs(specs: Iterable[PartitionSpec], default: PartitionSpec, schema: Schema) -> None:
    """Check the source columns of partition fields.

    Args:
        default: The spec that writers use.
        schema: The current one.
    """
    for spec in specs:
        ids = [each.field_id for each in spec.fields]
        if len(set(ids)) != len(ids):
            raise FormatError(f"partition-specs[{spec.spec_id}]", None, "a field id twice", "once")
    for field in default.fields:
        gone = [each for each in field.source_ids if schema.find(each) is None]
        if gone and not isinstance(field.transform, Void):
            where = f"partition-specs[{default.spec_id}].{field.name}"
            raise FormatError(where, None, f"source column {gone[0]}", "a column of the schema")


def check_refs(
    refs: Mapping[str, SnapshotReference], snapshots: Collection[int], current: int | None
) -> None:
    """Check that branches and tags name existing snapshots.

    Args:
        snapshots: The ids of all snapshots.
        current: The id of the current one.
    """
    for name, ref in refs.items():
        if ref.snapshot_id not in snapshots:
            raise FormatError(
                f"refs.{name}", None, f"snapshot {ref.snapshot_id}", "a snapshot of the metadata"
            )
    main = refs.get(MAIN)
    if main is not None and main.snapshot_id != current:
        wanted = "no such branch: there is no current snapshot" if current is None else str(current)
        raise FormatError("refs.main", None, str(main.snapshot_id), wanted)


def check_log(document: TableMetadata) -> None:
    """Check that each snapshot has an id of its own, and that the snapshot log is in order."""
    if len({each.snapshot_id for each in document.snapshots}) != len(document.snapshots):
        raise FormatError("snapshots", None, "a snapshot id twice", "distinct ids")
    log = [each.timestamp_ms for each in document.snapshot_log]
    if any(later < earlier - _CLOCK_SKEW for earlier, later in itertools.pairwise(log)):
        raise FormatError("snapshot-log", None, "entries out of order", "the oldest first")


def check_orders(default: int, orders: Collection[int]) -> None:
    """Check that the sort order that writers use is one of the table's, whose ids these are."""
    if default not in orders:
        raise FormatError("default-sort-order-id", None, repr(default), "the id of a sort order")
