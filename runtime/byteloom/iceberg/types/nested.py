"""Nested types: structs, lists and maps, and their fields.

Source: Iceberg table spec, "Nested Types".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from byteloom.errors import FormatError
from byteloom.iceberg.types.primitive import Type

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["ListType", "MapType", "NestedField", "NestedType", "StructType"]


@dataclass(frozen=True, slots=True)
class NestedField:
    """A field of a struct, or the element, key or value of a list or map.

    Attributes:
        id: Unique in its schema.
        required: Whether null is forbidden.
        initial_default: The value in rows written before the field was added; a storage value.
        write_default: The value that a writer stores if it is given none; a storage value.
        extra: JSON keys that the spec does not know, written back as they were.
    """

    id: int
    name: str
    type: Type
    required: bool = False
    doc: str | None = None
    initial_default: object = None
    write_default: object = None
    extra: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse a required field of type unknown, whose only value is null."""
        if self.required and self.type.kind == "unknown":
            wanted = "an optional one: its values are all null"
            raise FormatError(self.name, None, "a required field of type unknown", wanted)

    def __str__(self) -> str:
        """``3: total: required double``."""
        need = "required" if self.required else "optional"
        return f"{self.id}: {self.name}: {need} {self.type}"


class NestedType(Type):
    """A struct, a list or a map: a type with fields."""

    __slots__ = ()
    is_primitive: ClassVar[bool] = False
    fields: tuple[NestedField, ...]


@dataclass(frozen=True, slots=True)
class StructType(NestedType):
    """A tuple of named fields.

    Attributes:
        extra: Other JSON keys, written back as they were; likewise for lists and maps.
    """

    fields: tuple[NestedField, ...]
    extra: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)
    kind: ClassVar[str] = "struct"
    _by_name: dict[str, NestedField] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        """Index the fields; refuse two with the same name."""
        object.__setattr__(self, "fields", tuple(self.fields))
        by_name = {each.name: each for each in self.fields}
        if len(by_name) != len(self.fields):
            twice = _first_repeated(each.name for each in self.fields)
            raise FormatError("struct", None, f"two fields named {twice!r}", "distinct names")
        object.__setattr__(self, "_by_name", by_name)

    def field(self, name: str) -> NestedField | None:
        """Return the field with exactly that name, or None."""
        return self._by_name.get(name)

    def __str__(self) -> str:
        """``struct<1: a: optional int>``."""
        return f"struct<{', '.join(map(str, self.fields))}>"


@dataclass(frozen=True, slots=True)
class ListType(NestedType):
    """Any number of elements of one type."""

    element_id: int
    element: Type
    element_required: bool = False
    extra: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)
    kind: ClassVar[str] = "list"

    @property
    def fields(self) -> tuple[NestedField, ...]:  # type: ignore[override]
        """The element, as the only field."""
        return (NestedField(self.element_id, "element", self.element, self.element_required),)

    def __str__(self) -> str:
        """``list<int>``."""
        return f"list<{self.element}>"


@dataclass(frozen=True, slots=True)
class MapType(NestedType):
    """Pairs of a key, never null, and a value."""

    key_id: int
    key: Type
    value_id: int
    value: Type
    value_required: bool = False
    extra: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)
    kind: ClassVar[str] = "map"

    @property
    def fields(self) -> tuple[NestedField, ...]:  # type: ignore[override]
        """The key and the value."""
        return (
            NestedField(self.key_id, "key", self.key, required=True),
            NestedField(self.value_id, "value", self.value, self.value_required),
        )

    def __str__(self) -> str:
        """``map<string, int>``."""
        return f"map<{self.key}, {self.value}>"


def _first_repeated(names: Iterable[str]) -> str:
    """Return the first name that occurred before."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return ""
