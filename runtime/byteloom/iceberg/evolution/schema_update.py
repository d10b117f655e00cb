"""A set of changes of a schema, which gives a new schema or an error.

The rules:

- Changes are given one by one and may be chained; each is checked against the schema as it was and
  the changes before.  `SchemaUpdate.apply` checks the whole.
- Ids are never reused: new fields get ids after the highest that was ever used; of a nested type
  the fields of one level come before those inside.
- A required column needs a default, and an optional column cannot become required, since rows may
  exist already; `allow_incompatible` allows both.

Source: Iceberg table spec, "Schema Evolution"; Java's ``SchemaUpdate``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Self

from byteloom.errors import FormatError
from byteloom.iceberg.evolution.changes import ROOT, Changes, Move
from byteloom.iceberg.evolution.schema_rules import (
    check_default,
    check_identifiers,
    check_promotion,
    check_type,
)
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.types import ListType, MapType, NestedField, NestedType, StructType

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.iceberg.metadata import TableMetadata
    from byteloom.iceberg.types import Type

__all__ = ["SchemaUpdate", "with_fresh_ids"]


class SchemaUpdate(Changes):
    """Changes of *schema*, given by names; nested fields by full names with dots.

    Attributes:
        version: Version of the table's format, which decides the types and defaults allowed.
        last_column_id: The highest id that was ever used; the update raises it.
        specs: The table's partition specs, whose source columns may change only within limits.
        allow_incompatible: Whether to allow changes that existing rows may not satisfy.
        case_sensitive: Whether names must match in case.

    Example:
        >>> from byteloom.iceberg import open_table
        >>> from byteloom.iceberg.evolution import SchemaUpdate
        >>> from byteloom.iceberg.types import StringType
        >>> update = SchemaUpdate.of(open_table("byteloom-samples/orders").metadata)
        >>> made = update.add("note", StringType()).rename("cents", "price").apply()
        >>> [(each.id, each.name) for each in made.fields]
        [(1, 'id'), (2, 'country'), (3, 'price'), (4, 'placed_at'), (5, 'note')]
    """

    @classmethod
    def of(
        cls,
        metadata: TableMetadata,
        *,
        allow_incompatible: bool = False,
        case_sensitive: bool = True,
        version: int | None = None,
    ) -> SchemaUpdate:
        """Return an update of a table's current schema; *version* is its own if None."""
        return cls(
            metadata.schema(),
            metadata.format_version if version is None else version,
            metadata.document.last_column_id,
            tuple(metadata.partition_specs.values()),
            allow_incompatible,
            case_sensitive,
        )

    def add(  # noqa: PLR0913  what a field is
        self,
        name: str,
        of: Type,
        *,
        parent: str | None = None,
        required: bool = False,
        default: object = None,
        doc: str | None = None,
    ) -> Self:
        """Add a column, or a field inside *parent*: a struct, or a list or map of structs.

        Args:
            name: The name, without those of fields around it.
            of: The type; fields inside it get new ids.
            parent: The full name of the field around it; None for a column.
            required: Whether null is forbidden, which needs a *default*.
            default: The value of existing rows, and by default of new ones; a storage value.
            doc: What the field is, in words.

        Returns:
            The update itself.

        Raises:
            FormatError: A name that is taken, a type or a default that the version does not have.
        """
        if not name:
            raise FormatError("name", None, "an empty name", "a name")
        if parent is None and "." in name:
            raise FormatError(name, None, "a dot in a new column's name", "its parent and its name")
        around = ROOT if parent is None else self._struct(parent)
        full = name if parent is None else f"{parent}.{name}"
        there = self.schema.find(full, case_sensitive=self.case_sensitive)
        if there is not None and there.id not in self._dropped:
            raise FormatError(full, None, "a name that is taken", "a new name")
        if required and default is None and not self.allow_incompatible:
            raise FormatError(
                full, None, "a new required column", "a default, or an optional column"
            )
        check_type(full, of, self.version)
        check_default(full, of, default, self.version)
        field_id = self._next_id()
        fresh = with_fresh_ids(of, self._next_id)
        made = NestedField(field_id, name, fresh, required, doc, default, default)
        self._added.setdefault(around, []).append(made)
        return self

    def drop(self, name: str) -> Self:
        """Drop a column, or a field of a struct, with all fields inside it."""
        old = self._known(name)
        if old.id in self._changed or old.id in self._added:
            raise FormatError(
                name, None, "a change of a dropped column", "either to change or to drop it"
            )
        self._refuse_parts(name, old.id, "dropped")
        self._dropped.add(old.id)
        return self

    def rename(self, name: str, new: str) -> Self:
        """Rename a field; its id stays, and so does its data."""
        old = self._live(name)
        self._refuse_parts(name, old.id, "renamed")
        if not new:
            raise FormatError(name, None, "an empty name", "a name")
        return self._change(replace(old, name=new))

    def promote(self, name: str, of: Type) -> Self:
        """Widen a column's type to *of*.

        Raises:
            FormatError: A promotion that the version, or a partition field of the column, does not
                allow.
        """
        old = self._live(name)
        if old.type == of:
            return self
        self._refuse_key(name, old.id)
        if isinstance(old.type, NestedType):
            raise FormatError(name, None, f"{old.type} to {of}", "a promotion of a primitive type")
        check_type(name, of, self.version)
        before = self.schema.find(old.id) or old
        check_promotion(name, before, of, self.version, self.specs)
        return self._change(replace(old, type=of))

    def optional(self, name: str) -> Self:
        """Allow nulls in a column."""
        old = self._live(name)
        self._refuse_key(name, old.id)
        return self._change(replace(old, required=False))

    def require(self, name: str) -> Self:
        """Make a column required; refused if existing rows may have nulls in it."""
        old = self._live(name)
        is_new = self.schema.find(old.id) is None and old.initial_default is not None
        if not (old.required or is_new or self.allow_incompatible):
            raise FormatError(name, None, "optional to required", "a column without nulls")
        return self._change(replace(old, required=True))

    def doc(self, name: str, doc: str | None) -> Self:
        """Set a column's doc, or remove it with None."""
        return self._change(replace(self._live(name), doc=doc))

    def write_default(self, name: str, default: object) -> Self:
        """Set the value that writers store for rows that give none; existing rows do not change."""
        old = self._live(name)
        check_default(name, old.type, default, self.version)
        return self._change(replace(old, write_default=default))

    def move_first(self, name: str) -> Self:
        """Put a field before all others of its struct."""
        return self._move(name, None, "first")

    def move_before(self, name: str, other: str) -> Self:
        """Put a field right before another of its struct."""
        return self._move(name, other, "before")

    def move_after(self, name: str, other: str) -> Self:
        """Put a field right after another of its struct."""
        return self._move(name, other, "after")

    def identify_by(self, *names: str) -> Self:
        """Set the identifier fields by their names after all changes; no names remove them all."""
        self._identifiers = names
        return self

    def type_of(self, name: str) -> Type:
        """Return the type of a column after the changes so far."""
        return self._live(name).type

    def apply(self, schema_id: int | None = None) -> Schema:
        """Return the new schema.

        Args:
            schema_id: Its id; by default the one after the old schema's.

        Raises:
            FormatError: Changes that contradict each other, or invalid identifier fields.
        """
        fields = self._columns()
        made = Schema(fields, self.schema.schema_id + 1 if schema_id is None else schema_id)
        if self._identifiers is None:
            ids = self.schema.identifier_field_ids
        else:
            ids = tuple(self._identifier(made, name) for name in self._identifiers)
        check_identifiers(made, ids, self.schema)
        self._refuse_lost_sources(made)
        return Schema(fields, made.schema_id, ids, self.schema.extra)

    def _identifier(self, made: Schema, name: str) -> int:
        """Return the id of a field of the new schema."""
        found = made.find(name, case_sensitive=self.case_sensitive)
        if found is None:
            raise FormatError(name, None, "no such column", "an identifier field of the schema")
        return found.id

    def _change(self, made: NestedField) -> Self:
        """Record a field in its changed form."""
        self._changed[made.id] = made
        return self

    def _move(self, name: str, other: str | None, where: str) -> Self:
        """Record a move."""
        moved = self._live(name)
        around = self._around(name, moved.id)
        mark = None
        if other is not None:
            beside = self._live(other)
            mark = beside.id
            if mark == moved.id:
                raise FormatError(name, None, f"a move {where} itself", "another field")
            if self._around(other, beside.id) != around:
                raise FormatError(name, None, f"a move {where} {other}", "a field of its struct")
        self._moves.setdefault(around, []).append(Move(moved.id, where, mark))
        return self

    def _refuse_lost_sources(self, made: Schema) -> None:
        """Refuse to drop a source column of the newest partition spec."""
        specs = sorted(self.specs, key=lambda each: each.spec_id)
        for each in specs[-1].fields if specs else ():
            gone = [one for one in each.source_ids if made.find(one) is None]
            was_there = [one for one in gone if self.schema.find(one) is not None]
            if was_there and str(each.transform) != "void":
                name = self.schema.name(was_there[0])
                wanted = f"a column that partition field {each.name} does not take"
                raise FormatError(name, None, "dropped", wanted)


def with_fresh_ids(of: Type, next_id: Callable[[], int]) -> Type:
    """Return *of* with a new id for every inner field: all of one level, then those below.

    Source: Java's ``AssignFreshIds``.
    """
    if isinstance(of, StructType):
        ids = [next_id() for _ in of.fields]
        return StructType(
            tuple(
                replace(each, id=new, type=with_fresh_ids(each.type, next_id))
                for new, each in zip(ids, of.fields, strict=True)
            )
        )
    if isinstance(of, ListType):
        element_id = next_id()
        return ListType(element_id, with_fresh_ids(of.element, next_id), of.element_required)
    if isinstance(of, MapType):
        key_id, value_id = next_id(), next_id()
        key = with_fresh_ids(of.key, next_id)
        return MapType(key_id, key, value_id, with_fresh_ids(of.value, next_id), of.value_required)
    return of
