"""Columns of a file as fields: the nesting is read from Arrow types, leaves by another function.

The rules:

- A field without an id gets an unused one.
- A struct of ``metadata`` and ``value`` without ids is a variant.

Source: Iceberg table spec, "Appendix A".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.iceberg.types import ListType, MapType, NestedField, StructType, Type, VariantType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


__all__ = ["Numbering", "decimal_size", "struct_of"]

_VARIANT: Final = ("metadata", "value")


def struct_of(
    fields: Iterable[pa.Field],
    key: bytes,
    leaf: Callable[[pa.Field], Type],
    *,
    required: Callable[[pa.Field], bool],
) -> StructType:
    """Return the struct of a file's columns.

    Args:
        key: Key of the field metadata that has a field's id.
        leaf: Returns the type of a column without inner ones; called depth first.
        required: Returns whether a field is never null.

    Raises:
        FormatError: An id that is not a number.
    """
    held = list(fields)
    return _Walk(Numbering(set(_ids(held, key))), key, leaf, required).struct(held)


class _Walk:
    """One walk over the columns of a file."""

    def __init__(
        self,
        numbering: Numbering,
        key: bytes,
        leaf: Callable[[pa.Field], Type],
        required: Callable[[pa.Field], bool],
    ) -> None:
        self._numbering, self._key, self._leaf, self._required = numbering, key, leaf, required

    def struct(self, fields: Iterable[pa.Field]) -> StructType:
        """Return the struct of some fields."""
        return StructType(tuple(self._field(each) for each in fields))

    def _field(self, field: pa.Field) -> NestedField:
        """Return a field, whose id is assigned before those of inner fields."""
        number = self._numbering.id_of(_id(field, self._key))
        return NestedField(number, field.name, self._type(field), self._required(field))

    def _type(self, field: pa.Field) -> Type:
        """Return the type of a column."""
        of = field.type
        if pa.types.is_map(of):
            key, value = self._field(of.key_field), self._field(of.item_field)
            return MapType(key.id, key.type, value.id, value.type, value.required)
        if pa.types.is_list(of) or pa.types.is_large_list(of):
            element = self._field(of.value_field)
            return ListType(element.id, element.type, element.required)
        if not pa.types.is_struct(of):
            return self._leaf(field)
        inner = [of.field(number) for number in range(of.num_fields)]
        if {each.name for each in inner[:2]} == set(_VARIANT) and not list(_ids(inner, self._key)):
            for each in inner:
                self._type(each)  # called so that *leaf* is called for their leaves
            return VariantType()
        return self.struct(inner)


def _ids(fields: Iterable[pa.Field], key: bytes) -> Iterator[int]:
    """Yield all ids in a file's fields."""
    for each in fields:
        stored_id = _id(each, key)
        if stored_id is not None:
            yield stored_id
        of = each.type
        if pa.types.is_map(of):
            yield from _ids([of.key_field, of.item_field], key)
        elif pa.types.is_list(of) or pa.types.is_large_list(of):
            yield from _ids([of.value_field], key)
        elif pa.types.is_struct(of):
            yield from _ids([of.field(number) for number in range(of.num_fields)], key)


def _id(field: pa.Field, key: bytes) -> int | None:
    """Return the id of a field; None if the file does not store one."""
    stored_id = (field.metadata or {}).get(key)
    try:
        return None if stored_id is None or int(stored_id) < 0 else int(stored_id)
    except ValueError as error:
        raise FormatError(f"column {field.name}", None, f"id {stored_id!r}", "a number") from error


class Numbering:
    """Gives fields without an id an unused one, counting from 1."""

    def __init__(self, taken: set[int]) -> None:
        """Begin with the ids that are *taken*."""
        self._taken = taken
        self._last = 0

    def id_of(self, stored: Any) -> int:
        """Return the id that a file stores, or else the next unused one."""
        if type(stored) is int:
            return stored
        self._last += 1
        while self._last in self._taken:
            self._last += 1
        return self._last


def decimal_size(precision: int) -> int:
    """Return the fewest bytes for any decimal of that many digits, sign included."""
    most: int = 10**precision - 1
    return most.bit_length() // 8 + 1
