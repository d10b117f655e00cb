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

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.iceberg.metadata import TableMetadata
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["check_history"]

_NUMBERED_SINCE: Final = 2
_LINEAGE_SINCE: Final = 3
_CLOCK_SKEW: Final = 60_000


def check_history(metadata: TableMetadata) -> Iterator[FormatError]:
    """Yield what is wrong with snapshots, refs and logs."""
    by_time = sorted(metadata.snapshots.values(), key=lambda each: each.timestamp_ms)
    if metadata.format_version >= _NUMBERED_SINCE:
        yield from _sequence(metadata, by_time)
    if metadata.format_version >= _LINEAGE_SINCE:
        yield from _row_ids(metadata, by_time)
    for each in by_time:
        yield from _snapshot(metadata, each)
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
    if metadata.format_version >= _NUMBERED_SINCE and not snapshot.summary.get("operation"):
        yield FormatError(_where(snapshot, "summary.operation"), None, "nothing", "an operation")
    try:
        metadata.ancestors(snapshot.snapshot_id)
    except FormatError as error:
        yield error


def _logs(metadata: TableMetadata) -> Iterator[FormatError]:
    """Yield what is wrong with refs, with the log of snapshots and with that of metadata files."""
    for name, ref in metadata.refs.items():
        if ref.type == "tag" and (ref.min_snapshots_to_keep or ref.max_snapshot_age_ms):
            yield FormatError(
                f"refs.{name}", None, "a tag that keeps snapshots", "a branch, which can keep them"
            )
    document = metadata.document
    log = document.snapshot_log
    current = metadata.current_snapshot_id
    if log and current is not None and log[-1].snapshot_id != current:
        where = f"snapshot-log[{len(log) - 1}]"
        yield FormatError(where, None, str(log[-1].snapshot_id), f"the current one ({current})")
    moments = [each.timestamp_ms for each in document.metadata_log] + [document.last_updated_ms]
    for number, (before, after) in enumerate(itertools.pairwise(moments)):
        if after < before - _CLOCK_SKEW:
            where = f"metadata-log[{number}].timestamp-ms"
            yield FormatError(where, None, str(before), f"at most {after}, the time that follows")
