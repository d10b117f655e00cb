"""The first metadata of a new table: its schema, partition spec and sort order.

Source: Iceberg table spec, "Table Metadata Fields".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import pyarrow as pa

from byteloom.errors import ArgumentError
from byteloom.iceberg.commits.applying import now
from byteloom.iceberg.commits.references import check_properties
from byteloom.iceberg.evolution import PartitionUpdate, sort_order
from byteloom.iceberg.evolution.schema_rules import check_type
from byteloom.iceberg.evolution.terms import sort_key_of, term_of
from byteloom.iceberg.from_arrow import schema_of
from byteloom.iceberg.metadata import TableMetadata
from byteloom.iceberg.partition_spec import FIRST_PARTITION_FIELD_ID, PartitionSpec
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.writing.locations import check_place

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["new_metadata"]

_VERSIONS: Final = (1, 2, 3)


def new_metadata(  # noqa: PLR0913  all that a table begins with
    location: str,
    schema: Schema | pa.Schema,
    *,
    partition_by: Iterable[str],
    sort_by: Iterable[str],
    format_version: int,
    properties: Mapping[str, str],
) -> TableMetadata:
    """Return the metadata of a table without snapshots.

    Args:
        location: Where the table is; empty if the catalog is to say it.
        schema: Its columns; Iceberg's schema keeps its ids, Arrow's gets new ones.
        partition_by: The text of each partition field.
        sort_by: The text of each sort key.
        format_version: 1, 2 or 3.
        properties: The table's properties.

    Raises:
        ArgumentError: A version, a text or a property that does not exist.
        FormatError: A column that the schema lacks, or a type that the version lacks.
        Unsupported: A type of Arrow that Iceberg does not have.
    """
    if format_version not in _VERSIONS:
        raise ArgumentError("format_version", None, repr(format_version), "1, 2 or 3")
    check_place("place", location)
    check_properties(properties)
    if not isinstance(schema, Schema | pa.Schema):
        raise ArgumentError("schema", None, repr(schema), "a schema of Arrow or of Iceberg")
    columns = schema if isinstance(schema, Schema) else schema_of(schema)
    for each in columns.fields:
        check_type(each.name, each.type, format_version)
    update = PartitionUpdate(columns, {0: PartitionSpec()}, version=format_version)
    for text in partition_by:
        column, transform = term_of(text, "partition_by")
        update.add(column, transform)
    spec = update.apply()
    order = sort_order([sort_key_of(each) for each in sort_by], columns, {})
    made = columns.to_json() | {"schema-id": 0}
    fields = PartitionSpec(spec.fields, 0)
    document: dict[str, Any] = {
        "format-version": format_version,
        "table-uuid": str(uuid4()),
        "location": location,
        "last-updated-ms": now(),
        "last-column-id": columns.highest_field_id,
        "schemas": [made],
        "current-schema-id": 0,
        "partition-specs": [fields.to_json()],
        "default-spec-id": 0,
        "last-partition-id": update.last_partition_id or FIRST_PARTITION_FIELD_ID - 1,
        "sort-orders": [order.to_json()],
        "default-sort-order-id": order.order_id,
        "properties": dict(properties),
    }
    if format_version == 1:
        document |= {"schema": made, "partition-spec": fields.to_json()["fields"]}
    else:
        document["last-sequence-number"] = 0
    if format_version >= _VERSIONS[-1]:
        document["next-row-id"] = 0
    return TableMetadata.from_json(document)
