"""Which columns a scan returns, and which it must read for them.

The rules:

- A name selects a column, or a field of a struct; fields of one column stay together, at the
  place of the first.
- The names of the spec's metadata columns (``_file``, ``_pos``, ...) can be selected as well.

Source: Iceberg table spec, "Column Projection" and "Reserved Field IDs".
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from byteloom.errors import ArgumentError
from byteloom.iceberg.expressions.binding import wanted_column
from byteloom.iceberg.reserved_fields import CHANGELOG_COLUMNS, METADATA_COLUMNS
from byteloom.iceberg.types import ListType, MapType, NestedField, StructType

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from byteloom.iceberg.metadata import TableMetadata
    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.types import Type

__all__ = ["optional", "pruned", "selected"]

_COLUMNS: Final = METADATA_COLUMNS | CHANGELOG_COLUMNS
_PARTITION: Final = "_partition"


def selected(
    schema: Schema,
    names: Sequence[str] | None,
    metadata: TableMetadata,
    *,
    case_sensitive: bool = True,
    changes: bool = False,
) -> list[NestedField]:
    """Return the fields with these names, in their order; all columns of the schema for None.

    Args:
        metadata: The table's partition specs, for ``_partition``, and its other schemas, in which a
            column may have had another name.
        changes: Whether the rows are those of a changelog, which has three more columns.

    Raises:
        FormatError: A name that neither the schema nor the spec has.
    """
    of_changes = CHANGELOG_COLUMNS if changes else {}
    if names is None:
        return [*schema.fields, *of_changes.values()]
    asked: dict[int, set[int]] = {}
    made: dict[int, NestedField] = {}
    for name in names:
        found = schema.find(name, case_sensitive=case_sensitive)
        if found is not None:
            root = (*schema.parents(found.id), found.id)[0]
            asked.setdefault(root, set()).add(found.id)
        elif name in METADATA_COLUMNS or name in of_changes:
            field = _metadata_field(name, metadata.partition_specs, schema)
            asked.setdefault(field.id, set()).add(field.id)
            made[field.id] = field
        else:
            wanted = wanted_column(name, schema, metadata.schemas.values())
            raise ArgumentError("columns", None, repr(name), wanted)
    roots = ((made.get(root) or schema.find(root), ids) for root, ids in asked.items())
    return [pruned([root], ids)[0] for root, ids in roots if root is not None]


def _metadata_field(name: str, specs: Mapping[int, PartitionSpec], schema: Schema) -> NestedField:
    """Return the column of that name."""
    field = _COLUMNS[name]
    if name == _PARTITION:
        return replace(field, type=_unified_partition(specs, schema))
    return field


def _unified_partition(specs: Mapping[int, PartitionSpec], schema: Schema) -> StructType:
    """Return the struct of the partition fields of all specs, by id, with their newest names."""
    found: dict[int, NestedField] = {}
    for spec_id in sorted(specs):
        for each in specs[spec_id].partition_type(schema).fields:
            found[each.id] = each
    names: dict[str, NestedField] = {}
    for number in sorted(found, reverse=True):
        names.setdefault(found[number].name, found[number])
    return StructType(tuple(sorted(names.values(), key=lambda each: each.id)))


def pruned(fields: Iterable[NestedField], ids: Collection[int]) -> list[NestedField]:
    """Return the fields with these ids, inside what is left of the fields around them."""
    kept = []
    for each in fields:
        of = each.type if each.id in ids else _pruned_type(each.type, ids)
        if of is not None:
            kept.append(replace(each, type=of))
    return kept


def _pruned_type(of: Type, ids: Collection[int]) -> Type | None:
    """Return a type with only the wanted inner fields; None if nothing is left."""
    if isinstance(of, StructType):
        inner = pruned(of.fields, ids)
        return StructType(tuple(inner)) if inner else None
    if isinstance(of, ListType):
        element = of.element if of.element_id in ids else _pruned_type(of.element, ids)
        return None if element is None else replace(of, element=element)
    if isinstance(of, MapType):
        value = of.value if of.value_id in ids else _pruned_type(of.value, ids)
        if value is None and of.key_id not in ids and _pruned_type(of.key, ids) is None:
            return None
        return replace(of, value=of.value if value is None else value)
    return None


def optional(field: NestedField) -> NestedField:
    """Return a field as optional, as are the fields in its structs: a file may lack it."""
    of = field.type
    if isinstance(of, StructType):
        of = StructType(tuple(map(optional, of.fields)))
    return replace(field, type=of, required=False)
