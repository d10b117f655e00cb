"""Table metadata with another current schema, default partition spec or default sort order.

Source: Iceberg table spec, "Table Metadata" and "Sorting"; Java's ``BaseReplaceSortOrder``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from byteloom.errors import FormatError
from byteloom.iceberg.metadata import TableMetadata
from byteloom.iceberg.name_mapping import NAME_MAPPING_PROPERTY, NameMapping, following
from byteloom.iceberg.sort_order import SortField, SortOrder
from byteloom.iceberg.transforms import UnknownTransform, parse_transform

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from byteloom.iceberg.evolution.partition_update import PartitionUpdate
    from byteloom.iceberg.evolution.schema_update import SchemaUpdate
    from byteloom.iceberg.schema import Schema


__all__ = ["SortKey", "sort_order", "with_order", "with_schema", "with_spec"]


def with_schema(metadata: TableMetadata, update: SchemaUpdate) -> TableMetadata:
    """Return *metadata* with the schema that *update* makes, or an equal one that it already has.

    A name mapping among the table's properties is updated to match.
    """
    made = update.apply(max(metadata.schemas) + 1)
    same = [
        each.schema_id
        for each in metadata.schemas.values()
        if (each.fields, set(each.identifier_field_ids))
        == (made.fields, set(made.identifier_field_ids))
    ]
    document = metadata.to_json()
    document["schemas"] = [each.to_json() for each in metadata.schemas.values()]
    if not same:
        document["schemas"].append(made.to_json())
    document["current-schema-id"] = same[0] if same else made.schema_id
    document["last-column-id"] = update.last_column_id
    _follow(document, made)
    if metadata.format_version == 1:
        document["schema"] = _of(document["schemas"], "schema-id", document["current-schema-id"])
    return TableMetadata.from_json(document)


def with_spec(metadata: TableMetadata, update: PartitionUpdate) -> TableMetadata:
    """Return *metadata* with the spec that *update* makes as the default one."""
    made = update.apply()
    document = metadata.to_json()
    specs = {**metadata.partition_specs, made.spec_id: made}
    document["partition-specs"] = [each.to_json() for each in specs.values()]
    document["default-spec-id"] = made.spec_id
    document["last-partition-id"] = update.last_partition_id
    if metadata.format_version == 1:
        document["partition-spec"] = made.to_json()["fields"]
    return TableMetadata.from_json(document)


def with_order(metadata: TableMetadata, order: SortOrder) -> TableMetadata:
    """Return *metadata* with *order* as the default one."""
    document = metadata.to_json()
    orders = {**metadata.sort_orders, order.order_id: order}
    document["sort-orders"] = [each.to_json() for each in orders.values()]
    document["default-sort-order-id"] = order.order_id
    return TableMetadata.from_json(document)


def _follow(document: dict[str, Any], schema: Schema) -> None:
    """Update the name mapping, if there is one."""
    properties = document.get("properties", {})
    if NAME_MAPPING_PROPERTY in properties:
        mapping = NameMapping.parse(properties[NAME_MAPPING_PROPERTY])
        made = json.dumps(following(mapping, schema.fields).to_json(), ensure_ascii=False)
        document["properties"] = {**properties, NAME_MAPPING_PROPERTY: made}


def _of(documents: list[dict[str, Any]], key: str, wanted: int) -> dict[str, Any]:
    """Return the document with the id *wanted*."""
    return next(each for each in documents if each[key] == wanted)


@dataclass(frozen=True, slots=True)
class SortKey:
    """One key of an order, by the name of its column.

    Attributes:
        nulls_first: By default, only for ascending keys.
    """

    column: str
    transform: str = "identity"
    descending: bool = False
    nulls_first: bool | None = None


def sort_order(
    keys: Iterable[SortKey], schema: Schema, known: Mapping[int, SortOrder]
) -> SortOrder:
    """Return the order of *keys*: one of *known* if there is an equal one, else with a new id.

    Args:
        keys: What rows are sorted by, the first one first; empty for unsorted, which is order 0.
        schema: The table's schema.
        known: The table's sort orders by id.

    Returns:
        The order.

    Raises:
        FormatError: A column that does not exist, or to which the transform cannot be applied.
    """
    fields = tuple(_sort_field(each, schema) for each in keys)
    if not fields:
        return known.get(0, SortOrder())
    for each in known.values():
        if each.fields == fields:
            return each
    return SortOrder(fields, max(max(known, default=0), 0) + 1)


def _sort_field(key: SortKey, schema: Schema) -> SortField:
    """Return the sort field of one key."""
    found = schema.find(key.column)
    if found is None:
        raise FormatError(key.column, None, "no such column", "a column of the schema")
    transform = parse_transform(key.transform)
    if isinstance(transform, UnknownTransform):
        raise FormatError(key.column, None, repr(key.transform), "a transform of the spec")
    if not found.type.is_primitive or not transform.can_transform(found.type):
        made = f"{transform} of {found.type}"
        raise FormatError(key.column, None, made, "a type it is defined for")
    if schema.is_in_repeated(found.id):
        raise FormatError(
            key.column, None, "a field in a list or map", "a field with one value per row"
        )
    nulls_first = not key.descending if key.nulls_first is None else key.nulls_first
    return SortField(
        (found.id,),
        transform,
        "desc" if key.descending else "asc",
        "nulls-first" if nulls_first else "nulls-last",
    )
