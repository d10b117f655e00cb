"""Compare snapshots, refs and logs in the metadata file with each other.

The rules:

- Sequence numbers and row ids grow from snapshot to snapshot.  In an upgraded table, old snapshots
  lack them; once a snapshot has them, all later ones must.
- Nothing in the file may be newer than the file, but clocks may differ by a minute.

Source: Iceberg table spec, "Snapshots", "Sequence Numbers", "Row Lineage" and "Table Metadata".
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError
from byteloom.iceberg.metadata import MAIN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.iceberg.metadata import TableMetadata
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["check_history"]

_NUMBERED_SINCE: Final = 2
_LINEAGE_SINCE: Final = 3
_CLOCK_SKEW: Final = 60_000
_OPERATIONS: Final = ("append", "replace", "overwrite", "delete")
_AGES: Final = ("min_snapshots_to_keep", "max_snapshot_age_ms", "max_ref_age_ms")


def check_history(metadata: TableMetadata) -> Iterator[FormatError]:
    """Yield what is wrong with snapshots, refs and logs."""
    by_time = sorted(metadata.snapshots.values(), key=lambda each: each.timestamp_ms)
    if metadata.format_version >= _NUMBERED_SINCE:
        yield from _sequence(metadata, by_time)
    if metadata.format_version >= _LINEAGE_SINCE:
        yield from _row_ids(metadata, by_time)
    for each in by_time:
        yield from _snapshot(metadata, each)
    yield from _schema_ids(by_time)
    yield from _refs(metadata)
    yield from _logs(metadata)


def _where(snapshot: Snapshot, key: str) -> str:
    """Return the path of a key of a snapshot."""
    return f"snapshots[{snapshot.snapshot_id}].{key}"


def _sequence(metadata: TableMetadata, by_time: list[Snapshot]) -> Iterator[FormatError]:
    """Yield sequence numbers that are missing, repeated or too high."""
    last = metadata.document.last_sequence_number
    seen: dict[int, int] = {}
    for each in by_time:
        number = each.sequence_number
        where = _where(each, "sequence-number")
        if number > last:
            yield FormatError(where, None, str(number), f"at most last-sequence-number ({last})")
        if number == 0 and seen:
            wanted = f"a number: the snapshots before it have them, up to {max(seen)}"
            yield FormatError(where, None, "nothing", wanted)
        if number and number in seen:
            yield FormatError(where, None, str(number), f"not that of {seen[number]}")
        if number:
            seen[number] = each.snapshot_id
        parent = metadata.snapshots.get(each.parent_snapshot_id or -1)
        if parent is not None and 0 < number <= parent.sequence_number:
            wanted = f"more than its parent's ({parent.sequence_number})"
            yield FormatError(where, None, str(number), wanted)


def _row_ids(metadata: TableMetadata, by_time: list[Snapshot]) -> Iterator[FormatError]:
    """Yield row ids that are missing, assigned twice, or beyond the table's next one."""
    next_row_id = metadata.document.next_row_id or 0
    numbered = sorted(by_time, key=lambda each: each.sequence_number)
    reached, started = 0, False
    for each in numbered:
        where = _where(each, "first-row-id")
        if each.first_row_id is None:
            if started:
                yield FormatError(where, None, "nothing", "a number: those before it have one")
            continue
        started = True
        if each.first_row_id < reached:
            wanted = f"{reached} or more: lower ids are in use"
            yield FormatError(where, None, str(each.first_row_id), wanted)
        if each.added_rows is None or each.added_rows < 0:
            yield FormatError(_where(each, "added-rows"), None, str(each.added_rows), "a number")
        reached = max(reached, each.first_row_id + max(each.added_rows or 0, 0))
    if next_row_id < reached:
        wanted = f"{reached} or more: lower ids are in use"
        yield FormatError("next-row-id", None, str(next_row_id), wanted)


def _snapshot(metadata: TableMetadata, snapshot: Snapshot) -> Iterator[FormatError]:
    """Yield what is wrong with one snapshot by itself."""
    newest = metadata.document.last_updated_ms + _CLOCK_SKEW
    if snapshot.timestamp_ms > newest:
        where = _where(snapshot, "timestamp-ms")
        wanted = f"at most last-updated-ms ({metadata.document.last_updated_ms})"
        yield FormatError(where, None, str(snapshot.timestamp_ms), wanted)
    if snapshot.schema_id is not None and snapshot.schema_id not in metadata.schemas:
        where = _where(snapshot, "schema-id")
        known = ", ".join(map(str, metadata.schemas))
        yield FormatError(where, None, str(snapshot.schema_id), f"one of the schemas: {known}")
    operation = snapshot.summary.get("operation")
    if operation not in _OPERATIONS and (operation or metadata.format_version >= _NUMBERED_SINCE):
        found = repr(operation) if operation else "nothing"
        wanted = f"an operation: {', '.join(_OPERATIONS)}"
        yield FormatError(_where(snapshot, "summary.operation"), None, found, wanted)
    try:
        metadata.ancestors(snapshot.snapshot_id)
    except FormatError as error:
        yield error


def _schema_ids(by_time: list[Snapshot]) -> Iterator[FormatError]:
    """Yield snapshots that have no schema though earlier ones do."""
    has_ids = False
    for each in by_time:
        if has_ids and each.schema_id is None:
            wanted = "a number: those before it have one, by which rows of then are read"
            yield FormatError(_where(each, "schema-id"), None, "nothing", wanted)
        has_ids |= each.schema_id is not None


def _refs(metadata: TableMetadata) -> Iterator[FormatError]:
    """Yield what is wrong with branches and tags."""
    for name, ref in metadata.refs.items():
        where = f"refs.{name}"
        if name == MAIN and ref.type != "branch":
            yield FormatError(f"{where}.type", None, repr(ref.type), "'branch'")
        elif ref.type == "tag" and (ref.min_snapshots_to_keep or ref.max_snapshot_age_ms):
            found = "a tag that keeps snapshots"
            yield FormatError(where, None, found, "a branch, which can keep them")
        for key in _AGES:
            number = getattr(ref, key)
            if number is not None and number <= 0:
                wanted = "1 or more; PyIceberg refuses the table"
                yield FormatError(f"{where}.{key.replace('_', '-')}", None, str(number), wanted)


def _logs(metadata: TableMetadata) -> Iterator[FormatError]:
    """Yield what is wrong with the log of snapshots and with that of metadata files."""
    document = metadata.document
    log = document.snapshot_log
    current = metadata.current_snapshot_id
    if log and current is not None and log[-1].snapshot_id != current:
        where = f"snapshot-log[{len(log) - 1}]"
        yield FormatError(where, None, str(log[-1].snapshot_id), f"the current one ({current})")
    yield from _logged(metadata)
    moments = [each.timestamp_ms for each in document.metadata_log] + [document.last_updated_ms]
    for number, (before, after) in enumerate(itertools.pairwise(moments)):
        if after < before - _CLOCK_SKEW:
            where = f"metadata-log[{number}].timestamp-ms"
            yield FormatError(where, None, str(before), f"at most {after}, the time that follows")


def _logged(metadata: TableMetadata) -> Iterator[FormatError]:
    """Yield entries of the log of snapshots that make a reader find another state of the table.

    A snapshot is logged at its own moment, or later if it became current again.  The clock of
    another writer may be late: entries at the moments of their snapshots may be out of order.
    """
    log, made = metadata.document.snapshot_log, dict[int, int]()
    logged = {each.snapshot_id for each in log}
    for one in metadata.snapshots.values():
        if one.snapshot_id not in logged:
            made[one.timestamp_ms] = one.snapshot_id
    for number, each in enumerate(log):
        where, moment = f"snapshot-log[{number}]", each.timestamp_ms
        snapshot = metadata.snapshots.get(each.snapshot_id)
        later = log[number + 1].timestamp_ms if number + 1 < len(log) else moment + 1
        if snapshot is None:
            found = str(each.snapshot_id)
            yield FormatError(f"{where}.snapshot-id", None, found, "a snapshot of the metadata")
        elif moment != snapshot.timestamp_ms and moment in made:
            wanted = f"{made[moment]}, which was made at that moment"
            yield FormatError(f"{where}.snapshot-id", None, str(each.snapshot_id), wanted)
        elif moment < snapshot.timestamp_ms:
            wanted = f"{snapshot.timestamp_ms} or later, when its snapshot was made"
            yield FormatError(f"{where}.timestamp-ms", None, str(moment), wanted)
        elif snapshot.timestamp_ms < moment >= later:
            wanted = f"a moment before {later}, that of the next entry"
            yield FormatError(f"{where}.timestamp-ms", None, str(moment), wanted)
