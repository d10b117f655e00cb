"""What a version of the format allows in a changed schema: types, defaults, identifier fields.

The rules:

- ``specs/iceberg/types.yaml`` says which type may become which, since which version and under which
  transforms; a decimal may gain digits, its scale is kept.
- The source column of a partition field may only get a type that gives the same partition values: a
  date promoted to a timestamp has the same year, month and day, but another value and bucket.
- Identifier fields are required and primitive but not floats; all structs around them are required,
  and none is in a list or map.  They cannot be dropped, nor can the structs around them.

Source: Iceberg table spec, "Schema Evolution", "Default Values" and "Identifier Field IDs".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError
from byteloom.iceberg import values
from byteloom.iceberg.types import DecimalType, NestedType, StructType
from byteloom_generated.iceberg.types import PROMOTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.types import NestedField, Type
    from byteloom_generated.iceberg.types import PromotionRow


__all__ = ["can_promote", "check_default", "check_identifiers", "check_promotion", "check_type"]

_PROMOTIONS: Final = {(each.old, each.new): each for each in PROMOTIONS}


def can_promote(old: Type, new: Type, *, version: int) -> bool:
    """Return whether a column of type *old* may become one of type *new*."""
    if old == new:
        return True
    row = _row(old, new)
    if row is None or version < row.since:
        return False
    if isinstance(old, DecimalType) and isinstance(new, DecimalType):
        return old.scale == new.scale and old.precision <= new.precision
    return True


def check_promotion(
    name: str, old: NestedField, new: Type, version: int, specs: Iterable[PartitionSpec]
) -> None:
    """Refuse a promotion that the version, or a partition field, does not allow.

    Raises:
        FormatError: A promotion that changes partitions; the error names the column and the field.
    """
    if not can_promote(old.type, new, version=version):
        raise FormatError(name, None, f"{old.type} to {new}", f"a promotion of version {version}")
    row = None if old.type == new else _row(old.type, new)
    if row is None or not row.transforms:
        return
    for spec in specs:
        for field in spec.fields:
            if old.id in field.source_ids and str(field.transform) not in row.transforms:
                found = (
                    f"{old.type} to {new} under {field.transform} of partition field {field.name}"
                )
                raise FormatError(name, None, found, "the same partition values")


def _row(old: Type, new: Type) -> PromotionRow | None:
    """Return the spec's row about a promotion; None if the spec does not allow it."""
    return _PROMOTIONS.get((old.kind, new.kind)) or _PROMOTIONS.get((old.kind, "any"))


_DEFAULTS_SINCE: Final = 3
_ONLY_NULL: Final = frozenset({"unknown", "variant", "geometry", "geography"})


def check_type(name: str, of: Type, version: int) -> None:
    """Refuse types, including nested ones, that a later version introduced."""
    if of.since > version:
        raise FormatError(name, None, f"type {of}", f"a type of version {version}")
    if isinstance(of, NestedType):
        for each in of.fields:
            check_type(f"{name}.{each.name}", each.type, version)


def check_default(name: str, of: Type, default: object, version: int) -> None:
    """Refuse a default that the type or the version cannot have."""
    if default is None:
        return
    if version < _DEFAULTS_SINCE:
        raise FormatError(name, None, f"a default in version {version}", "version 3, or none")
    if of.kind in _ONLY_NULL or (isinstance(of, StructType) and default != {}):
        raise FormatError(name, None, f"a default of type {of}", "null")
    try:
        again = values.from_json(of, values.to_json(of, default))
    except (TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise FormatError(name, None, repr(default), f"a value of type {of}") from error
    except FormatError as error:
        raise error.inside(name) from None
    if again != default or type(again) is not type(default):
        raise FormatError(name, None, repr(default), f"a value of type {of}")


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
