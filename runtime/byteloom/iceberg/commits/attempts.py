"""A commit that is made again, on the newest state, if another writer was first.

Source: Iceberg table spec, "Optimistic Concurrency"; Java's ``SnapshotProducer.commit``.
"""

from __future__ import annotations

import random
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, cast

from byteloom.errors import ByteloomError, CommitConflict, CommitUnknown, StorageError
from byteloom.iceberg.commits.applying import check_requirements
from byteloom.iceberg.commits.steps import Steps
from byteloom.iceberg.metadata.updating import updated
from byteloom.iceberg.properties import Properties
from byteloom.iceberg.stored_table import AnyTable
from byteloom_generated.iceberg.table_updates import (
    AddSnapshot,
    AssertRefSnapshotId,
    AssertTableUuid,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from byteloom.documents.json_record import JsonRecord
    from byteloom.iceberg.metadata import TableMetadata
    from byteloom.iceberg.stored_table import StoredTable

__all__ = ["commit_again", "may_be_made", "requirements_of"]

_SECOND: Final = 1000


def requirements_of(base: StoredTable, *refs: str) -> list[JsonRecord]:
    """Return what must hold for a commit on *base*: the same table, and branches where they are.

    Args:
        base: The state that the commit builds on.
        refs: The branches and tags that it changes.
    """
    metadata = base.metadata
    made: list[JsonRecord] = []
    for name in refs:
        ref = metadata.refs.get(name)
        known = None if ref is None else ref.snapshot_id
        made.append(AssertRefSnapshotId(ref=name, snapshot_id=known))
    if metadata.document.table_uuid is not None:
        made.append(AssertTableUuid(uuid=metadata.document.table_uuid))
    return made


def commit_again(
    table: AnyTable,
    updates: Callable[[AnyTable, int], tuple[list[JsonRecord], list[JsonRecord]]],
) -> AnyTable:
    """Return a table after a commit, made again on the newest state after other writers'.

    Args:
        table: The table.
        updates: Returns requirements and updates for a state of the table and an attempt, counted
            from 1. Without updates there is no commit; a `CommitConflict` that it raises is final.

    Raises:
        CommitConflict: Other writers were first in every attempt that the table allows, or have
            made another table in its place.
    """
    if isinstance(table.catalog, Steps):
        return cast("AnyTable", table.catalog.add(updates))
    first, start = table, time.monotonic()
    attempt = 1
    while True:
        requirements, changes = updates(table, attempt)
        if not changes:
            return table
        try:
            return table.catalog.commit(table, requirements, changes)
        except StorageError as error:
            made = _looked_up(table, changes, error)
            if made is None:
                raise
            return made
        except CommitConflict:
            # Read only now: a property that is no number can then be removed all the same.
            properties = Properties(table.metadata.properties)
            end = start + properties.number("commit.retry.total-timeout-ms") / _SECOND
            if attempt > properties.number("commit.retry.num-retries") or time.monotonic() >= end:
                raise
            least = properties.number("commit.retry.min-wait-ms")
            most = properties.number("commit.retry.max-wait-ms")
        wait = min(least * 2 ** (attempt - 1), most) / _SECOND
        time.sleep(wait * random.uniform(0.5, 1))  # noqa: S311  spreads writers, no secret
        table = table.catalog.newest(table)
        if _has(table, changes):  # a request that was repeated on its way meets its own commit
            return table
        check_requirements(table.metadata, requirements_of(first), table.metadata.location)
        attempt += 1


def _looked_up(
    table: AnyTable, changes: Sequence[JsonRecord], error: StorageError
) -> AnyTable | None:
    """Return the table after a commit that failed and was made all the same; None if it was not.

    It is found by the snapshot that it adds; one whose outcome is unknown also by its metadata
    file, or by its effect. A plain no may be about a repeated request, whose snapshot is there.

    Args:
        table: The state that was committed to.
        changes: The updates of the commit.
        error: What is known of it.
    """
    if not isinstance(error, CommitUnknown):
        with suppress(ByteloomError):
            found = table.catalog.newest(table)
            return found if _has(found, changes) else None
        return None
    properties = Properties(table.metadata.properties)
    wait = properties.number("commit.status-check.min-wait-ms") / _SECOND
    most = properties.number("commit.status-check.max-wait-ms") / _SECOND
    end = time.monotonic() + properties.number("commit.status-check.total-timeout-ms") / _SECOND
    for _ in range(properties.number("commit.status-check.num-retries") + 1):
        with suppress(ByteloomError):
            found = table.catalog.newest(table)
            log = found.metadata.document.metadata_log
            files = {found.metadata_location, *(each.metadata_file for each in log)}
            if error.location in files or _has(found, changes) or _in_effect(found, table, changes):
                return found
        if time.monotonic() + wait > end:
            break
        time.sleep(wait)
        wait = min(2 * wait, most)
    return None


def _has(table: StoredTable, changes: Sequence[JsonRecord]) -> bool:
    """Return whether a table has a snapshot that updates add."""
    added = {each.snapshot["snapshot-id"] for each in changes if isinstance(each, AddSnapshot)}
    return not added.isdisjoint(table.metadata.snapshots)


def _in_effect(found: StoredTable, base: StoredTable, changes: Sequence[JsonRecord]) -> bool:
    """Return whether a table is as updates of *base* would make it, which add no snapshot."""
    if any(isinstance(each, AddSnapshot) for each in changes):
        return False
    old, new = _state(base.metadata), _state(updated(base.metadata, changes))
    now = _state(found.metadata)
    changed = {key for key in old | new if old.get(key) != new.get(key)}
    return bool(changed) and all(now.get(key) == new.get(key) for key in changed)


def _state(metadata: TableMetadata) -> dict[tuple[str, str], Any]:
    """Return what updates change of metadata, each thing under a key of its own."""
    return {
        ("version", ""): metadata.format_version,
        ("schema", ""): metadata.schema(),
        ("spec", ""): metadata.spec(),
        ("order", ""): metadata.sort_orders[metadata.default_sort_order_id],
        **{("property", key): each for key, each in metadata.properties.items()},
        **{("ref", key): each for key, each in metadata.refs.items()},
    }


def may_be_made(error: BaseException, table: StoredTable, snapshots: Iterable[int]) -> bool:
    """Return whether a commit that failed was made all the same, or may still be.

    An interrupt, or a catalog that does not answer, can come while the commit is on its way.

    Args:
        error: How it failed.
        table: The table before it.
        snapshots: The ids of the snapshots that it adds.
    """
    if isinstance(error, CommitUnknown) or not isinstance(error, Exception):
        return True
    try:
        newest = table.catalog.newest(table)
    except Exception:  # noqa: BLE001  whatever it is, the files may be the table's
        return True
    return not newest.metadata.snapshots.keys().isdisjoint(snapshots)
