"""A schema and the changes so far: which field a name refers to, what may change, and the result.

The rules:

- A name is that of a field of the original schema, or of a field added since.
- Fields may be reordered within a struct; moves follow one another.

Source: Iceberg table spec, "Schema Evolution"; Java's ``SchemaUpdate``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from byteloom.errors import FormatError
from byteloom.iceberg.types import ListType, MapType, NestedField, StructType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.types import Type


__all__ = ["ROOT", "Changes", "Move"]

ROOT = -1
"""The id of the schema itself, where the id of a struct is expected."""


@dataclass
class Changes:
    """Changes of *schema*; `byteloom.iceberg.evolution.SchemaUpdate` documents the attributes."""

    schema: Schema
    version: int = 2
    last_column_id: int | None = None
    specs: Iterable[PartitionSpec] = ()
    allow_incompatible: bool = False
    case_sensitive: bool = True
    _added: dict[int, list[NestedField]] = field(default_factory=dict, repr=False)
    _changed: dict[int, NestedField] = field(default_factory=dict, repr=False)
    _dropped: set[int] = field(default_factory=set, repr=False)
    _moves: dict[int, list[Move]] = field(default_factory=dict, repr=False)
    _identifiers: tuple[str, ...] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Continue after the highest known id."""
        self.last_column_id = max(self.last_column_id or 0, self.schema.highest_field_id)

    def _next_id(self) -> int:
        """Return an id that was never used."""
        self.last_column_id = (self.last_column_id or 0) + 1
        return self.last_column_id

    def _find(self, name: str) -> NestedField | None:
        """Return a field after the changes so far, by its original name or that of its addition."""
        found = self.schema.find(name, case_sensitive=self.case_sensitive)
        if found is not None and found.id not in self._dropped:
            return self._changed.get(found.id, found)
        head, _, last = name.rpartition(".")
        holder = self.schema.find(head, case_sensitive=self.case_sensitive) if head else None
        if head and holder is None:
            return None
        added = self._added.get(_content(holder) if holder else ROOT, ())
        named = [each for each in added if each.name == last]
        return self._changed.get(named[0].id, named[0]) if named else None

    def _known(self, name: str) -> NestedField:
        """Return a field of the original schema."""
        found = self.schema.find(name, case_sensitive=self.case_sensitive)
        if found is None:
            raise FormatError(name, None, "no such column", "a column of the schema")
        return found

    def _live(self, name: str) -> NestedField:
        """Return a field that is not dropped."""
        found = self._find(name)
        if found is None:
            was_dropped = self.schema.find(name, case_sensitive=self.case_sensitive) is not None
            problem = "a column that is dropped" if was_dropped else "no such column"
            raise FormatError(name, None, problem, "a column of the schema")
        return found

    def _struct(self, name: str) -> int:
        """Return the id of the struct that a name means, which may be a list's or map's content."""
        found = self._known(name)
        if found.id in self._dropped:
            raise FormatError(name, None, "a column that is dropped", "a struct to add to")
        holder = _content(found)
        inner = self.schema.find(holder)
        if inner is None or not isinstance(inner.type, StructType):
            raise FormatError(name, None, str(found.type), "a struct, or a list or map of structs")
        self._refuse_key(name, holder)
        return holder

    def _around(self, name: str, field_id: int) -> int:
        """Return the id of the struct around a field."""
        for around, added in self._added.items():
            if any(each.id == field_id for each in added):
                return around
        parents = self.schema.parents(field_id)
        around = parents[-1] if parents else ROOT
        inner = self.schema.find(around) if parents else None
        if inner is not None and not isinstance(inner.type, StructType):
            raise FormatError(name, None, f"a move inside {inner.type}", "a field of a struct")
        return around

    def _refuse_parts(self, name: str, field_id: int, how: str) -> None:
        """Refuse to rename or drop an element, a key or a value."""
        parents = self.schema.parents(field_id) if field_id in self.schema.field_by_id else ()
        around = self.schema.find(parents[-1]) if parents else None
        if around is not None and isinstance(around.type, ListType | MapType):
            wanted = f"an element, key or value stays; it cannot be {how}"
            raise FormatError(name, None, str(around.type), wanted)

    def _refuse_key(self, name: str, field_id: int) -> None:
        """Refuse to change a map's key, or a field inside one."""
        if field_id not in self.schema.field_by_id:
            return
        for each in (*self.schema.parents(field_id), field_id):
            around = self.schema.parents(each)
            outer = self.schema.find(around[-1]) if around else None
            if outer and isinstance(outer.type, MapType) and outer.type.key_id == each:
                raise FormatError(name, None, "a change of a map's key", "keys as they were")

    def _columns(self) -> tuple[NestedField, ...]:
        """Return the columns after all changes; `FormatError` for two fields with the same name."""
        # Made a struct type, since that refuses two fields with the same name.
        return StructType(self._fields(ROOT, self.schema.fields)).fields

    def _fields(self, around: int, fields: tuple[NestedField, ...]) -> tuple[NestedField, ...]:
        """Return the fields of one struct after the changes."""
        kept = [each for each in fields if each.id not in self._dropped]
        made = [self._field_after(each) for each in (*kept, *self._added.get(around, ()))]
        moves = self._moves.get(around, ())
        moved = {each for move in moves for each in (move.field_id, move.mark) if each is not None}
        for each in moved & self._dropped:
            found = "a move of or beside a dropped column"
            raise FormatError(self.schema.name(each), None, found, "either to move or to drop")
        return tuple(_moved(made, moves))

    def _field_after(self, old: NestedField) -> NestedField:
        """Return a field after the changes to it and inside it."""
        now = self._changed.get(old.id, old)
        return replace(now, type=self._type_after(old.id, now.type))

    def _type_after(self, holder: int, of: Type) -> Type:
        """Return a type after the changes inside it."""
        if isinstance(of, StructType):
            return StructType(self._fields(holder, of.fields), of.extra)
        if isinstance(of, ListType):
            (element,) = (self._field_after(each) for each in of.fields)
            return replace(of, element=element.type, element_required=element.required)
        if isinstance(of, MapType):
            key, value = (self._field_after(each) for each in of.fields)
            return replace(of, key=key.type, value=value.type, value_required=value.required)
        return of


def _content(found: NestedField) -> int:
    """Return the id of the field whose fields are a field's own: itself, its element or value."""
    if isinstance(found.type, ListType):
        return found.type.element_id
    return found.type.value_id if isinstance(found.type, MapType) else found.id


@dataclass(frozen=True, slots=True)
class Move:
    """One move of a field.

    Attributes:
        where: ``first``, ``before`` or ``after``; the last two refer to the field with the id
            *mark*.
    """

    field_id: int
    where: str
    mark: int | None = None


def _moved(fields: list[NestedField], moves: Iterable[Move]) -> list[NestedField]:
    """Return the fields in the order after all moves, one after the other."""
    for move in moves:
        taken = next(each for each in fields if each.id == move.field_id)
        fields = [each for each in fields if each.id != move.field_id]
        at = 0
        if move.mark is not None:
            beside = next(at for at, each in enumerate(fields) if each.id == move.mark)
            at = beside + (move.where == "after")
        fields.insert(at, taken)
    return fields
