"""A set of changes of a schema, which gives a new schema or an error.

The rules:

- Changes are told one by one and may be chained; each is checked against the schema as it was and
  the changes told before.  `SchemaUpdate.apply` checks the whole.
- Ids are never given again: new fields get those after the highest that ever was; of a nested type
  first the fields of one level, then those inside.
- A column that is required cannot be added without a default, nor an optional one be made required,
  for rows are written already; `allow_incompatible` allows both.

Source: Iceberg table spec, "Schema Evolution"; Java's ``SchemaUpdate``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

from byteloom.errors import FormatError
from byteloom.iceberg.evolution.fresh_ids import with_fresh_ids
from byteloom.iceberg.evolution.identifiers import check_identifiers
from byteloom.iceberg.evolution.moves import Move
from byteloom.iceberg.evolution.promotion import check_promotion
from byteloom.iceberg.evolution.rebuilding import rebuilt
from byteloom.iceberg.evolution.requirements import check_default, check_type
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.types import ListType, MapType, NestedField, NestedType, StructType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom.iceberg.metadata import TableMetadata
    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.types import Type

__all__ = ["SchemaUpdate"]

_ROOT = -1


@dataclass
class SchemaUpdate:
    """Changes of *schema*, told by names; nested fields by full names with dots.

    version             of the table's format, which has the types and defaults
    last_column_id      the highest id that ever was; the update raises it
    specs               the table's partition specs, whose source columns bind
    allow_incompatible  whether changes that old rows do not fit are allowed
    case_sensitive      whether the case of names counts
    """

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

    @classmethod
    def of(cls, metadata: TableMetadata, *, allow_incompatible: bool = False) -> SchemaUpdate:
        """Return an update of a table's current schema."""
        return cls(
            metadata.schema(),
            metadata.format_version,
            metadata.document.last_column_id,
            tuple(metadata.partition_specs.values()),
            allow_incompatible,
        )

    def __post_init__(self) -> None:
        """Start after the highest id that is known."""
        self.last_column_id = max(self.last_column_id or 0, self.schema.highest_field_id)

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

        default  what rows have that are written already, and by default new ones; a storage value
        """
        if parent is None and "." in name:
            raise FormatError(name, None, "a dot in a new column's name", "its parent and its name")
        around = _ROOT if parent is None else self._struct(parent)
        full = name if parent is None else f"{parent}.{name}"
        there = self.schema.find(full, case_sensitive=self.case_sensitive)
        if there is not None and there.id not in self._dropped:
            raise FormatError(full, None, "a name that is taken", "a new name")
        if required and default is None and not self.allow_incompatible:
            raise FormatError(full, None, "a new required column", "a default, or optional")
        check_type(full, of, self.version)
        check_default(full, of, default, self.version)
        field_id = self._next_id()
        fresh = with_fresh_ids(of, self._next_id)
        made = NestedField(field_id, name, fresh, required, doc, default, default)
        self._added.setdefault(around, []).append(made)
        return self

    def drop(self, name: str) -> Self:
        """Drop a column, or a field of a struct, with all that is inside."""
        old = self._known(name)
        if old.id in self._changed or old.id in self._added:
            raise FormatError(name, None, "a dropped column that changes", "one of the two")
        self._refuse_parts(name, old.id, "dropped")
        self._dropped.add(old.id)
        return self

    def rename(self, name: str, new: str) -> Self:
        """Give a field another name; ids, and so data, stay."""
        old = self._live(name)
        self._refuse_parts(name, old.id, "renamed")
        if not new:
            raise FormatError(name, None, "an empty name", "a name")
        return self._change(replace(old, name=new))

    def promote(self, name: str, of: Type) -> Self:
        """Widen a column's type.

        FormatError  no promotion that the version, or a partition field over the column, allows
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
        """Allow null."""
        old = self._live(name)
        self._refuse_key(name, old.id)
        return self._change(replace(old, required=False))

    def require(self, name: str) -> Self:
        """Forbid null; refused for columns that rows may hold nulls of already."""
        old = self._live(name)
        is_new = self.schema.find(old.id) is None and old.initial_default is not None
        if not (old.required or is_new or self.allow_incompatible):
            raise FormatError(name, None, "optional to required", "a column without nulls")
        return self._change(replace(old, required=True))

    def doc(self, name: str, doc: str | None) -> Self:
        """Set, or with None remove, what a column is for."""
        return self._change(replace(self._live(name), doc=doc))

    def write_default(self, name: str, default: object) -> Self:
        """Set what writers store where they are given no value; old rows keep their own."""
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
        """Put a field right behind another of its struct."""
        return self._move(name, other, "after")

    def identify_by(self, *names: str) -> Self:
        """Set the fields that tell rows apart, by the names they have then; none for nothing."""
        self._identifiers = names
        return self

    def apply(self, schema_id: int | None = None) -> Schema:
        """Return the new schema.

        schema_id    its id; by default the one after the old schema's
        FormatError  changes that contradict each other, or what rows are told apart by
        """
        fields = rebuilt(self.schema, self._added, self._changed, self._dropped, self._moves)
        made = Schema(fields, self.schema.schema_id + 1 if schema_id is None else schema_id)
        if self._identifiers is None:
            ids = self.schema.identifier_field_ids
        else:
            ids = tuple(self._identifier(made, name) for name in self._identifiers)
        check_identifiers(made, ids, self.schema)
        self._refuse_lost_sources(made)
        return replace(made, identifier_field_ids=ids, extra=self.schema.extra)

    def _identifier(self, made: Schema, name: str) -> int:
        """The id of a field of the new schema."""
        found = made.find(name, case_sensitive=self.case_sensitive)
        if found is None:
            raise FormatError(name, None, "no such column", "an identifier field of the schema")
        return found.id

    def _next_id(self) -> int:
        """An id that never was."""
        self.last_column_id = (self.last_column_id or 0) + 1
        return self.last_column_id

    def _find(self, name: str) -> NestedField | None:
        """A field as it is after the changes so far, by its old name or as it was added."""
        found = self.schema.find(name, case_sensitive=self.case_sensitive)
        if found is not None and found.id not in self._dropped:
            return self._changed.get(found.id, found)
        head, _, last = name.rpartition(".")
        holder = self.schema.find(head, case_sensitive=self.case_sensitive) if head else None
        if head and holder is None:
            return None
        added = self._added.get(_content(holder) if holder else _ROOT, ())
        named = [each for each in added if each.name == last]
        return self._changed.get(named[0].id, named[0]) if named else None

    def _known(self, name: str) -> NestedField:
        """A field of the schema as it was."""
        found = self.schema.find(name, case_sensitive=self.case_sensitive)
        if found is None:
            raise FormatError(name, None, "no such column", "a column of the schema")
        return found

    def _live(self, name: str) -> NestedField:
        """A field that is not dropped."""
        found = self._find(name)
        if found is None:
            was_dropped = self.schema.find(name, case_sensitive=self.case_sensitive) is not None
            told = "a column that is dropped" if was_dropped else "no such column"
            raise FormatError(name, None, told, "a column of the schema")
        return found

    def _struct(self, name: str) -> int:
        """The id of the struct that a name stands for: the field's own, or its content's."""
        found = self._known(name)
        if found.id in self._dropped:
            raise FormatError(name, None, "a column that is dropped", "a struct to add to")
        holder = _content(found)
        inner = self.schema.find(holder)
        if inner is None or not isinstance(inner.type, StructType):
            raise FormatError(name, None, str(found.type), "a struct, or a list or map of structs")
        self._refuse_key(name, holder)
        return holder

    def _change(self, made: NestedField) -> Self:
        """Keep a field as it is now."""
        self._changed[made.id] = made
        return self

    def _move(self, name: str, other: str | None, where: str) -> Self:
        """Keep a move."""
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

    def _around(self, name: str, field_id: int) -> int:
        """The id of the struct around a field."""
        for around, added in self._added.items():
            if any(each.id == field_id for each in added):
                return around
        parents = self.schema.parents(field_id)
        around = parents[-1] if parents else _ROOT
        inner = self.schema.find(around) if parents else None
        if inner is not None and not isinstance(inner.type, StructType):
            raise FormatError(name, None, f"a move inside {inner.type}", "a field of a struct")
        return around

    def _refuse_parts(self, name: str, field_id: int, how: str) -> None:
        """Refuse to rename or drop what a list or a map consists of."""
        parents = self.schema.parents(field_id) if field_id in self.schema.field_by_id else ()
        around = self.schema.find(parents[-1]) if parents else None
        if around is not None and isinstance(around.type, ListType | MapType):
            wanted = f"an element, key or value stays; it cannot be {how}"
            raise FormatError(name, None, str(around.type), wanted)

    def _refuse_key(self, name: str, field_id: int) -> None:
        """Refuse to change a map's key, or what is inside of one."""
        if field_id not in self.schema.field_by_id:
            return
        for each in (*self.schema.parents(field_id), field_id):
            around = self.schema.parents(each)
            outer = self.schema.find(around[-1]) if around else None
            if outer and isinstance(outer.type, MapType) and outer.type.key_id == each:
                raise FormatError(name, None, "a change of a map's key", "keys as they were")

    def _refuse_lost_sources(self, made: Schema) -> None:
        """Refuse to drop a column that the newest partition spec takes."""
        specs = sorted(self.specs, key=lambda each: each.spec_id)
        for each in specs[-1].fields if specs else ():
            gone = [one for one in each.source_ids if made.find(one) is None]
            was_there = [one for one in gone if self.schema.find(one) is not None]
            if was_there and str(each.transform) != "void":
                name = self.schema.name(was_there[0])
                wanted = f"a column that partition field {each.name} does not take"
                raise FormatError(name, None, "dropped", wanted)


def _content(found: NestedField) -> int:
    """The id of what holds a field's own fields: its element's, its value's or its own."""
    if isinstance(found.type, ListType):
        return found.type.element_id
    return found.type.value_id if isinstance(found.type, MapType) else found.id
