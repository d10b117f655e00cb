"""``byteloom table info``: a summary of a table, in a few lines or as one JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import typer

from byteloom.cli.documents import Document, document, print_document
from byteloom.cli.table_options import Allow, Place, Relocate, opened
from byteloom.redaction import without_secrets

if TYPE_CHECKING:
    from byteloom.iceberg.metadata import TableMetadata
    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.sort_order import SortOrder

__all__ = ["describe", "info"]

_ABSENT: Final = {"partitioned_by": "unpartitioned", "sorted_by": "unsorted"}
"""The text for an absent value."""


@document
def info(table: Place, relocate: Relocate = None, allow: Allow = None, *, form: Document) -> None:
    """Summarize a table: version, schema, partitioning, current snapshot, refs, properties."""
    found = opened(table, relocate, allow=allow)
    facts = {"metadata_file": found.metadata_location, **describe(found.metadata)}
    if form is not Document.TEXT:
        facts |= _documents(found.metadata)
        print_document(without_secrets(facts), form)
        return
    facts = without_secrets(facts)
    width = max(map(len, facts))
    for key, value in facts.items():
        for number, line in enumerate(_lines(value) or [_ABSENT.get(key, "none")]):
            typer.echo(
                f"{key.replace('_', ' ') if not number else '':<{width}}  {_line(line)}".rstrip()
            )


def describe(metadata: TableMetadata) -> dict[str, Any]:
    """Return a summary of table metadata, as JSON values."""
    from byteloom.moments import text_of

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


def _documents(metadata: TableMetadata) -> dict[str, Any]:
    """Return schema, partition spec and sort order as Iceberg's metadata has them."""
    return {
        "schema": metadata.schema().to_json(),
        "partitioned_by": metadata.spec().to_json(),
        "sorted_by": metadata.sort_orders[metadata.default_sort_order_id].to_json(),
    }


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


def _lines(value: Any) -> list[Any]:
    """What is shown below each other: elements of a list, keys of an object."""
    if isinstance(value, dict):
        return [f"{key} {each}" for key, each in value.items()]
    return value if isinstance(value, list) else [value]


def _line(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {each}" for key, each in value.items())
    return "none" if value is None else str(value)
