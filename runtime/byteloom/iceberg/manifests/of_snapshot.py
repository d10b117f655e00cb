"""The manifests of a snapshot: from its list or, in version 1, from the paths in the snapshot.

Source: Iceberg table spec, "Snapshots" and "Manifest Lists".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.iceberg.manifests.manifest_list import ManifestList, read_manifest_list
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.storage.naming import missing_from

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["manifests_of", "named_by"]


def manifests_of(
    snapshot: Snapshot | None,
    read: Callable[[str], bytes],
    specs: Mapping[int, PartitionSpec],
    limits: Limits = DEFAULT_LIMITS,
) -> ManifestList:
    """Return the manifests of *snapshot*, checked; empty if it is None.

    Args:
        read: Returns the bytes of a file, by its path as written.
        specs: The partition specs of the table, by id.

    Raises:
        FormatError: A list that is damaged, or that has impossible values.
        MissingFile: No such list; the error names the snapshot.
    """
    if snapshot is None:
        return ManifestList.of_paths(())
    if snapshot.manifest_list is None:
        return ManifestList.of_paths(snapshot.manifests)
    with named_by(snapshot):
        data = read(snapshot.manifest_list)
    listed = read_manifest_list(data, snapshot.manifest_list, limits)
    listed.check(specs, snapshot.first_row_id)
    return listed


def named_by(snapshot: Snapshot | None) -> AbstractContextManager[None]:
    """Make the error of a missing file name the snapshot, unless it says already what names it."""
    return missing_from(None if snapshot is None else f"snapshot {snapshot.snapshot_id}")
