"""A table's schema: its columns, found by id or by name.

A name is the path from the outermost column inwards, joined by dots: ``point.x``, and
``tags.element``, ``props.key``, ``props.value`` inside lists and maps.  The short forms of Java,
which leave out ``element`` and ``value`` before a struct's field (``points.x``), are found too.

Source: Iceberg table spec, "Schemas and Data Types" and "Appendix C", Schemas.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError
from byteloom.iceberg.documents import extra_of, read_record, shortly, to_document
from byteloom.iceberg.type_json import field_from_json, field_to_json
from byteloom.iceberg.types import ListType, MapType, NestedField, NestedType, StructType
from byteloom_generated.iceberg import schemas
from byteloom_generated.iceberg.reserved_fields import ID_RANGES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["LAST_USER_FIELD_ID", "Schema"]

LAST_USER_FIELD_ID: Final = next(each.last for each in ID_RANGES if each.name == "columns")
"""Ids above are the spec's own (`Reserved Field IDs`)."""

_LAST_FIELD_ID: Final = max(each.last for each in ID_RANGES)
_KNOWN: Final = frozenset({"type", "schema_id", "identifier_field_ids", "fields"})


@dataclass(frozen=True, eq=True)
class Schema:
    """The columns of a table at one time.

    fields                the columns, in order
    schema_id             0 where the document gives none, as version 1 allows
    identifier_field_ids  the fields that tell rows apart, if any do
    extra                 JSON keys that the spec does not know, written back as they were
    """

    fields: tuple[NestedField, ...]
    schema_id: int = 0
    identifier_field_ids: tuple[int, ...] = ()
    extra: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse two fields of one id."""
        object.__setattr__(self, "fields", tuple(self.fields))
        _ = self._places

    @classmethod
    def from_json(cls, document: Any) -> Schema:
        """Return the schema that a JSON object describes; `FormatError` says what is wrong where.

        Source: Iceberg table spec, "Appendix C", Schemas.
        """
        if not isinstance(document, dict) or document.get("type") != "struct":
            raise FormatError("schema", None, shortly(document), 'an object of type "struct"')
        record = read_record(schemas.Schema, document, "schema")
        fields = StructType(tuple(field_from_json(each) for each in record.fields)).fields
        identifiers = tuple(record.identifier_field_ids)
        return cls(fields, record.schema_id, identifiers, extra_of(record, _KNOWN))

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of this schema; `from_json` reads it back."""
        return to_document(
            schemas.Schema,
            self.extra,
            type=StructType.kind,
            schema_id=self.schema_id,
            identifier_field_ids=list(self.identifier_field_ids),
            fields=[field_to_json(each) for each in self.fields],
        )

    def as_struct(self) -> StructType:
        """Return the columns as a struct type."""
        return StructType(self.fields)

    @property
    def field_by_id(self) -> Mapping[int, NestedField]:
        """Every field of the schema, nested ones, elements, keys and values too, by its id."""
        return self._fields

    def find(self, which: int | str, *, case_sensitive: bool = True) -> NestedField | None:
        """Return the field of that id or name, or None.

        FormatError   several fields have the name if case does not count
        """
        if isinstance(which, int):
            return self._fields.get(which)
        if case_sensitive:
            found = self._ids.get(which)
            return self._fields[found] if found is not None else None
        ids = self._folded_ids.get(which.lower(), ())
        if len(ids) > 1:
            names = ", ".join(sorted(self.name(each) for each in ids))
            raise FormatError("column", None, f"{which!r}: {names}", "one field, case ignored")
        return self._fields[ids[0]] if ids else None

    def path(self, field_id: int) -> tuple[str, ...]:
        """Return the names from the outermost column to the field; `KeyError` for no such id."""
        return tuple(self._fields[each].name for each in self._places[field_id])

    def name(self, field_id: int) -> str:
        """Return the field's full name, its path joined by dots."""
        return ".".join(self.path(field_id))

    def parents(self, field_id: int) -> tuple[int, ...]:
        """Return the ids of the fields around a field, outermost first; none for a column."""
        return self._places[field_id][:-1]

    @property
    def highest_field_id(self) -> int:
        """The greatest id of any field; 0 for a schema without fields."""
        return max(self._places, default=0)

    def is_in_repeated(self, field_id: int) -> bool:
        """Whether the field is in a list or a map, where a row holds it many times."""
        return any(
            not isinstance(self._fields[each].type, StructType) for each in self.parents(field_id)
        )

    @cached_property
    def _places(self) -> dict[int, tuple[int, ...]]:
        """For each field the ids from the outermost column to it."""
        places: dict[int, tuple[int, ...]] = {}
        for place, each in _walk(self.fields, ()):
            if not 0 <= each.id <= _LAST_FIELD_ID:
                where, found = f"schema.{each.name}.id", shortly(each.id)
                raise FormatError(where, None, found, f"0 to {_LAST_FIELD_ID}")
            if each.id in places:
                raise FormatError("schema", None, f"two fields with id {each.id}", "distinct ids")
            places[each.id] = place
        return places

    @cached_property
    def _fields(self) -> dict[int, NestedField]:
        """Every field by its id."""
        return {each.id: each for _, each in _walk(self.fields, ())}

    @cached_property
    def _ids(self) -> dict[str, int]:
        """Ids by full name, and by the short one where nothing else has it."""
        full: dict[str, int] = {}
        short: dict[str, int] = {}
        for number, name, short_name in _named(self.fields, "", "", None):
            full[name] = short[short_name] = number
        return short | full

    @cached_property
    def _folded_ids(self) -> dict[str, list[int]]:
        """Ids by name in lower case."""
        folded: dict[str, list[int]] = {}
        for name, field_id in self._ids.items():
            ids = folded.setdefault(name.lower(), [])
            if field_id not in ids:
                ids.append(field_id)
        return folded


def _named(
    fields: tuple[NestedField, ...], full: str, short: str, around: NestedType | None
) -> Iterator[tuple[int, str, str]]:
    """The id of each field, its full name, and the one without lists and maps before a struct's.

    full, short  what is before the names of *fields*, which are those of the type *around*
    """
    for each in fields:
        yield each.id, full + each.name, short + each.name
        if isinstance(each.type, NestedType):
            is_content = isinstance(around, ListType) or (
                isinstance(around, MapType) and around.value_id == each.id
            )
            is_passed_over = is_content and isinstance(each.type, StructType)
            inner = short if is_passed_over else f"{short}{each.name}."
            yield from _named(each.type.fields, f"{full}{each.name}.", inner, each.type)


def _walk(
    fields: tuple[NestedField, ...], around: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], NestedField]]:
    """Each field with the ids of the path to it, itself included."""
    for each in fields:
        place = (*around, each.id)
        yield place, each
        if isinstance(each.type, NestedType):
            yield from _walk(each.type.fields, place)
