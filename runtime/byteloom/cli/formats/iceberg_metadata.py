"""Iceberg table metadata: one JSON file, gzipped or plain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from byteloom.cli.printing.report import Report
from byteloom.errors import ByteloomError
from byteloom.iceberg.metadata import TableMetadata
from byteloom.moments import text_of
from byteloom.storage.sources import read_whole
from byteloom.verification.formats import TABLE_METADATA
from byteloom.wire import Node

if TYPE_CHECKING:
    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.sort_order import SortOrder
    from byteloom.storage import Source
    from byteloom.wire.nodes import Folding

__all__ = ["explain", "summary_of"]

_SNAPSHOTS = 100
_UNCHECKED = "the files that this one names; `byteloom verify` reads all of them"


def explain(source: Source, *, folding: Folding) -> Report:
    """Return the report of a table's metadata file."""
    root = Node(name="", start=0, end=source.size)
    name, title = TABLE_METADATA.name, TABLE_METADATA.title
    report = Report(source=source, format=name, title=title, root=root, unchecked=_UNCHECKED)
    try:
        metadata = TableMetadata.from_bytes(read_whole(source))
        _fill(report, metadata, folding=folding)
    except ByteloomError as error:
        report.error = error
    return report


def _fill(report: Report, metadata: TableMetadata, *, folding: Folding) -> None:
    """Add what is found."""
    facts = summary_of(metadata)
    report.properties = facts.pop("properties")
    report.tables["refs"] = facts.pop("refs")
    report.facts = facts
    snapshots = list(metadata.snapshots.values())
    shown = snapshots if folding.full else snapshots[-_SNAPSHOTS:]
    report.tables["snapshots"] = [_snapshot(each) for each in shown]


def summary_of(metadata: TableMetadata) -> dict[str, Any]:
    """Return a summary of table metadata, as JSON values."""
    document, schema = metadata.document, metadata.schema()
    current = metadata.snapshot()
    return {
        "format_version": metadata.format_version,
        "table_uuid": str(document.table_uuid) if document.table_uuid else None,
        "location": metadata.location,
        "last_updated": text_of(document.last_updated_ms),
        "schema": _columns(schema),
        "partitioned_by": _partitions(metadata.spec(), schema),
        "sorted_by": _order(metadata.sort_orders[metadata.default_sort_order_id], schema),
        "current_snapshot": None
        if current is None
        else {
            "snapshot_id": current.snapshot_id,
            "committed_at": text_of(current.timestamp_ms),
            **current.summary,
        },
        "snapshots": len(metadata.snapshots),
        "refs": [
            {"name": name, "type": ref.type, "snapshot_id": ref.snapshot_id}
            for name, ref in metadata.refs.items()
        ],
        "statistics": [each.statistics_path for each in document.statistics],
        "properties": dict(metadata.properties),
    }


def _snapshot(snapshot: Any) -> dict[str, Any]:
    """One snapshot as a row."""
    facts = {
        "snapshot_id": snapshot.snapshot_id,
        "parent_id": snapshot.parent_snapshot_id,
        "sequence_number": snapshot.sequence_number,
        "committed_at": text_of(snapshot.timestamp_ms),
        "manifest_list": snapshot.manifest_list,
        "schema_id": snapshot.schema_id,
        "first_row_id": snapshot.first_row_id,
        "summary": dict(snapshot.summary),
    }
    return {key: each for key, each in facts.items() if each is not None}


def _columns(schema: Schema) -> list[str]:
    """The columns as text; identifiers are marked."""
    marks = set(schema.identifier_field_ids)
    return [f"{each}{' (identifier)' if each.id in marks else ''}" for each in schema.fields]


def _partitions(spec: PartitionSpec, schema: Schema) -> list[str]:
    """The partition fields."""
    return [f"{each.name}: {each.transform} of {_sources(each, schema)}" for each in spec.fields]


def _order(order: SortOrder, schema: Schema) -> list[str]:
    """The keys of the order."""
    return [
        f"{each.transform} of {_sources(each, schema)} {each.direction} {each.null_order}"
        for each in order.fields
    ]


def _sources(field: Any, schema: Schema) -> str:
    """The names of source columns; for columns that were dropped, the ids."""
    return ", ".join(
        schema.name(each) if schema.find(each) else f"column {each}" for each in field.source_ids
    )
