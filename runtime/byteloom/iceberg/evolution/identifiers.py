"""Identifier fields: the fields by which rows may be distinguished.

The rules:

- They are required and primitive but not floats; all structs around them are required, and
  none is in a list or map.
- An identifier field cannot be dropped, nor can the structs around it.

Source: Iceberg table spec, "Identifier Field IDs".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError
from byteloom.iceberg.types import StructType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom.iceberg.schema import Schema

__all__ = ["check_identifiers"]

_INEXACT: Final = frozenset({"float", "double"})
_NOT_COMPARED: Final = frozenset({"variant", "unknown", "geometry", "geography"})


def check_identifiers(schema: Schema, ids: Iterable[int], before: Schema | None = None) -> None:
    """Refuse identifier fields that the spec does not allow.

    Args:
        before: The schema before the update, which has the names of dropped fields.

    Raises:
        FormatError: A field that may not be one; the error names it.
    """
    for each in ids:
        found = schema.find(each)
        if found is None:
            known = before is not None and before.find(each) is not None
            name = before.name(each) if known and before is not None else str(each)
            raise FormatError(
                name,
                None,
                "an identifier field that is dropped",
                "other identifier fields to be set first",
            )
        name = schema.name(each)
        kind = found.type.kind
        if not found.type.is_primitive or kind in _INEXACT | _NOT_COMPARED:
            raise FormatError(
                name, None, f"an identifier of type {found.type}", "a type with exact values"
            )
        if not found.required:
            raise FormatError(name, None, "an optional identifier field", "a required field")
        for parent in schema.parents(each):
            around = schema.field_by_id[parent]
            if not isinstance(around.type, StructType) or not around.required:
                wanted = "a column, or a field of required structs"
                raise FormatError(name, None, f"an identifier inside {around}", wanted)
