"""Metadata tables: the content of a table's metadata and manifests, as Arrow tables.

    snapshots, history, refs, metadata_log_entries        of the metadata file only
    manifests, partitions, files, data_files, delete_files, entries     of one snapshot
    position_deletes                                      of the delete files of one snapshot
    all_manifests, all_files, all_data_files, all_delete_files, all_entries     of all snapshots
                                                                                kept

The rules:

- Names, types and values are those of Java's tables, so that queries work unchanged;
  ``partition`` has the fields of all specs of the table, and ``readable_metrics`` the primitive
  columns of its current schema by name.
- Columns are computed from columns, without a Python object per file.

Source: https://iceberg.apache.org/docs/latest/spark-queries/#inspecting-tables
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import ArgumentError
from byteloom.iceberg.metadata_tables import (
    files,
    history,
    manifests,
    partitions,
    position_deletes,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from byteloom.iceberg.stored_table import StoredTable
    from byteloom.moments import Moment
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["KINDS", "metadata_batches", "metadata_table"]

_OF_METADATA: Final[dict[str, Callable[[StoredTable], pa.Table]]] = {
    "snapshots": history.snapshots,
    "history": history.history,
    "refs": history.refs,
    "metadata_log_entries": history.metadata_log_entries,
    "all_manifests": manifests.all_manifests,
    "all_files": files.all_files,
    "all_data_files": files.all_data_files,
    "all_delete_files": files.all_delete_files,
    "all_entries": files.all_entries,
}

_OF_SNAPSHOT: Final[dict[str, Callable[[StoredTable, Snapshot | None], pa.Table]]] = {
    "manifests": manifests.manifests,
    "partitions": partitions.partitions,
    "files": files.files,
    "data_files": files.data_files,
    "delete_files": files.delete_files,
    "entries": files.entries,
    "position_deletes": position_deletes.position_deletes,
}

KINDS: Final = (*_OF_METADATA, *_OF_SNAPSHOT)
"""The names of all metadata tables."""


def metadata_table(
    table: StoredTable,
    kind: str,
    *,
    snapshot: int | None = None,
    as_of: Moment | None = None,
    ref: str | None = None,
) -> pa.Table:
    """Return a metadata table of *table*.

    Args:
        table: The table.
        kind: One of `KINDS`.
        snapshot: The id of a snapshot, for tables of one snapshot; by default the current one.
        as_of: ISO 8601, a `datetime` or milliseconds since 1970: the snapshot current then.
        ref: A branch or a tag.

    Returns:
        The metadata table.

    Raises:
        FormatError: No such metadata table, snapshot or name, or damaged files.
    """
    chosen = (snapshot, as_of, ref) != (None, None, None)
    if kind in _OF_METADATA and not chosen:
        return _OF_METADATA[kind](table)
    if kind not in _OF_SNAPSHOT:
        wanted = ", ".join(_OF_SNAPSHOT if chosen else KINDS)
        raise ArgumentError("metadata table", None, repr(kind), f"one of {wanted}")
    return _OF_SNAPSHOT[kind](table, table.snapshot_for(snapshot=snapshot, as_of=as_of, ref=ref))


def metadata_batches(table: StoredTable, kind: str, **when: Any) -> pa.RecordBatchReader:
    """Return a metadata table in batches: ``position_deletes`` while it is read, others at once.

    Args:
        table: The table.
        kind: One of `KINDS`.
        **when: *snapshot*, *as_of* or *ref*, as for `metadata_table`.

    Returns:
        The batches.
    """
    if kind == "position_deletes":
        return position_deletes.read_position_deletes(table, table.snapshot_for(**when))
    return metadata_table(table, kind, **when).to_reader()


def __dir__() -> list[str]:
    return __all__
