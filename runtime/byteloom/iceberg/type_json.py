"""Types as JSON: text for primitive types, objects for nested ones; the columns of a schema.

The rules:

- ``specs/iceberg/schemas.yaml`` says which keys an object has.  Keys of a document without an
  attribute in the types and fields here are kept in ``extra`` and written back.
- A table may have thousands of columns while a scan asks for only a few: each is parsed when it is
  needed.  All are checked at once when the schema is read; if one is wrong, reading them one by one
  finds it.
- Columns with fields inside, with defaults or of type unknown are parsed at once, since not only
  their keys can be wrong.

Source: Iceberg table spec, "Appendix C", Schemas.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError, LimitExceeded
from byteloom.iceberg import values
from byteloom.iceberg.documents import VERSION, extra_of, read_record, to_document
from byteloom.iceberg.types import (
    ListType,
    MapType,
    NestedField,
    NestedType,
    StructType,
    Type,
    UnknownType,
    parse_primitive,
)
from byteloom_generated.iceberg import schemas
from byteloom_generated.iceberg.schemas import StructField

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


__all__ = ["LazyColumns", "field_from_json", "field_to_json", "type_from_json", "type_to_json"]

_DEEPEST: Final = 100
"""Most levels of types inside types; each takes four of the 1,000 frames of Python's stack."""

_FIELD: Final = frozenset(
    {"id", "name", "type", "required", "doc", "initial_default", "write_default"}
)
_STRUCT: Final = frozenset({"type", "fields"})
_LIST: Final = frozenset({"type", "element_id", "element", "element_required"})
_MAP: Final = frozenset({"type", "key_id", "key", "value_id", "value", "value_required"})


def type_from_json(document: Any, *, depth: int = 0) -> Type:
    """Return the type that *document* describes.

    Raises:
        FormatError: A key that is missing or of another kind; the path says where.
        Unsupported: A type that no version up to 3 has.
        LimitExceeded: More than 100 levels of types inside types.

    Source: Iceberg table spec, "Appendix C", Schemas.
    """
    if depth > _DEEPEST:
        raise LimitExceeded("type", None, f"{depth} levels", f"at most {_DEEPEST}")
    if isinstance(document, str):
        return parse_primitive(document)
    if not isinstance(document, dict):
        raise FormatError("type", None, repr(document), "text or an object")
    match document.get("type"):
        case "struct":
            return _struct(document, depth)
        case "list":
            return _list(document, depth)
        case "map":
            return _map(document, depth)
        case other:
            raise FormatError("type", None, repr(other), "struct, list or map")


def type_to_json(of: Type) -> Any:
    """Return the JSON of a type; `type_from_json` reads it back."""
    if isinstance(of, StructType):
        fields = [field_to_json(each) for each in of.fields]
        return to_document(schemas.StructType, of.extra, type=of.kind, fields=fields)
    if isinstance(of, ListType):
        return to_document(
            schemas.ListType,
            of.extra,
            type=of.kind,
            element_id=of.element_id,
            element=type_to_json(of.element),
            element_required=of.element_required,
        )
    if isinstance(of, MapType):
        return to_document(
            schemas.MapType,
            of.extra,
            type=of.kind,
            key_id=of.key_id,
            key=type_to_json(of.key),
            value_id=of.value_id,
            value=type_to_json(of.value),
            value_required=of.value_required,
        )
    return str(of)


def field_from_json(document: Any, *, depth: int = 0) -> NestedField:
    """Return the field of a struct that *document* describes."""
    record = read_record(schemas.StructField, document, "field")
    try:
        of = _inner("type", record.type, depth)
        return NestedField(
            id=record.id,
            name=record.name,
            type=of,
            required=record.required,
            doc=record.doc,
            initial_default=_default("initial-default", record.initial_default, of),
            write_default=_default("write-default", record.write_default, of),
            extra=extra_of(record, _FIELD),
        )
    except FormatError as error:
        raise error.inside(record.name) from None


def field_to_json(field: NestedField) -> dict[str, Any]:
    """Return the JSON of a struct's field."""
    return to_document(
        schemas.StructField,
        field.extra,
        id=field.id,
        name=field.name,
        type=type_to_json(field.type),
        required=field.required,
        doc=field.doc,
        initial_default=values.to_json(field.type, field.initial_default),
        write_default=values.to_json(field.type, field.write_default),
    )


def _struct(document: dict[str, Any], depth: int) -> StructType:
    """Return the struct type that a JSON object describes."""
    record = read_record(schemas.StructType, document, "type")
    fields = tuple(field_from_json(each, depth=depth) for each in record.fields)
    return StructType(fields, extra_of(record, _STRUCT))


def _list(document: dict[str, Any], depth: int) -> ListType:
    """Return the list type that a JSON object describes."""
    record = read_record(schemas.ListType, document, "type")
    element = _inner("element", record.element, depth)
    extra = extra_of(record, _LIST)
    return ListType(record.element_id, element, record.element_required, extra)


def _map(document: dict[str, Any], depth: int) -> MapType:
    """Return the map type that a JSON object describes."""
    record = read_record(schemas.MapType, document, "type")
    return MapType(
        record.key_id,
        _inner("key", record.key, depth),
        record.value_id,
        _inner("value", record.value, depth),
        record.value_required,
        extra_of(record, _MAP),
    )


def _inner(key: str, document: Any, depth: int) -> Type:
    """Return the type under *key*."""
    try:
        return type_from_json(document, depth=depth + 1)
    except FormatError as error:
        raise error.inside(key) if key != "type" else error from None


def _default(key: str, document: Any, of: Type) -> object:
    """Return a default as a storage value."""
    if document is None:
        return None
    try:
        return values.from_json(of, document)
    except FormatError as error:
        raise error.inside(key) from None


class LazyColumns:
    """The columns of a schema, in order.

    Attributes:
        ids: Of the columns.
        names: Of the columns.
    """

    def __init__(
        self,
        ids: list[int],
        names: list[str],
        made: list[NestedField | None],
        documents: Sequence[Any],
    ) -> None:
        """Keep the columns, as `of_fields` or `of_json` has prepared them.

        Args:
            made: Each column, or None if it is to be made from its document on demand.
            documents: The JSON of each column that is None in *made*.
        """
        self.ids, self.names = ids, names
        self._made, self._documents = made, documents

    @cached_property
    def _place(self) -> dict[int, int]:
        """The place of each id in the schema; the first place if an id occurs several times."""
        return dict(zip(reversed(self.ids), range(len(self.ids) - 1, -1, -1), strict=True))

    @classmethod
    def of_fields(cls, fields: Sequence[NestedField]) -> LazyColumns:
        """Return these columns as lazy ones."""
        return cls([each.id for each in fields], [each.name for each in fields], [*fields], ())

    @classmethod
    def of_json(cls, documents: list[Any]) -> LazyColumns:
        """Return the columns that JSON objects describe.

        Raises:
            FormatError: Two columns with the same name; otherwise as `field_from_json`.
        """
        found = StructField.columns_from_json(documents, version=VERSION)
        waiting = found and _waiting(found)
        if not found or waiting is None or len(set(found["name"])) < len(documents):
            return cls.of_fields(StructType(tuple(map(field_from_json, documents))).fields)
        made: list[NestedField | None] = [None] * len(documents)
        for place, waits in enumerate(waiting):
            if not waits:
                made[place] = field_from_json(documents[place])
        return cls(found["id"], found["name"], made, documents)

    def all(self) -> tuple[NestedField, ...]:
        """Return all columns."""
        return tuple(map(self._at, range(len(self.ids))))

    def some(self, field_ids: Collection[int]) -> list[NestedField]:
        """Return the columns of these ids, in the order of the schema."""
        return list(map(self._at, sorted(self._place[each] for each in field_ids)))

    def find(self, field_id: int) -> NestedField | None:
        """Return the column with that id, or None; nested fields are not searched."""
        place = self._place.get(field_id)
        return None if place is None else self._at(place)

    def nested(self) -> dict[int, NestedType]:
        """Return the types of the columns that have fields inside, by the columns' ids."""
        return {
            each.id: each.type
            for each in self._made
            if each is not None and isinstance(each.type, NestedType)
        }

    def _at(self, place: int) -> NestedField:
        """Return the column at a place of the schema."""
        made = self._made[place]
        if made is None:
            made = self._made[place] = field_from_json(self._documents[place])
        return made


def _waiting(found: dict[str, list[Any]]) -> list[bool] | None:
    """Return whether each column can be made later; None if the type of one is unknown here.

    Args:
        found: What `StructField.columns_from_json` has found.
    """
    types = found["type"]
    try:
        plain = _plain({each for each in types if type(each) is str})
    except FormatError:
        return None
    defaults = found["initial_default"], found["write_default"]
    waiting = [type(each) is str and each in plain for each in types]
    if any(each.count(None) < len(types) for each in defaults):
        with_values = zip(waiting, *defaults, strict=True)
        waiting = [each and one is None and other is None for each, one, other in with_values]
    return waiting


def _plain(types: set[str]) -> set[str]:
    """Return those types that need not be parsed at once; `FormatError` for an invalid type."""
    return {each for each in types if parse_primitive(each).kind != UnknownType.kind}
