"""Writes and reads with whatever generated package is first on the path; prints what it read.

Run as ``python -m tests.support.iceberg_new_fields`` by a test that has added fields to the tables
and regenerated: nothing here, and nothing in the runtime, knows their names.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from byteloom.errors import FormatError
from byteloom.iceberg.manifests.entries import ALL_COLUMNS, read_entries
from byteloom.iceberg.manifests.manifest_list import read_manifest_list
from byteloom.iceberg.manifests.writing import write_manifest, write_manifest_list
from byteloom.iceberg.metadata.table_metadata import TableMetadata
from byteloom.iceberg.partition_spec import PartitionSpec
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.sort_order import SortOrder

__all__: list[str] = []


def entries(rows: list[dict[str, Any]], listed: dict[str, Any], schema: Any) -> dict[str, Any]:
    """The entries and the list that are read of a manifest and its list, both written here."""
    of, spec = Schema.from_json(schema), PartitionSpec()
    data = write_manifest(rows, version=3, schema=of, spec=spec)
    row = {**listed, "manifest_length": len(data)}
    manifests = read_manifest_list(write_manifest_list([row], version=3))
    read = read_entries(manifests, lambda _: data, {0: spec}, of, columns=ALL_COLUMNS)
    return {"entries": read.table().to_pylist(), "list": manifests.table.to_pylist()}


def refused(rows: list[dict[str, Any]], schema: Any) -> str:
    """The error that the writer raises on rows, as text; empty where it writes them."""
    try:
        write_manifest(rows, version=3, schema=Schema.from_json(schema), spec=PartitionSpec())
    except FormatError as error:
        return str(error)
    return ""


def metadata(document: dict[str, Any], attributes: list[str]) -> dict[str, Any]:
    """Attributes of table metadata that was read, and the document written again."""
    try:
        made = TableMetadata.from_json(document)
    except FormatError as error:
        return {"error": str(error)}
    record: Any = made.document
    return {
        "attributes": {name: repr(getattr(record, name)) for name in attributes},
        "snapshot": repr(getattr(record.snapshots[0], "job_id", None)),
        "document": made.to_json(),
        "schema": made.schema().to_json(),
        "spec": made.spec().to_json(),
        "order": SortOrder.from_json(made.document.sort_orders[0]).to_json(),
    }


def _bytes(document: dict[str, Any]) -> Any:
    """Bytes, which JSON has not."""
    return bytes.fromhex(document["hex"]) if set(document) == {"hex"} else document


def main() -> None:
    """Read the questions from stdin, write the answers to stdout."""
    asked = json.load(sys.stdin, object_hook=_bytes)
    answers = {
        "manifest": entries(asked["rows"], asked["listed"], asked["schema"]),
        "refused": refused(asked["lacking"], asked["schema"]),
        "metadata": metadata(asked["metadata"], asked["attributes"]),
        "incomplete": metadata(asked["incomplete"], asked["attributes"]),
    }
    json.dump(answers, sys.stdout, default=lambda value: {"hex": value.hex()})


if __name__ == "__main__":
    main()
