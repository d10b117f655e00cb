"""The schemas of a large metadata file, decoded without a dictionary for each column.

A table may have thousands of columns, and making a dictionary of each takes most of the time of
opening such a table.  The rules:

- The keys and kinds are those of the generated records of schemas.
- Schemas are decoded in this way only if all of them are plain: no unknown keys, no defaults, no
  nested types, and no error.  All others are parsed as JSON, and read or refused column by column.

Source: Iceberg table spec, "Appendix C", Schemas.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple

import msgspec

from byteloom.errors import FormatError
from byteloom.iceberg.documents import VERSION
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.type_json import LazyColumns
from byteloom.limits import DEFAULT_LIMITS
from byteloom_generated.iceberg import schemas

if TYPE_CHECKING:
    from byteloom.documents.json_record import JsonField

__all__ = ["Outline", "outline"]

_KEY: Final = "schemas"
_COLUMN: Final = ("id", "name", "required", "type", "doc")
"""The attributes of a plain column, whose type is given as text."""


class Outline(NamedTuple):
    """A document whose schemas have been decoded.

    Attributes:
        document: Its JSON object, which has only the id of each schema.
        schemas: The schemas, in the order of the document, with distinct ids.
    """

    document: dict[str, Any]
    schemas: dict[int, Schema]


def outline(text: bytes) -> Outline | None:
    """Return the parts of table metadata; None if not all of its schemas are plain.

    Args:
        text: JSON, which may be invalid: the result is None then.
    """
    of_document, of_schemas = _decoders()
    try:
        parts = of_document.decode(text)
        given = of_schemas.decode(parts.pop(_KEY, b"null"))
        document = {key: msgspec.json.decode(each) for key, each in parts.items()}
        made = {each.schema_id: schema for each in given if (schema := _schema(each)) is not None}
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError, FormatError):
        return None
    if not made or len(made) < len(given) or document.get("current-schema-id") is None:
        return None
    document[_KEY] = [{"schema-id": each} for each in made]
    return Outline(document, made)


def _schema(given: Any) -> Schema | None:
    """Return a schema; None if it is not plain."""
    columns = given.fields
    if max(len(columns), len(given.identifier_field_ids)) > DEFAULT_LIMITS.elements:
        return None
    held = LazyColumns.of_plain(
        [each.id for each in columns],
        [each.name for each in columns],
        [each.type for each in columns],
        columns,
    )
    if held is None:
        return None
    return Schema.of_columns(held, given.schema_id, tuple(given.identifier_field_ids))


@cache
def _decoders() -> tuple[msgspec.json.Decoder[Any], msgspec.json.Decoder[Any]]:
    """Return the decoders of a document's values by key, as JSON, and of a list of schemas."""
    of_column = {each.attribute: each for each in schemas.StructField.FIELDS}
    column = _struct({each: (of_column[each], _kind(of_column[each])) for each in _COLUMN})
    known = {each.attribute: each for each in schemas.Schema.FIELDS}
    number = _kind(known["schema_id"])
    types = {"fields": list[column], "identifier_field_ids": list[number]}  # type: ignore[valid-type]
    schema = _struct({name: (each, types.get(name) or _kind(each)) for name, each in known.items()})
    parts = msgspec.json.Decoder(dict[str, msgspec.Raw])
    return parts, msgspec.json.Decoder(list[schema])  # type: ignore[valid-type]


def _struct(fields: dict[str, tuple[JsonField, Any]]) -> Any:
    """Return a class of objects that have these keys and no others, with types of their values."""
    made = []
    for name, (each, kind) in fields.items():
        if VERSION in each.required and not each.is_relaxed:
            made.append((name, kind, msgspec.field(name=each.key)))
        elif each.kind.empty is not None:
            made.append((name, kind, msgspec.field(name=each.key, default_factory=each.kind.empty)))
        elif each.absent is not None:
            made.append((name, kind, msgspec.field(name=each.key, default=each.absent)))
        else:
            absent = msgspec.field(name=each.key, default=msgspec.UNSET)
            made.append((name, kind | msgspec.UnsetType, absent))
    return msgspec.defstruct("Plain", made, forbid_unknown_fields=True, kw_only=True, gc=False)


def _kind(field: JsonField) -> Any:
    """Return the type of a plain value."""
    if field.values:
        return Literal[field.values]
    if (whole := field.kind.whole) is not None:
        return Annotated[int, msgspec.Meta(ge=whole.start, lt=whole.stop)]
    return field.kind.plain
