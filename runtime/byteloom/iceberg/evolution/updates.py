"""Evolution as updates: what a catalog is asked to add and to make current, or metadata after that.

The rules:

- What the table has already is not added again, and what is current already is not set.
- A name mapping among the table's properties follows the schema.
- A version is only raised. Snapshots without a manifest list, of version 1, are refused then.

Source: Iceberg table spec, "Table Metadata" and "Appendix E"; the REST catalog spec.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from byteloom.errors import ArgumentError, Unsupported
from byteloom.iceberg.metadata.updating import LAST_ADDED, updated
from byteloom.iceberg.name_mapping import NAME_MAPPING_PROPERTY, NameMapping, following
from byteloom_generated.iceberg.table_updates import (
    AddPartitionSpec,
    AddSchema,
    AddSortOrder,
    AssignUuid,
    SetCurrentSchema,
    SetDefaultSortOrder,
    SetDefaultSpec,
    SetProperties,
    UpgradeFormatVersion,
)

if TYPE_CHECKING:
    from byteloom.documents.json_record import JsonRecord
    from byteloom.iceberg.evolution.partition_update import PartitionUpdate
    from byteloom.iceberg.evolution.schema_update import SchemaUpdate
    from byteloom.iceberg.metadata import TableMetadata
    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.sort_order import SortOrder

__all__ = [
    "order_updates",
    "schema_after",
    "schema_updates",
    "spec_updates",
    "upgrade_updates",
    "with_order",
    "with_schema",
    "with_spec",
]

_NEWEST: Final = 3
"""The last version that is written."""


def schema_after(metadata: TableMetadata, update: SchemaUpdate) -> Schema:
    """Return the schema that *update* makes: an equal one of the table, else one with a new id."""
    made = update.apply(max(metadata.schemas) + 1)
    equal = (each for each in metadata.schemas.values() if _content(each) == _content(made))
    return next(equal, made)


def _content(schema: Schema) -> tuple[Any, set[int]]:
    """Return what makes two schemas equal."""
    return schema.fields, set(schema.identifier_field_ids)


def schema_updates(metadata: TableMetadata, made: Schema) -> list[JsonRecord]:
    """Return the updates that make a schema the current one."""
    if made.schema_id == metadata.current_schema_id:
        return []
    mapped = _mapping(metadata, made)
    if made.schema_id in metadata.schemas:
        return [SetCurrentSchema(schema_id=made.schema_id), *mapped]
    added = AddSchema(schema=made.to_json())
    return [added, SetCurrentSchema(schema_id=LAST_ADDED), *mapped]


def _mapping(metadata: TableMetadata, schema: Schema) -> list[JsonRecord]:
    """Return the update of the name mapping, if there is one."""
    if NAME_MAPPING_PROPERTY not in metadata.properties:
        return []
    mapping = NameMapping.parse(metadata.properties[NAME_MAPPING_PROPERTY])
    made = json.dumps(following(mapping, schema.fields).to_json(), ensure_ascii=False)
    return [SetProperties(updates={NAME_MAPPING_PROPERTY: made})]


def spec_updates(metadata: TableMetadata, made: PartitionSpec) -> list[JsonRecord]:
    """Return the updates that make a partition spec the default one."""
    if made.spec_id == metadata.default_spec_id:
        return []
    if made.spec_id in metadata.partition_specs:
        return [SetDefaultSpec(spec_id=made.spec_id)]
    return [AddPartitionSpec(spec=made.to_json()), SetDefaultSpec(spec_id=LAST_ADDED)]


def order_updates(metadata: TableMetadata, made: SortOrder) -> list[JsonRecord]:
    """Return the updates that make a sort order the default one."""
    if made.order_id == metadata.default_sort_order_id:
        return []
    if made.order_id in metadata.sort_orders:
        return [SetDefaultSortOrder(sort_order_id=made.order_id)]
    added = AddSortOrder(sort_order=made.to_json())
    return [added, SetDefaultSortOrder(sort_order_id=LAST_ADDED)]


def upgrade_updates(metadata: TableMetadata, version: int) -> list[JsonRecord]:
    """Return the updates that raise the version of the format.

    Raises:
        ArgumentError: A lower version, or one that does not exist.
        Unsupported: A snapshot without a manifest list.
    """
    old = metadata.format_version
    if isinstance(version, bool) or version not in range(old, _NEWEST + 1):
        known = " or ".join(map(str, range(old, _NEWEST + 1)))
        raise ArgumentError("format_version", None, repr(version), f"{known}: versions only rise")
    if version == old:
        return []
    for each in metadata.snapshots.values():
        if each.manifest_list is None:
            found = f"snapshot {each.snapshot_id} without a manifest list"
            raise Unsupported("snapshots", None, found, "a list, which later versions need")
    lacks_uuid = metadata.document.table_uuid is None
    made: list[JsonRecord] = [AssignUuid(uuid=uuid4())] if lacks_uuid else []
    return [*made, UpgradeFormatVersion(format_version=version)]


def with_schema(metadata: TableMetadata, update: SchemaUpdate) -> TableMetadata:
    """Return *metadata* with the schema that *update* makes, or an equal one that it already has.

    A name mapping among the table's properties is updated to match.
    """
    return updated(metadata, schema_updates(metadata, schema_after(metadata, update)))


def with_spec(metadata: TableMetadata, update: PartitionUpdate) -> TableMetadata:
    """Return *metadata* with the spec that *update* makes as the default one."""
    return updated(metadata, spec_updates(metadata, update.apply()))


def with_order(metadata: TableMetadata, order: SortOrder) -> TableMetadata:
    """Return *metadata* with *order* as the default one."""
    return updated(metadata, order_updates(metadata, order))
