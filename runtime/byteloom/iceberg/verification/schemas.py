"""Check schemas, partition specs and sort orders against the format's version.

Source: Iceberg table spec, "Schemas and Data Types", "Partitioning" and "Sorting".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError
from byteloom.iceberg.evolution.schema_rules import can_promote, check_identifiers
from byteloom.iceberg.partition_spec import FIRST_PARTITION_FIELD_ID
from byteloom.iceberg.schema import LAST_USER_FIELD_ID
from byteloom.iceberg.transforms import Void
from byteloom.iceberg.types import DecimalType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.iceberg.metadata import TableMetadata
    from byteloom.iceberg.partition_spec import PartitionField
    from byteloom.iceberg.schema import Schema

__all__ = ["check_schemas"]

_DEFAULTS_SINCE: Final = 3
_UNIQUE_SINCE: Final = 2
_SEVERAL_SOURCES_SINCE: Final = 3


def check_schemas(metadata: TableMetadata) -> Iterator[FormatError]:
    """Yield what is wrong with schemas, specs and orders."""
    highest = 0
    for schema in metadata.schemas.values():
        highest = max(highest, schema.highest_field_id)
        yield from _schema(schema, metadata.format_version)
    last = metadata.document.last_column_id
    if last < highest:
        yield FormatError("last-column-id", None, str(last), f"{highest} or more, an id in use")
    yield from _promotions(metadata)
    yield from _specs(metadata)
    yield from _orders(metadata)


def _promotions(metadata: TableMetadata) -> Iterator[FormatError]:
    """Yield decimals that have fewer digits than in the schema of the snapshot before.

    Columns of other types are compared with the files of each snapshot.
    """
    changes = set[tuple[int, int]]()
    for each in metadata.snapshots.values():
        before = metadata.snapshots.get(each.parent_snapshot_id or -1)
        if before is not None and before.schema_id is not None and each.schema_id is not None:
            changes.add((before.schema_id, each.schema_id))
    for old_id, new_id in sorted(changes):
        old, new = metadata.schemas.get(old_id), metadata.schemas.get(new_id)
        if old is None or new is None:
            continue
        for field_id in old.field_by_id.keys() & new.field_by_id.keys():
            before_type, type_ = old.field_by_id[field_id].type, new.field_by_id[field_id].type
            if not isinstance(before_type, DecimalType) or not isinstance(type_, DecimalType):
                continue
            if not can_promote(before_type, type_, version=metadata.format_version):
                path = f"schemas[{old_id}].{old.name(field_id)}"
                wanted = f"one that may become {type_}, as in schema {new_id} of a later snapshot"
                yield FormatError(path, None, f"type {before_type}", wanted)


def _schema(schema: Schema, version: int) -> Iterator[FormatError]:
    """Yield what is wrong with one schema."""
    where = f"schemas[{schema.schema_id}]"
    for each in schema.field_by_id.values():
        name = f"{where}.{schema.name(each.id)}"
        if each.type.since > version:
            wanted = f"a type of version {version}: {each.type.kind} came with {each.type.since}"
            yield FormatError(name, None, f"type {each.type}", wanted)
        if version < _DEFAULTS_SINCE and each.initial_default is not None:
            yield FormatError(name, None, "an initial default", f"none in version {version}")
        if each.id < 1:
            wanted = "1 or more, since files number their columns from 1 on"
            yield FormatError(name, None, f"id {each.id}", wanted)
        if each.id > LAST_USER_FIELD_ID:
            wanted = f"at most {LAST_USER_FIELD_ID}; ids above are reserved"
            yield FormatError(name, None, f"id {each.id}", wanted)
    try:
        check_identifiers(schema, schema.identifier_field_ids)
    except FormatError as error:
        yield error.inside(f"{where}.identifier-field-ids")


def _specs(metadata: TableMetadata) -> Iterator[FormatError]:
    """Yield what is wrong with partition specs."""
    known: dict[int, PartitionField] = {}
    for spec in metadata.partition_specs.values():
        for field in spec.fields:
            where = f"partition-specs[{spec.spec_id}].{field.name}"
            yield from _field(metadata, field, where)
            other = known.setdefault(field.field_id, field)
            if metadata.format_version >= _UNIQUE_SINCE and not _equal(other, field):
                found = f"id {field.field_id} for {field.transform} of {field.source_ids}"
                wanted = f"an id of its own, not that of {other.transform} of {other.source_ids}"
                yield FormatError(where, None, found, wanted)
    last, highest = metadata.document.last_partition_id, max(known, default=0)
    if last is not None and last < highest:
        yield FormatError("last-partition-id", None, str(last), f"{highest} or more, an id in use")


def _field(metadata: TableMetadata, field: PartitionField, where: str) -> Iterator[FormatError]:
    """Yield what is wrong with one partition field."""
    if field.field_id < FIRST_PARTITION_FIELD_ID:
        wanted = f"{FIRST_PARTITION_FIELD_ID} or more"
        yield FormatError(f"{where}.field-id", None, str(field.field_id), wanted)
    if len(field.source_ids) > 1 and metadata.format_version < _SEVERAL_SOURCES_SINCE:
        yield FormatError(f"{where}.source-ids", None, str(field.source_ids), "one column")
    types = [
        found.type
        for schema in metadata.schemas.values()
        if (found := schema.find(field.source_id)) is not None
    ]
    if not types and not isinstance(field.transform, Void):
        missing = f"source column {field.source_id}"
        yield FormatError(where, None, missing, "a column of one of the schemas")
    elif types and not any(field.transform.can_transform(each) for each in types):
        yield FormatError(
            where, None, f"{field.transform} of {types[-1]}", "a type it is defined for"
        )


def _equal(one: PartitionField, other: PartitionField) -> bool:
    """Return whether two fields may share an id: equal ones, and ones that became void."""
    if isinstance(one.transform, Void) or isinstance(other.transform, Void):
        return one.source_ids == other.source_ids
    return (one.source_ids, one.transform) == (other.source_ids, other.transform)


def _orders(metadata: TableMetadata) -> Iterator[FormatError]:
    """Yield what is wrong with sort orders."""
    for order in metadata.sort_orders.values():
        where = f"sort-orders[{order.order_id}]"
        if order.is_unsorted != (order.order_id == 0):
            yield FormatError(
                where,
                None,
                f"{len(order.fields)} keys",
                "keys in every order but order 0, which has none",
            )
        is_default = order.order_id == metadata.default_sort_order_id
        for number, key in enumerate(order.fields):
            gone = [each for each in key.source_ids if metadata.schema().find(each) is None]
            if is_default and gone:
                found = f"source column {gone[0]}"
                yield FormatError(f"{where}[{number}]", None, found, "a column of the schema")
