"""A table's past, from its metadata file: snapshots, history, refs, metadata files.

Source: Java's ``SnapshotsTable``, ``HistoryTable``, ``RefsTable``, ``MetadataLogEntriesTable``.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from byteloom.errors import FormatError, found_by

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom.iceberg.stored_table import StoredTable

__all__ = ["history", "metadata_log_entries", "refs", "snapshots"]

_MOMENT: Final = pa.timestamp("us", "UTC")
_TEXT: Final = pa.large_string()
_MICROS: Final = 1000

_SNAPSHOTS: Final = pa.schema(
    [
        pa.field("committed_at", _MOMENT, nullable=False),
        pa.field("snapshot_id", pa.int64(), nullable=False),
        pa.field("parent_id", pa.int64()),
        pa.field("operation", _TEXT),
        pa.field("manifest_list", _TEXT),
        pa.field("summary", pa.map_(_TEXT, _TEXT)),
    ]
)
_HISTORY: Final = pa.schema(
    [
        pa.field("made_current_at", _MOMENT, nullable=False),
        pa.field("snapshot_id", pa.int64(), nullable=False),
        pa.field("parent_id", pa.int64()),
        pa.field("is_current_ancestor", pa.bool_(), nullable=False),
    ]
)
_REFS: Final = pa.schema(
    [
        pa.field("name", _TEXT, nullable=False),
        pa.field("type", _TEXT, nullable=False),
        pa.field("snapshot_id", pa.int64(), nullable=False),
        pa.field("max_reference_age_in_ms", pa.int64()),
        pa.field("min_snapshots_to_keep", pa.int32()),
        pa.field("max_snapshot_age_in_ms", pa.int64()),
    ]
)
_METADATA_LOG: Final = pa.schema(
    [
        pa.field("timestamp", _MOMENT, nullable=False),
        pa.field("file", _TEXT, nullable=False),
        pa.field("latest_snapshot_id", pa.int64()),
        pa.field("latest_schema_id", pa.int32()),
        pa.field("latest_sequence_number", pa.int64()),
    ]
)


def snapshots(table: StoredTable) -> pa.Table:
    """Return one row per snapshot, in the order of the metadata file."""
    held = table.metadata.document.snapshots
    summaries = [
        None
        if not each.summary
        else [(key, value) for key, value in each.summary.items() if key != "operation"]
        for each in held
    ]
    return _table(
        _SNAPSHOTS,
        [each.timestamp_ms * _MICROS for each in held],
        [each.snapshot_id for each in held],
        [each.parent_snapshot_id for each in held],
        [each.summary.get("operation") for each in held],
        [each.manifest_list for each in held],
        summaries,
    )


def history(table: StoredTable) -> pa.Table:
    """Return a row for each change of the current snapshot, the oldest first."""
    metadata = table.metadata
    log = metadata.document.snapshot_log
    ancestors = {each.snapshot_id for each in metadata.ancestors(metadata.current_snapshot_id)}
    known = [metadata.snapshots.get(each.snapshot_id) for each in log]
    return _table(
        _HISTORY,
        [each.timestamp_ms * _MICROS for each in log],
        [each.snapshot_id for each in log],
        [each.parent_snapshot_id if each else None for each in known],
        [each.snapshot_id in ancestors for each in log],
    )


def refs(table: StoredTable) -> pa.Table:
    """Return one row per branch or tag."""
    held = table.metadata.refs
    return _table(
        _REFS,
        list(held),
        [each.type.upper() for each in held.values()],
        [each.snapshot_id for each in held.values()],
        [each.max_ref_age_ms for each in held.values()],
        [each.min_snapshots_to_keep for each in held.values()],
        [each.max_snapshot_age_ms for each in held.values()],
    )


def metadata_log_entries(table: StoredTable) -> pa.Table:
    """Return one row per metadata file, this one last, with the newest snapshot at that time."""
    document = table.metadata.document
    moments = [each.timestamp_ms for each in document.metadata_log] + [document.last_updated_ms]
    files = [each.metadata_file for each in document.metadata_log] + [table.metadata_location]
    log = [(each.timestamp_ms, each.snapshot_id) for each in document.snapshot_log]
    newest = [log[at - 1][1] if (at := _before(log, each)) else None for each in moments]
    held = [None if each is None else table.metadata.snapshots.get(each) for each in newest]
    return _table(
        _METADATA_LOG,
        [each * _MICROS for each in moments],
        files,
        newest,
        [each.schema_id if each else None for each in held],
        [each.sequence_number if each else None for each in held],
    )


def _before(log: list[tuple[int, int]], moment: int) -> int:
    """Return how many entries of a log are not later than a moment."""
    return bisect_right(log, moment, key=lambda each: each[0])


def _table(schema: pa.Schema, *columns: Iterable[object]) -> pa.Table:
    """Return a table made of Python values, for tables with few rows."""
    arrays = []
    for each, of in zip(columns, schema, strict=True):
        try:
            arrays.append(pa.array(each, of.type))
        except (OverflowError, pa.ArrowInvalid) as error:
            found = found_by("a value outside its range", error)
            raise FormatError(of.name, None, found, f"values of type {of.type}") from error
    return pa.Table.from_arrays(arrays, schema=schema)
