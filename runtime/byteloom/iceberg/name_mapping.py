"""Name mappings: the field ids of columns in files that store no ids.

A table property, ``schema.name-mapping.default``, has a list of objects: the names that a field has
had, its id, and the same for the fields inside it.  After a change of the schema:

- A renamed field keeps its old names and gets the new one too; a dropped field stays.
- A name belongs to one field: a new field takes it from the field that had it before.

In a table without the property, `SchemaNames` takes its place for a file without ids:

- A column belongs to the field that has its name or had it in an older schema; if several fields
  had the name, to the newest of them. Nested fields are found by their names as well.
- Parquet columns are then also counted, from 1, since Java uses only their places: a file in which
  a name and a place give different fields is refused, since either may be meant.

Source: Iceberg table spec, "Column Projection" and "Appendix C", Name Mapping Serialization; Java's
``MappingUtil.update``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any, Final

from byteloom.datafiles.fields import field_id
from byteloom.errors import FormatError, LimitExceeded
from byteloom.iceberg.documents import extra_of, read_record, shortly, to_document
from byteloom.iceberg.types import NestedField, NestedType
from byteloom.limits import DEFAULT_LIMITS
from byteloom_generated.iceberg import schemas

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa

    from byteloom.iceberg.schema import Schema


__all__ = ["NAME_MAPPING_PROPERTY", "MappedField", "NameMapping", "SchemaNames", "following"]

NAME_MAPPING_PROPERTY: Final = "schema.name-mapping.default"

_KNOWN: Final = frozenset({"field_id", "names", "fields"})


@dataclass(frozen=True)
class MappedField:
    """The names by which a field is found in files that store no ids.

    Attributes:
        names: Every name it has had; none for a field that no file stores.
        field_id: None for names that belong to no column.
        fields: The same for the fields inside it.
        extra: JSON keys that the spec does not know, written back as they were.
    """

    names: tuple[str, ...]
    field_id: int | None = None
    fields: NameMapping | None = None
    extra: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True)
class NameMapping:
    """The mapped fields of a schema, or of a field with fields inside."""

    fields: tuple[MappedField, ...]

    @classmethod
    def parse(cls, text: str) -> NameMapping:
        """Return the mapping of the table property's text; `FormatError` for any other text."""
        try:
            document = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise FormatError("name mapping", None, shortly(text), "JSON") from error
        return cls.from_json(document)

    @classmethod
    def from_json(cls, document: Any, *, depth: int = 0) -> NameMapping:
        """Return the mapping of a JSON list; `FormatError` also for one name with two ids.

        Source: Iceberg table spec, "Appendix C", Name Mapping Serialization.
        """
        if depth > DEFAULT_LIMITS.nesting:
            raise LimitExceeded("fields", None, f"{depth} levels", "fewer")
        if not isinstance(document, list):
            raise FormatError("name mapping", None, shortly(document), "a list")
        mapping = cls(tuple(_field_from_json(each, depth) for each in document))
        _ = mapping._by_name
        return mapping

    @classmethod
    def of(cls, schema: Schema) -> NameMapping:
        """Return the mapping of each field of *schema* by its current name."""
        return cls(_mapped(schema.fields))

    def to_json(self) -> list[dict[str, Any]]:
        """Return the JSON list; `from_json` reads it back."""
        return [_field_to_json(each) for each in self.fields]

    def find(self, name: str) -> MappedField | None:
        """Return the field that has had that name, or None."""
        return self._by_name.get(name)

    def check_places(self, columns: Sequence[pa.Field]) -> None:
        """Refuse nothing: a mapping names columns wherever they are in a file."""

    @cached_property
    def _by_name(self) -> dict[str, MappedField]:
        """Fields by each of their names."""
        by_name: dict[str, MappedField] = {}
        for each in self.fields:
            for name in each.names:
                if name in by_name:
                    raise FormatError("name mapping", None, f"{name!r} twice", "distinct names")
                by_name[name] = each
        return by_name


def _mapped(fields: Iterable[NestedField]) -> tuple[MappedField, ...]:
    """Return a mapped field for each field, and for those inside it."""
    return tuple(
        MappedField(
            (each.name,),
            each.id,
            NameMapping(_mapped(each.type.fields)) if isinstance(each.type, NestedType) else None,
        )
        for each in fields
    )


def _field_from_json(document: Any, depth: int) -> MappedField:
    """Return the mapped field of a JSON object; an empty list of inner fields is kept."""
    record = read_record(schemas.MappedField, document, "mapped field")
    has_fields = "fields" in record.given and document["fields"] is not None
    return MappedField(
        names=tuple(record.names),
        field_id=record.field_id,
        fields=NameMapping.from_json(record.fields, depth=depth + 1) if has_fields else None,
        extra=extra_of(record, _KNOWN),
    )


def _field_to_json(mapped: MappedField) -> dict[str, Any]:
    """The JSON object of a mapped field."""
    known = {"field_id": mapped.field_id, "names": list(mapped.names), "fields": []}
    document = to_document(schemas.MappedField, mapped.extra, **known)
    return document if mapped.fields is None else document | {"fields": mapped.fields.to_json()}


def following(mapping: NameMapping, fields: Iterable[NestedField]) -> NameMapping:
    """Return *mapping* with the current names of *fields*, which are those of a new schema."""
    now = {each.id: each for each in fields}
    taken = {each.name: each.id for each in now.values()}
    kept = [_following(each, now, taken) for each in mapping.fields]
    known = {each.field_id for each in mapping.fields}
    new = (_new_field(each) for each in now.values() if each.id not in known)
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


def _new_field(field: NestedField) -> MappedField:
    """Return the mapped field of a new field."""
    return MappedField((field.name,), field.id, _inside(None, field))


def _inside(mapping: NameMapping | None, field: NestedField) -> NameMapping | None:
    """Return the mapping of the fields inside a field."""
    if not isinstance(field.type, NestedType):
        return mapping
    return following(mapping or NameMapping(()), field.type.fields)


class SchemaNames(NameMapping):
    """The current and former names of a table's fields, in place of a name mapping.

    They are collected only for a file without ids, since a wide table has many.
    """

    def __init__(self, schema: Schema, older: Iterable[Schema]) -> None:
        """Keep the schema by which rows are read, and the table's older ones, the oldest first."""
        vars(self)["_schemas"] = (*older, schema)

    @cached_property
    def fields(self) -> tuple[MappedField, ...]:
        """The names of each field."""
        schemas: tuple[Schema, ...] = vars(self)["_schemas"]
        return reduce(following, (each.fields for each in schemas), NameMapping(())).fields

    def check_places(self, columns: Sequence[pa.Field]) -> None:
        """Refuse a file with a column whose name and place belong to different fields.

        Args:
            columns: All columns of the file, in order, with the ids that follow from their names.
        """
        ids = {each.id for each in vars(self)["_schemas"][-1].fields}
        for place, column in enumerate(columns, 1):
            named = field_id(column)
            if named != place and not ids.isdisjoint({named, place}):
                found = f"column {column.name!r} without an id at place {place}"
                by_name = f"field {named} by its name" if named >= 0 else "no field by its name"
                wanted = f"ids, or the property {NAME_MAPPING_PROPERTY}: it is {by_name}"
                raise FormatError("schema", None, found, wanted)
