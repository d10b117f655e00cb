"""Rebuild a schema with its changes.

Source: Iceberg table spec, "Schema Evolution".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from byteloom.iceberg.evolution.moves import Move, moved
from byteloom.iceberg.types import ListType, MapType, StructType

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.types import NestedField, Type

__all__ = ["rebuilt"]

_ROOT = -1


def rebuilt(
    schema: Schema,
    added: Mapping[int, list[NestedField]],
    changed: Mapping[int, NestedField],
    dropped: Collection[int],
    moves: Mapping[int, list[Move]],
) -> tuple[NestedField, ...]:
    """Return the columns after all changes.

    Args:
        schema: The schema before.
        added: New fields by the id of the struct around them, -1 for the schema itself.
        changed: The changed fields by id; their nested types are the original ones.
        dropped: Ids of the fields that are left out.
        moves: By the id of the struct around them, -1 for the schema itself.

    Raises:
        FormatError: Two fields with the same name.
    """
    changes = _Changes(added, changed, dropped, moves)
    # Made a struct type, since that refuses two fields with the same name.
    return StructType(changes.fields(_ROOT, schema.fields)).fields


@dataclass(frozen=True, slots=True)
class _Changes:
    """The changes that `rebuilt` was given."""

    added: Mapping[int, list[NestedField]]
    changed: Mapping[int, NestedField]
    dropped: Collection[int]
    moves: Mapping[int, list[Move]]

    def fields(self, around: int, fields: tuple[NestedField, ...]) -> tuple[NestedField, ...]:
        """Return the fields of one struct after the changes."""
        kept = [each for each in fields if each.id not in self.dropped]
        made = [self._field(each) for each in (*kept, *self.added.get(around, ()))]
        return tuple(moved(made, self.moves.get(around, ())))

    def _field(self, old: NestedField) -> NestedField:
        """Return a field after the changes to it and inside it."""
        now = self.changed.get(old.id, old)
        return replace(now, type=self._type(old.id, now.type))

    def _type(self, holder: int, of: Type) -> Type:
        """Return a type after the changes inside it."""
        if isinstance(of, StructType):
            return StructType(self.fields(holder, of.fields), of.extra)
        if isinstance(of, ListType):
            (element,) = (self._field(each) for each in of.fields)
            return replace(of, element=element.type, element_required=element.required)
        if isinstance(of, MapType):
            key, value = (self._field(each) for each in of.fields)
            return replace(of, key=key.type, value=value.type, value_required=value.required)
        return of
