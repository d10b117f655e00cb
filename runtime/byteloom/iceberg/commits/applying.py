"""The metadata of a table after the updates of a commit.

The rules:

- The metadata log gets the file that is replaced, and forgets the oldest beyond its limit.
- Times never go back, whatever the clock says: readers refuse metadata whose times do.

Source: Iceberg table spec, "Table Metadata Fields"; the REST catalog spec, ``TableUpdate``.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from byteloom.documents.json_record import JsonRecord
from byteloom.errors import CommitConflict
from byteloom.iceberg.metadata import TableMetadata
from byteloom.iceberg.metadata.updating import update_document
from byteloom.iceberg.properties import Properties
from byteloom_generated.iceberg.table_updates import (
    AssertCurrentSchemaId,
    AssertDefaultSortOrderId,
    AssertDefaultSpecId,
    AssertLastAssignedFieldId,
    AssertLastAssignedPartitionId,
    AssertRefSnapshotId,
    AssertTableUuid,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


__all__ = ["after", "check_requirements", "now"]

_MILLION = 1_000_000


def now(metadata: TableMetadata | None = None) -> int:
    """Return the time in milliseconds since 1970, never before that of *metadata*."""
    last = 0 if metadata is None else metadata.document.last_updated_ms
    return max(time.time_ns() // _MILLION, last)


def check_requirements(
    metadata: TableMetadata, requirements: Sequence[JsonRecord], place: str
) -> None:
    """Refuse metadata of which a requirement does not hold.

    Raises:
        CommitConflict: Another writer has changed the table.
    """
    for each in requirements:
        what, found, wanted = _CHECKS[type(each)](metadata, each)
        if found != wanted:
            raise CommitConflict(f"{place}: {what} {found}, wanted {wanted}")


def after(metadata: TableMetadata, updates: Sequence[JsonRecord], location: str) -> TableMetadata:
    """Return the metadata after updates, in their order.

    Args:
        metadata: What the updates change.
        updates: Records of `byteloom_generated.iceberg.table_updates`.
        location: The file that *metadata* was read from.

    Raises:
        ArgumentError: An update of something that the table does not have.
        FormatError: A property that is no value of its kind.
    """
    document = metadata.to_json()
    log = [*document.get("metadata-log", ())]
    log.append({"metadata-file": location, "timestamp-ms": document["last-updated-ms"]})
    document["last-updated-ms"] = now(metadata)
    update_document(document, metadata, updates)
    most = Properties(document.get("properties", {})).number("write.metadata.previous-versions-max")
    document["metadata-log"] = log[-most:]
    return TableMetadata.from_json(document)


def _ref(metadata: TableMetadata, of: AssertRefSnapshotId) -> tuple[str, Any, Any]:
    ref = metadata.refs.get(of.ref)
    found = None if ref is None else ref.snapshot_id
    return f"{of.ref} is snapshot", found, of.snapshot_id


_CHECKS: Final[dict[type[JsonRecord], Callable[[TableMetadata, Any], tuple[str, Any, Any]]]] = {
    AssertTableUuid: lambda metadata, of: (
        "the table is another one,",
        metadata.document.table_uuid,
        of.uuid,
    ),
    AssertRefSnapshotId: _ref,
    AssertLastAssignedFieldId: lambda metadata, of: (
        "the last column id is",
        metadata.document.last_column_id,
        of.last_assigned_field_id,
    ),
    AssertCurrentSchemaId: lambda metadata, of: (
        "the current schema is",
        metadata.current_schema_id,
        of.current_schema_id,
    ),
    AssertLastAssignedPartitionId: lambda metadata, of: (
        "the last partition field id is",
        metadata.last_partition_id,
        of.last_assigned_partition_id,
    ),
    AssertDefaultSpecId: lambda metadata, of: (
        "the default partition spec is",
        metadata.default_spec_id,
        of.default_spec_id,
    ),
    AssertDefaultSortOrderId: lambda metadata, of: (
        "the default sort order is",
        metadata.default_sort_order_id,
        of.default_sort_order_id,
    ),
}
"""What each requirement is about, and the value that there is and that is wanted."""
