"""Types and defaults that a version of the format allows for a new column.

Source: Iceberg table spec, "Schemas and Data Types" and "Default Values".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError
from byteloom.iceberg import values
from byteloom.iceberg.types import NestedType, StructType

if TYPE_CHECKING:
    from byteloom.iceberg.types import Type

__all__ = ["check_default", "check_type"]

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
