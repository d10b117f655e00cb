"""Types as JSON: text for primitive types, objects for nested ones.

What a document says of a field beyond the spec's own keys is kept in `NestedField.extra` and
written back.

Source: Iceberg table spec, "Appendix C", Schemas.
"""

from __future__ import annotations

from typing import Any, Final

from byteloom.errors import FormatError, LimitExceeded
from byteloom.iceberg import values
from byteloom.iceberg.documents import optional, required
from byteloom.iceberg.types import (
    ListType,
    MapType,
    NestedField,
    StructType,
    Type,
    parse_primitive,
)
from byteloom.limits import DEFAULT_LIMITS

__all__ = ["field_from_json", "field_to_json", "type_from_json", "type_to_json"]

_FIELD_KEYS: Final = frozenset(
    {"id", "name", "required", "type", "doc", "initial-default", "write-default"}
)


def type_from_json(document: Any, *, depth: int = 0) -> Type:
    """Return the type that *document* describes.

    FormatError    a key is missing or of another kind; the path says where
    Unsupported    a type that no version up to 3 has
    LimitExceeded  types inside types, deeper than ``limits.nesting``

    Source: Iceberg table spec, "Appendix C", Schemas.
    """
    if depth > DEFAULT_LIMITS.nesting:
        raise LimitExceeded("type", None, f"{depth} levels", f"at most {DEFAULT_LIMITS.nesting}")
    if isinstance(document, str):
        return parse_primitive(document)
    if not isinstance(document, dict):
        raise FormatError("type", None, repr(document), "text or an object")
    match document.get("type"):
        case "struct":
            return _struct(document, depth)
        case "list":
            return ListType(
                required(document, "element-id", int),
                _inner(document, "element", depth),
                required(document, "element-required", bool),
            )
        case "map":
            return MapType(
                required(document, "key-id", int),
                _inner(document, "key", depth),
                required(document, "value-id", int),
                _inner(document, "value", depth),
                required(document, "value-required", bool),
            )
        case other:
            raise FormatError("type", None, repr(other), "struct, list or map")


def type_to_json(of: Type) -> Any:
    """Return the JSON of a type; `type_from_json` reads it back."""
    if isinstance(of, StructType):
        return {"type": "struct", "fields": [field_to_json(each) for each in of.fields]}
    if isinstance(of, ListType):
        return {
            "type": "list",
            "element-id": of.element_id,
            "element": type_to_json(of.element),
            "element-required": of.element_required,
        }
    if isinstance(of, MapType):
        return {
            "type": "map",
            "key-id": of.key_id,
            "key": type_to_json(of.key),
            "value-id": of.value_id,
            "value": type_to_json(of.value),
            "value-required": of.value_required,
        }
    return str(of)


def field_from_json(document: Any, *, depth: int = 0) -> NestedField:
    """Return the field of a struct that *document* describes."""
    if not isinstance(document, dict):
        raise FormatError("field", None, repr(document), "an object")
    name = required(document, "name", str)
    try:
        of = _inner(document, "type", depth)
        return NestedField(
            id=required(document, "id", int),
            name=name,
            type=of,
            required=required(document, "required", bool),
            doc=optional(document, "doc", str),
            initial_default=_default(document, "initial-default", of),
            write_default=_default(document, "write-default", of),
            extra={key: value for key, value in document.items() if key not in _FIELD_KEYS},
        )
    except FormatError as error:
        raise error.inside(name) from None


def field_to_json(field: NestedField) -> dict[str, Any]:
    """Return the JSON of a struct's field."""
    document: dict[str, Any] = {
        "id": field.id,
        "name": field.name,
        "required": field.required,
        "type": type_to_json(field.type),
    }
    if field.doc is not None:
        document["doc"] = field.doc
    if field.initial_default is not None:
        document["initial-default"] = values.to_json(field.type, field.initial_default)
    if field.write_default is not None:
        document["write-default"] = values.to_json(field.type, field.write_default)
    return document | dict(field.extra)


def _struct(document: dict[str, Any], depth: int) -> StructType:
    """A struct, field by field."""
    fields = required(document, "fields", list)
    return StructType(tuple(field_from_json(each, depth=depth) for each in fields))


def _inner(document: dict[str, Any], key: str, depth: int) -> Type:
    """The type under *key*."""
    if key not in document:
        raise FormatError(key, None, "nothing", "a type")
    try:
        return type_from_json(document[key], depth=depth + 1)
    except FormatError as error:
        raise error.inside(key) if key != "type" else error from None


def _default(document: dict[str, Any], key: str, of: Type) -> object:
    """A default, as a storage value."""
    try:
        return values.from_json(of, document.get(key))
    except FormatError as error:
        raise error.inside(key) from None
