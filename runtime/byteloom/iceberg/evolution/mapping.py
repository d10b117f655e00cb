"""Update a name mapping for a changed schema.

The rules:

- A renamed field keeps its old names and gets the new one too; a dropped field stays.
- A name belongs to one field: a new field takes it from the field that had it before.

Source: Iceberg table spec, "Column Projection"; Java's ``MappingUtil.update``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from byteloom.iceberg.name_mapping import MappedField, NameMapping
from byteloom.iceberg.types import NestedType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom.iceberg.types import NestedField

__all__ = ["following"]


def following(mapping: NameMapping, fields: Iterable[NestedField]) -> NameMapping:
    """Return *mapping* with the current names of *fields*, which are those of a new schema."""
    now = {each.id: each for each in fields}
    taken = {each.name: each.id for each in now.values()}
    kept = [_following(each, now, taken) for each in mapping.fields]
    known = {each.field_id for each in mapping.fields}
    new = (_mapped(each) for each in now.values() if each.id not in known)
    return NameMapping((*kept, *new))


def _following(
    mapped: MappedField, now: dict[int, NestedField], taken: dict[str, int]
) -> MappedField:
    """Return a mapped field with its current name, and without names that other fields took."""
    names = [name for name in mapped.names if taken.get(name, mapped.field_id) == mapped.field_id]
    field = None if mapped.field_id is None else now.get(mapped.field_id)
    if field is None:
        return replace(mapped, names=tuple(names))
    if field.name not in names:
        names.append(field.name)
    return replace(mapped, names=tuple(names), fields=_inside(mapped.fields, field))


def _mapped(field: NestedField) -> MappedField:
    """Return the mapped field of a new field."""
    return MappedField((field.name,), field.id, _inside(None, field))


def _inside(mapping: NameMapping | None, field: NestedField) -> NameMapping | None:
    """Return the mapping of the fields inside a field."""
    if not isinstance(field.type, NestedType):
        return mapping
    return following(mapping or NameMapping(()), field.type.fields)
