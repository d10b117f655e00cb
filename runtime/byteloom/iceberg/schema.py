"""A table's schema: its columns, found by id or by name.

A name is the path from the outermost column inwards, joined by dots: ``point.x``, and
``tags.element``, ``props.key``, ``props.value`` inside lists and maps.  Java's short forms, without
``element`` and ``value`` before a struct's field (``points.x``), are found too.

Source: Iceberg table spec, "Schemas and Data Types" and "Appendix C", Schemas.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError
from byteloom.iceberg.documents import extra_of, read_record, shortly, to_document
from byteloom.iceberg.type_json import LazyColumns, field_to_json
from byteloom.iceberg.types import ListType, MapType, NestedField, NestedType, StructType
from byteloom_generated.iceberg import schemas
from byteloom_generated.iceberg.reserved_fields import ID_RANGES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["LAST_USER_FIELD_ID", "Schema"]

LAST_USER_FIELD_ID: Final = next(each.last for each in ID_RANGES if each.name == "columns")
"""The greatest id of a table's own fields; higher ids are reserved by the spec."""

_LAST_FIELD_ID: Final = max(each.last for each in ID_RANGES)
_KNOWN: Final = frozenset({"type", "schema_id", "identifier_field_ids", "fields"})


class Schema:
    """The columns of a table at one time.

    Attributes:
        schema_id: 0 where the document gives none, as version 1 allows.
        identifier_field_ids: The fields that identify a row, if any.
        extra: JSON keys that the spec does not know, written back as they were.
    """

    def __init__(
        self,
        fields: Iterable[NestedField] | LazyColumns,
        schema_id: int = 0,
        identifier_field_ids: tuple[int, ...] = (),
        extra: Mapping[str, object] | None = None,
    ) -> None:
        """Take the columns, in order; `FormatError` for two fields with the same id."""
        self._columns = (
            fields if isinstance(fields, LazyColumns) else LazyColumns.of_fields(tuple(fields))
        )
        self.schema_id = schema_id
        self.identifier_field_ids = identifier_field_ids
        self.extra: Mapping[str, object] = {} if extra is None else extra
        self._inner = self._checked_inner()

    @classmethod
    def from_json(cls, document: Any) -> Schema:
        """Return the schema that a JSON object describes; `FormatError` says what is wrong where.

        Source: Iceberg table spec, "Appendix C", Schemas.
        """
        if not isinstance(document, dict) or document.get("type") != "struct":
            raise FormatError("schema", None, shortly(document), 'an object of type "struct"')
        record = read_record(schemas.Schema, document, "schema")
        return cls(
            LazyColumns.of_json(record.fields),
            record.schema_id,
            tuple(record.identifier_field_ids),
            extra_of(record, _KNOWN),
        )

    @property
    def num_columns(self) -> int:
        """The number of columns, without the fields inside them."""
        return len(self._columns.ids)

    @cached_property
    def fields(self) -> tuple[NestedField, ...]:
        """The columns, in order."""
        return self._columns.all()

    def __eq__(self, other: object) -> bool:
        """Whether the other schema has the same columns, id and identifier fields."""
        return isinstance(other, Schema) and self._compared == other._compared

    def __hash__(self) -> int:
        """The hash of the parts that equality compares."""
        return hash(self._compared)

    def __repr__(self) -> str:
        """An expression that creates an equal schema, without `extra`."""
        ids = f"identifier_field_ids={self.identifier_field_ids!r}"
        return f"Schema(fields={self.fields!r}, schema_id={self.schema_id!r}, {ids})"

    @property
    def _compared(self) -> tuple[object, ...]:
        """Return the parts that equality compares."""
        return self.fields, self.schema_id, self.identifier_field_ids

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

    @cached_property
    def field_by_id(self) -> Mapping[int, NestedField]:
        """Every field of the schema, nested ones, elements, keys and values too, by its id.

        This parses all columns; `find` parses one.
        """
        return {each.id: each for _, each in _walk(self.fields, ())}

    @cached_property
    def field_ids(self) -> frozenset[int]:
        """The ids of every field of the schema, as in `field_by_id`."""
        return frozenset(self._columns.ids) | self._inner.keys()

    def find(self, which: int | str, *, case_sensitive: bool = True) -> NestedField | None:
        """Return the field with that id or name, or None.

        Raises:
            FormatError: Several fields have the name, ignoring case.
        """
        if isinstance(which, int):
            found = self._columns.find(which)
            return found or (self._inner[which][1] if which in self._inner else None)
        if case_sensitive:
            field_id = self._ids.get(which)
            return None if field_id is None else self.find(field_id)
        ids = self._folded_ids.get(which.lower(), ())
        if len(ids) > 1:
            names = ", ".join(sorted(self.name(each) for each in ids))
            raise FormatError(
                "column", None, f"{which!r}: {names}", "exactly one field, ignoring case"
            )
        return self.find(ids[0]) if ids else None

    def path(self, field_id: int) -> tuple[str, ...]:
        """Return the names from the outermost column to the field; `KeyError` for no such id."""
        return tuple(self._field(each).name for each in (*self.parents(field_id), field_id))

    def name(self, field_id: int) -> str:
        """Return the field's full name, its path joined by dots."""
        return ".".join(self.path(field_id))

    def parents(self, field_id: int) -> tuple[int, ...]:
        """Return the ids of the fields around a field, outermost first; empty for a column."""
        if (inner := self._inner.get(field_id)) is not None:
            return inner[0][:-1]
        self._field(field_id)
        return ()

    def columns_around(self, field_ids: Iterable[int]) -> list[NestedField]:
        """Return the columns that are one of these fields, or have one inside, in order."""
        known = (each for each in field_ids if self.find(each) is not None)
        return self._columns.some({(*self.parents(each), each)[0] for each in known})

    @property
    def highest_field_id(self) -> int:
        """The greatest id of any field; 0 for a schema without fields."""
        return max(self.field_ids, default=0)

    def is_in_repeated(self, field_id: int) -> bool:
        """Whether the field is in a list or a map, where a row holds it many times."""
        return any(
            not isinstance(self._field(each).type, StructType) for each in self.parents(field_id)
        )

    def _field(self, field_id: int) -> NestedField:
        """The field with that id; `KeyError` if the schema lacks it."""
        if (found := self.find(field_id)) is None:
            raise KeyError(field_id)
        return found

    def _checked_inner(self) -> dict[int, tuple[tuple[int, ...], NestedField]]:
        """Return the fields inside columns by id, each with the ids of its path, outermost first.

        Raises:
            FormatError: An impossible id, or one that two fields have.
        """
        ids = self._columns.ids
        inner = [
            each
            for number, of in self._columns.nested().items()
            for each in _walk(of.fields, (number,))
        ]
        found = {each.id: (place, each) for place, each in inner}
        every = {*ids, *found}
        are_distinct = len(every) == len(ids) + len(inner)
        if not are_distinct or (every and not 0 <= min(every) <= max(every) <= _LAST_FIELD_ID):
            _refuse_ids(self.fields)
        return found

    @cached_property
    def _ids(self) -> dict[str, int]:
        """Ids by full name, and by the short name if no other field has it."""
        nested = self._columns.nested()
        if not nested:
            return dict(zip(self._columns.names, self._columns.ids, strict=True))
        full: dict[str, int] = {}
        short: dict[str, int] = {}
        for number, name in zip(self._columns.ids, self._columns.names, strict=True):
            full[name] = short[name] = number
            if (of := nested.get(number)) is not None:
                before = f"{name}."
                for inner, whole, short_name in _named(of.fields, before, before, of):
                    full[whole] = short[short_name] = inner
        return short | full

    @cached_property
    def _folded_ids(self) -> dict[str, list[int]]:
        """Ids by name in lower case; several where names differ only in case."""
        folded: dict[str, list[int]] = {}
        for name, field_id in self._ids.items():
            ids = folded.setdefault(name.lower(), [])
            if field_id not in ids:
                ids.append(field_id)
        return folded


def _named(
    fields: tuple[NestedField, ...], full: str, short: str, around: NestedType | None
) -> Iterator[tuple[int, str, str]]:
    """Yield the id of each field, its full name, and its short name without lists and maps.

    Args:
        fields: The fields of the type *around*.
        full: What precedes their full names.
        short: What precedes their short names.
        around: The type that has them; None for columns.
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
    """Yield each field with the ids of the path to it, its own included."""
    for each in fields:
        place = (*around, each.id)
        yield place, each
        if isinstance(each.type, NestedType):
            yield from _walk(each.type.fields, place)


def _refuse_ids(columns: tuple[NestedField, ...]) -> None:
    """Raise `FormatError` for the first field whose id is impossible, or also another field's."""
    seen: set[int] = set()
    for _, each in _walk(columns, ()):
        if not 0 <= each.id <= _LAST_FIELD_ID:
            where, found = f"schema.{each.name}.id", shortly(each.id)
            raise FormatError(where, None, found, f"0 to {_LAST_FIELD_ID}")
        if each.id in seen:
            raise FormatError("schema", None, f"two fields with id {each.id}", "distinct ids")
        seen.add(each.id)
