"""``byteloom table info``: a summary of a table, in a few lines or as one JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom.cli.inputs.tables import Place, TableAccess, table_access
from byteloom.cli.options.documents import Document, document, print_document
from byteloom.cli.printing.aligned import show_facts
from byteloom.redaction import without_secrets

if TYPE_CHECKING:
    from byteloom.iceberg.metadata import TableMetadata

__all__ = ["info"]

_ABSENT: Final = {"partitioned_by": "unpartitioned", "sorted_by": "unsorted"}
"""The text for an absent value."""


@document
@table_access
def info(table: Place, *, access: TableAccess, form: Document) -> None:
    """Summarize a table: version, schema, partitioning, current snapshot, refs, properties."""
    from byteloom.cli.formats.iceberg_metadata import summary_of  # late: help needs no table

    found = access.open(table)
    facts = {"metadata_file": found.metadata_location, **summary_of(found.metadata)}
    if form is not Document.TEXT:
        facts |= _documents(found.metadata)
        print_document(without_secrets(facts), form)
        return
    facts = without_secrets(facts)
    absent = {key: [_ABSENT.get(key, "none")] for key in facts}
    show_facts({key: list(map(_line, _lines(facts[key]))) or absent[key] for key in facts})


def _documents(metadata: TableMetadata) -> dict[str, Any]:
    """Return schema, partition spec and sort order as Iceberg's metadata has them."""
    return {
        "schema": metadata.schema().to_json(),
        "partitioned_by": metadata.spec().to_json(),
        "sorted_by": metadata.sort_orders[metadata.default_sort_order_id].to_json(),
    }


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
