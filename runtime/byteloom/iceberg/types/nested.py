"""Nested types: structs, lists and maps, and their fields; the text of primitive types, parsed.

Source: Iceberg table spec, "Nested Types" and "Appendix C", Schemas.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final

from byteloom.errors import FormatError, Unsupported
from byteloom.iceberg.types.primitive import (
    DEFAULT_ALGORITHM,
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    GeographyType,
    GeometryType,
    IntegerType,
    LongType,
    PrimitiveType,
    StringType,
    TimestampNsType,
    TimestampType,
    TimestamptzNsType,
    TimestamptzType,
    TimeType,
    Type,
    UnknownType,
    UuidType,
    VariantType,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


__all__ = ["ListType", "MapType", "NestedField", "NestedType", "StructType", "parse_primitive"]


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


_PLAIN: Final[dict[str, PrimitiveType]] = {
    each.kind: each
    for each in (
        BooleanType(),
        IntegerType(),
        LongType(),
        FloatType(),
        DoubleType(),
        DateType(),
        TimeType(),
        TimestampType(),
        TimestamptzType(),
        TimestampNsType(),
        TimestamptzNsType(),
        StringType(),
        UuidType(),
        BinaryType(),
        UnknownType(),
        VariantType(),
        GeometryType(),
        GeographyType(),
    )
}

_WITH_PARAMETERS: Final[tuple[tuple[re.Pattern[str], Callable[..., PrimitiveType]], ...]] = (
    (
        re.compile(r"decimal\(\s*(\d{1,10})\s*,\s*(-?\d{1,10})\s*\)", re.ASCII),
        lambda precision, scale: DecimalType(int(precision), int(scale)),
    ),
    (re.compile(r"fixed\[\s*(\d{1,10})\s*\]", re.ASCII), lambda length: FixedType(int(length))),
    (re.compile(r"geometry\s*\(\s*([^),]+?)\s*\)"), GeometryType),
    (
        re.compile(r"geography\s*\(\s*([^),]+?)\s*(?:,\s*(\w+)\s*)?\)"),
        lambda crs, algorithm: GeographyType(crs, (algorithm or DEFAULT_ALGORITHM).lower()),
    ),
)


def parse_primitive(text: str) -> PrimitiveType:
    """Return the type that *text* names; spaces between its parts are ignored.

    Raises:
        Unsupported: A name that no version of the spec up to 3 has.
        FormatError: Parameters out of range.

    Source: Iceberg table spec, "Appendix C", Schemas.
    """
    plain = text.strip()
    if known := _PLAIN.get(plain):
        return known
    for pattern, make in _WITH_PARAMETERS:
        if found := pattern.fullmatch(plain):
            return make(*found.groups())
    raise Unsupported("type", None, repr(text), "a type of Iceberg's spec, version 1 to 3")
