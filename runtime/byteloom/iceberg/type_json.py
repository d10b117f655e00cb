"""Types as JSON: text for primitive types, objects for nested ones.

``specs/iceberg/schemas.yaml`` says which keys an object has.  Keys of a document without an
attribute in the types and fields here are kept in ``extra`` and written back.

Source: Iceberg table spec, "Appendix C", Schemas.
"""

from __future__ import annotations

from typing import Any, Final

from byteloom.errors import FormatError, LimitExceeded
from byteloom.iceberg import values
from byteloom.iceberg.documents import extra_of, read_record, to_document
from byteloom.iceberg.types import (
    ListType,
    MapType,
    NestedField,
    StructType,
    Type,
    parse_primitive,
)
from byteloom_generated.iceberg import schemas

__all__ = ["field_from_json", "field_to_json", "type_from_json", "type_to_json"]

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
