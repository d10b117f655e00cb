"""Manifests of one snapshot, or of all: one row each, with readable summaries.

Bounds of a partition field whose source column was dropped are null, unless its transform has the
same result type for all columns.

Source: Java's ``ManifestsTable`` and ``AllManifestsTable``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.iceberg.transforms.human import to_human
from byteloom.iceberg.types import UnknownType
from byteloom.iceberg.values import from_binary
from byteloom.late import pc
from byteloom_generated.iceberg.manifests import ManifestContent

if TYPE_CHECKING:
    from byteloom.iceberg.manifests.manifest_list import ManifestList
    from byteloom.iceberg.metadata import TableMetadata
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom.iceberg.transforms import Transform
    from byteloom.iceberg.types import Type
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["all_manifests", "distinct", "manifests"]

_SUMMARY: Final = pa.struct(
    [
        pa.field("contains_null", pa.bool_(), nullable=False),
        pa.field("contains_nan", pa.bool_()),
        pa.field("lower_bound", pa.large_string()),
        pa.field("upper_bound", pa.large_string()),
    ]
)
_SUMMARIES: Final = pa.list_(pa.field("element", _SUMMARY, nullable=False))
_COUNTS: Final = ("added", "existing", "deleted")
_CONTENTS: Final = {"data": ManifestContent.DATA, "delete": ManifestContent.DELETES}


def manifests(table: StoredTable, snapshot: Snapshot | None) -> pa.Table:
    """Return one row per manifest of *snapshot*."""
    return _rows(table.manifests(snapshot), table.metadata)


def all_manifests(table: StoredTable) -> pa.Table:
    """Return one row for each manifest of each snapshot, with the snapshot's id."""
    parts = [
        _with_snapshot(table.manifests(each), table.metadata, each.snapshot_id)
        for each in table.metadata.document.snapshots
    ]
    none = _with_snapshot(table.manifests(None), table.metadata, 0)
    return pa.concat_tables([none, *parts]).combine_chunks()


def distinct(table: StoredTable) -> ManifestList:
    """Return the manifests of all snapshots, each once."""
    each_listed = [table.manifests(each) for each in table.metadata.document.snapshots]
    held = pa.concat_tables(
        [table.manifests(None).table, *(each.table for each in each_listed)],
        promote_options="default",
    )
    numbers = pa.array(np.arange(len(held)))
    first = (
        held.append_column("_row", numbers).group_by("manifest_path").aggregate([("_row", "min")])
    )
    rows = np.sort(first.column("_row_min").to_numpy())
    return type(table.manifests(None))("", held.take(pa.array(rows)))


def _with_snapshot(listed: ManifestList, metadata: TableMetadata, snapshot_id: int) -> pa.Table:
    """Return the rows of a snapshot's manifests in ``all_manifests``."""
    named = np.full(len(listed), snapshot_id)
    rows = _rows(listed, metadata).append_column(
        pa.field("reference_snapshot_id", pa.int64(), nullable=False), pa.array(named, pa.int64())
    )
    return rows.append_column("key_metadata", listed.table.column("key_metadata"))


def _rows(listed: ManifestList, metadata: TableMetadata) -> pa.Table:
    """Return the columns that both tables have."""
    held = listed.table
    columns: dict[str, Any] = {
        "content": held.column("content").cast(pa.int32()),
        "path": held.column("manifest_path"),
        "length": held.column("manifest_length"),
        "partition_spec_id": held.column("partition_spec_id"),
        "added_snapshot_id": held.column("added_snapshot_id"),
    }
    for word, content in _CONTENTS.items():
        other = pc.not_equal(held.column("content"), content)
        for count in _COUNTS:
            counts = held.column(f"{count}_files_count")
            columns[f"{count}_{word}_files_count"] = pc.if_else(
                other, pa.scalar(0, counts.type), counts
            )
    columns["partition_summaries"] = _summaries(held, metadata)
    return pa.table(columns)


def _summaries(held: pa.Table, metadata: TableMetadata) -> pa.Array:
    """Return the summaries of partition fields, with bounds as text."""
    specs = held.column("partition_spec_id").to_pylist()
    rows: list[list[dict[str, Any]] | None] = []
    for spec_id, summaries in zip(specs, held.column("partitions").to_pylist(), strict=True):
        if summaries is None:
            rows.append(None)
            continue
        fields = _fields(metadata, spec_id)
        rows.append([_readable(*pair) for pair in zip(fields, summaries, strict=False)])
    return pa.array(rows, _SUMMARIES)


def _fields(metadata: TableMetadata, spec_id: int) -> list[tuple[Transform, Type]]:
    """Return the transform and source type of each field of a spec; unknown if dropped."""
    spec = metadata.partition_specs.get(spec_id)
    if spec is None:
        known = ", ".join(map(str, metadata.partition_specs))
        raise FormatError("partition_spec_id", None, str(spec_id), f"one of the table's: {known}")
    sources = [metadata.schema().find(each.source_id) for each in spec.fields]
    return [
        (each.transform, UnknownType() if source is None else source.type)
        for each, source in zip(spec.fields, sources, strict=True)
    ]


def _readable(field: tuple[Transform, Type], summary: dict[str, Any]) -> dict[str, Any]:
    """Return one summary, with its bounds as text."""
    transform, source = field
    made = transform.result_type(source)

    def text(bound: bytes | None) -> str:
        if bound is not None and not transform.is_known:
            return bound.decode(errors="replace")  # a bound of an unknown type
        if bound is None or isinstance(made, UnknownType):
            return to_human(transform, source, None)
        return to_human(transform, source, from_binary(made, bound))

    return {
        "contains_null": summary["contains_null"],
        "contains_nan": summary["contains_nan"],
        "lower_bound": text(summary["lower_bound"]),
        "upper_bound": text(summary["upper_bound"]),
    }
