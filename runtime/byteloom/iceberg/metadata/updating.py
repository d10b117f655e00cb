"""The document of table metadata after the updates of a commit.

The rules:

- The snapshot log gets a snapshot only when it becomes that of the branch main.
- An id of -1 is that of the schema, spec or order that was added last.
- Version 1 writes the current schema and the default spec also outside of their lists; later
  versions leave them out there.

Source: Iceberg table spec, "Table Metadata Fields"; the REST catalog spec, ``TableUpdate``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import ArgumentError, CommitConflict
from byteloom.iceberg.metadata.document import MAIN
from byteloom.iceberg.metadata.table_metadata import TableMetadata
from byteloom.iceberg.schema import Schema
from byteloom_generated.iceberg.table_updates import (
    AddPartitionSpec,
    AddSchema,
    AddSnapshot,
    AddSortOrder,
    AssignUuid,
    RemoveProperties,
    RemoveSnapshotRef,
    SetCurrentSchema,
    SetDefaultSortOrder,
    SetDefaultSpec,
    SetProperties,
    SetSnapshotRef,
    UpgradeFormatVersion,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from byteloom.documents.json_record import JsonRecord

__all__ = ["LAST_ADDED", "ROW_IDS_SINCE", "update_document", "updated"]

LAST_ADDED: Final = -1
"""The id that means the schema, spec or order that was added last."""

ROW_IDS_SINCE: Final = 3
"""The first version that numbers rows."""


def updated(metadata: TableMetadata, updates: Sequence[JsonRecord]) -> TableMetadata:
    """Return *metadata* after updates, in their order; its logs and times stay as they are.

    Raises:
        ArgumentError: An update of something that the table does not have.
        FormatError: Updates that make invalid metadata.
    """
    document = metadata.to_json()
    update_document(document, metadata, updates)
    return TableMetadata.from_json(document)


def update_document(
    document: dict[str, Any], metadata: TableMetadata, updates: Sequence[JsonRecord]
) -> None:
    """Apply updates, in their order, to a document.

    Args:
        document: The document of *metadata*, which is changed.
        metadata: The metadata before the updates.
        updates: Records of `byteloom_generated.iceberg.table_updates`.

    Raises:
        ArgumentError: An update of something that the table does not have.
    """
    if metadata.format_version == 1:
        _complete(document, metadata)
    for each in updates:
        _APPLY[type(each)](document, each)


def _complete(document: dict[str, Any], metadata: TableMetadata) -> None:
    """Write the lists and ids that version 1 may leave out."""
    document |= {
        "schemas": [each.to_json() for each in metadata.schemas.values()],
        "current-schema-id": metadata.current_schema_id,
        "partition-specs": [each.to_json() for each in metadata.partition_specs.values()],
        "default-spec-id": metadata.default_spec_id,
        "last-partition-id": metadata.last_partition_id,
        "sort-orders": [each.to_json() for each in metadata.sort_orders.values()],
        "default-sort-order-id": metadata.default_sort_order_id,
    }


def _add_snapshot(document: dict[str, Any], update: AddSnapshot) -> None:
    """Add a snapshot, whose sequence number and row ids are then taken.

    Raises:
        ArgumentError: A snapshot that the table has already.
        CommitConflict: Another snapshot has taken its sequence number, or its row ids.
    """
    snapshot = update.snapshot
    number = snapshot["snapshot-id"]
    if any(each["snapshot-id"] == number for each in document.get("snapshots", ())):
        raise ArgumentError("snapshot-id", None, str(number), "one that the table lacks")
    if document["format-version"] > 1 and snapshot.get("parent-snapshot-id") is not None:
        _check_taken(number, "sequence-number", snapshot, document["last-sequence-number"] + 1)
    if document["format-version"] >= ROW_IDS_SINCE:
        _check_taken(number, "first-row-id", snapshot, document["next-row-id"])
    document["snapshots"] = [*document.get("snapshots", ()), snapshot]
    if document["format-version"] > 1:
        document["last-sequence-number"] = snapshot["sequence-number"]
    if "added-rows" in snapshot:
        document["next-row-id"] += snapshot["added-rows"]
    document["last-updated-ms"] = max(document["last-updated-ms"], snapshot["timestamp-ms"])


def _check_taken(number: int, key: str, snapshot: dict[str, Any], least: int) -> None:
    """Refuse a snapshot that begins at numbers which another one has."""
    found = snapshot.get(key)
    if found is None or found < least:
        raise CommitConflict(f"snapshot {number}: {key} {found}, wanted {least} or more")


def _set_ref(document: dict[str, Any], update: SetSnapshotRef) -> None:
    """Create or move a branch or a tag.

    Raises:
        ArgumentError: A snapshot that the table lacks.
    """
    if all(each["snapshot-id"] != update.snapshot_id for each in document.get("snapshots", ())):
        found = f"snapshot {update.snapshot_id} for {update.ref_name!r}"
        raise ArgumentError("ref", None, found, "a snapshot of the table")
    ref = update.to_json(version=document["format-version"])
    name = ref.pop("ref-name")
    document["refs"] = {**document.get("refs", {}), name: ref}
    if name == MAIN and document.get("current-snapshot-id") != update.snapshot_id:
        document["current-snapshot-id"] = update.snapshot_id
        moment = document["last-updated-ms"]
        entry = {"timestamp-ms": moment, "snapshot-id": update.snapshot_id}
        document["snapshot-log"] = [*document.get("snapshot-log", ()), entry]


def _remove_ref(document: dict[str, Any], update: RemoveSnapshotRef) -> None:
    """Remove a branch or a tag."""
    refs = dict(document.get("refs", {}))
    if refs.pop(update.ref_name, None) is None:
        wanted = "a branch or tag of the table"
        raise ArgumentError("ref", None, f"no {update.ref_name!r}", wanted)
    document["refs"] = refs


def _set_properties(document: dict[str, Any], update: SetProperties) -> None:
    document["properties"] = {**document.get("properties", {}), **update.updates}


def _remove_properties(document: dict[str, Any], update: RemoveProperties) -> None:
    kept = document.get("properties", {}).items()
    document["properties"] = {key: each for key, each in kept if key not in update.removals}


def _assign_uuid(document: dict[str, Any], update: AssignUuid) -> None:
    document["table-uuid"] = str(update.uuid)


def _upgrade(document: dict[str, Any], update: UpgradeFormatVersion) -> None:
    """Raise the version; snapshots and their files stay as they were written."""
    old, document["format-version"] = document["format-version"], update.format_version
    if old == 1 and update.format_version > 1:
        document["last-sequence-number"] = 0
        for each in ("schema", "partition-spec"):
            document.pop(each, None)
    if old < ROW_IDS_SINCE <= update.format_version:
        document["next-row-id"] = 0


def _add_schema(document: dict[str, Any], update: AddSchema) -> None:
    document["schemas"] = [*document["schemas"], update.schema]
    highest = Schema.from_json(update.schema).highest_field_id
    document["last-column-id"] = max(document["last-column-id"], highest)


def _set_current_schema(document: dict[str, Any], update: SetCurrentSchema) -> None:
    chosen = _chosen(document["schemas"], "schema-id", update.schema_id)
    document["current-schema-id"] = chosen["schema-id"]
    if document["format-version"] == 1:
        document["schema"] = chosen


def _add_spec(document: dict[str, Any], update: AddPartitionSpec) -> None:
    document["partition-specs"] = [*document["partition-specs"], update.spec]
    ids = [each["field-id"] for each in update.spec["fields"]]
    document["last-partition-id"] = max([document["last-partition-id"], *ids])


def _set_default_spec(document: dict[str, Any], update: SetDefaultSpec) -> None:
    chosen = _chosen(document["partition-specs"], "spec-id", update.spec_id)
    document["default-spec-id"] = chosen["spec-id"]
    if document["format-version"] == 1:
        document["partition-spec"] = chosen["fields"]


def _add_order(document: dict[str, Any], update: AddSortOrder) -> None:
    document["sort-orders"] = [*document["sort-orders"], update.sort_order]


def _set_default_order(document: dict[str, Any], update: SetDefaultSortOrder) -> None:
    chosen = _chosen(document["sort-orders"], "order-id", update.sort_order_id)
    document["default-sort-order-id"] = chosen["order-id"]


def _chosen(known: list[dict[str, Any]], key: str, wanted: int) -> dict[str, Any]:
    """Return the document with an id, or the one that was added last."""
    if wanted == LAST_ADDED:
        return known[-1]
    for each in known:
        if each[key] == wanted:
            return each
    ids = ", ".join(str(each[key]) for each in known)
    raise ArgumentError(key, None, str(wanted), f"one of the table's: {ids}")


_APPLY: dict[type[JsonRecord], Callable[[dict[str, Any], Any], None]] = {
    AssignUuid: _assign_uuid,
    UpgradeFormatVersion: _upgrade,
    AddSchema: _add_schema,
    SetCurrentSchema: _set_current_schema,
    AddPartitionSpec: _add_spec,
    SetDefaultSpec: _set_default_spec,
    AddSortOrder: _add_order,
    SetDefaultSortOrder: _set_default_order,
    AddSnapshot: _add_snapshot,
    SetSnapshotRef: _set_ref,
    RemoveSnapshotRef: _remove_ref,
    SetProperties: _set_properties,
    RemoveProperties: _remove_properties,
}
