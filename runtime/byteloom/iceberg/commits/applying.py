"""The metadata of a table after the updates of a commit.

The rules:

- The metadata log gets the file that is replaced, and forgets the oldest beyond its limit.
- The snapshot log gets a snapshot only when it becomes that of the branch main.
- Times never go back, whatever the clock says: readers refuse metadata whose times do.

Source: Iceberg table spec, "Table Metadata Fields"; the REST catalog spec, ``TableUpdate``.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from byteloom.errors import ArgumentError, CommitConflict
from byteloom.iceberg.metadata import TableMetadata
from byteloom.iceberg.metadata.document import MAIN
from byteloom.iceberg.properties import Properties
from byteloom_generated.iceberg.table_updates import (
    AddSnapshot,
    AssertRefSnapshotId,
    AssertTableUuid,
    RemoveProperties,
    RemoveSnapshotRef,
    SetProperties,
    SetSnapshotRef,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from byteloom.documents.json_record import JsonRecord

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
        if isinstance(each, AssertTableUuid) and each.uuid != metadata.document.table_uuid:
            found = f"{place}: the table is another one, {metadata.document.table_uuid}"
            raise CommitConflict(f"{found}, wanted {each.uuid}")
        if isinstance(each, AssertRefSnapshotId):
            ref = metadata.refs.get(each.ref)
            snapshot = None if ref is None else ref.snapshot_id
            if snapshot != each.snapshot_id:
                found = f"{place}: {each.ref} is snapshot {snapshot}"
                raise CommitConflict(f"{found}, wanted {each.snapshot_id}")


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
    for each in updates:
        _APPLY[type(each)](document, each)
    most = Properties(document.get("properties", {})).number("write.metadata.previous-versions-max")
    document["metadata-log"] = log[-most:]
    return TableMetadata.from_json(document)


def _add_snapshot(document: dict[str, Any], update: AddSnapshot) -> None:
    """Add a snapshot, whose sequence number and row ids are then taken."""
    snapshot = update.snapshot
    document["snapshots"] = [*document.get("snapshots", ()), snapshot]
    if document["format-version"] > 1:
        document["last-sequence-number"] = snapshot["sequence-number"]
    if "added-rows" in snapshot:
        document["next-row-id"] += snapshot["added-rows"]
    document["last-updated-ms"] = max(document["last-updated-ms"], snapshot["timestamp-ms"])


def _set_ref(document: dict[str, Any], update: SetSnapshotRef) -> None:
    """Create or move a branch or a tag."""
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


_APPLY: dict[type[JsonRecord], Callable[[dict[str, Any], Any], None]] = {
    AddSnapshot: _add_snapshot,
    SetSnapshotRef: _set_ref,
    RemoveSnapshotRef: _remove_ref,
    SetProperties: _set_properties,
    RemoveProperties: _remove_properties,
}
