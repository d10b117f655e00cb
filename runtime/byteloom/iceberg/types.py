"""Iceberg's types: what a column may hold, and how a type is written down.

The rules:

- A type is a value: two types are equal if they hold the same data, whoever made them.
- A primitive type is written as text (``decimal(9, 2)``), a nested one as a JSON object
  (`byteloom.iceberg.type_json`).  ``str(type)`` gives the text; a nested type's is for people.
- A field is known by its id; names may change.

Source: Iceberg table spec, "Schemas and Data Types".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final

from byteloom.errors import FormatError, Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = [
    "BinaryType",
    "BooleanType",
    "DateType",
    "DecimalType",
    "DoubleType",
    "FixedType",
    "FloatType",
    "GeographyType",
    "GeometryType",
    "IntegerType",
    "ListType",
    "LongType",
    "MapType",
    "NestedField",
    "NestedType",
    "PrimitiveType",
    "StringType",
    "StructType",
    "TimeType",
    "TimestampNsType",
    "TimestampType",
    "TimestamptzNsType",
    "TimestamptzType",
    "Type",
    "UnknownType",
    "UuidType",
    "VariantType",
    "parse_primitive",
]

MAX_DECIMAL_PRECISION: Final = 38
DEFAULT_CRS: Final = "OGC:CRS84"
EDGE_ALGORITHMS: Final = ("spherical", "vincenty", "thomas", "andoyer", "karney")
DEFAULT_ALGORITHM: Final = "spherical"


class Type:
    """Any type; ask ``isinstance`` of the classes below.

    kind           the spec's name without parameters: ``decimal``, ``struct``
    since          the first format version that allows it: 1 or 3
    is_primitive   True for all but struct, list and map
    """

    __slots__ = ()
    kind: ClassVar[str]
    since: ClassVar[int] = 1
    is_primitive: ClassVar[bool] = True


class PrimitiveType(Type):
    """A type that a partition field, an identifier or a bound can have."""

    __slots__ = ()

    def __str__(self) -> str:
        """The spec's text."""
        return self.kind


@dataclass(frozen=True, slots=True)
class BooleanType(PrimitiveType):
    """True or false."""

    kind: ClassVar[str] = "boolean"


@dataclass(frozen=True, slots=True)
class IntegerType(PrimitiveType):
    """32-bit signed integers."""

    kind: ClassVar[str] = "int"


@dataclass(frozen=True, slots=True)
class LongType(PrimitiveType):
    """64-bit signed integers."""

    kind: ClassVar[str] = "long"


@dataclass(frozen=True, slots=True)
class FloatType(PrimitiveType):
    """32-bit IEEE 754."""

    kind: ClassVar[str] = "float"


@dataclass(frozen=True, slots=True)
class DoubleType(PrimitiveType):
    """64-bit IEEE 754."""

    kind: ClassVar[str] = "double"


@dataclass(frozen=True, slots=True)
class DecimalType(PrimitiveType):
    """Fixed point: *precision* digits, 1 to 38, of which *scale* after the point."""

    precision: int
    scale: int
    kind: ClassVar[str] = "decimal"

    def __post_init__(self) -> None:
        """Refuse digits that no 16 bytes can hold."""
        if not 1 <= self.precision <= MAX_DECIMAL_PRECISION:
            raise FormatError(
                "type", None, str(self), f"a precision of 1 to {MAX_DECIMAL_PRECISION}"
            )

    def __str__(self) -> str:
        """``decimal(9, 2)``, as Java writes it."""
        return f"decimal({self.precision}, {self.scale})"


@dataclass(frozen=True, slots=True)
class DateType(PrimitiveType):
    """Days from 1970-01-01."""

    kind: ClassVar[str] = "date"


@dataclass(frozen=True, slots=True)
class TimeType(PrimitiveType):
    """Microseconds from midnight."""

    kind: ClassVar[str] = "time"


@dataclass(frozen=True, slots=True)
class TimestampType(PrimitiveType):
    """Microseconds from 1970-01-01 00:00:00, in no zone."""

    kind: ClassVar[str] = "timestamp"


@dataclass(frozen=True, slots=True)
class TimestamptzType(PrimitiveType):
    """Microseconds from 1970-01-01 00:00:00 UTC."""

    kind: ClassVar[str] = "timestamptz"


@dataclass(frozen=True, slots=True)
class TimestampNsType(PrimitiveType):
    """Nanoseconds from 1970-01-01 00:00:00, in no zone."""

    kind: ClassVar[str] = "timestamp_ns"
    since: ClassVar[int] = 3


@dataclass(frozen=True, slots=True)
class TimestamptzNsType(PrimitiveType):
    """Nanoseconds from 1970-01-01 00:00:00 UTC."""

    kind: ClassVar[str] = "timestamptz_ns"
    since: ClassVar[int] = 3


@dataclass(frozen=True, slots=True)
class StringType(PrimitiveType):
    """UTF-8 text of any length."""

    kind: ClassVar[str] = "string"


@dataclass(frozen=True, slots=True)
class UuidType(PrimitiveType):
    """RFC 4122's 16 bytes, big-endian."""

    kind: ClassVar[str] = "uuid"


@dataclass(frozen=True, slots=True)
class FixedType(PrimitiveType):
    """*length* bytes, 0 or more."""

    length: int
    kind: ClassVar[str] = "fixed"

    def __str__(self) -> str:
        """``fixed[16]``."""
        return f"fixed[{self.length}]"


@dataclass(frozen=True, slots=True)
class BinaryType(PrimitiveType):
    """Bytes of any length."""

    kind: ClassVar[str] = "binary"


@dataclass(frozen=True, slots=True)
class UnknownType(PrimitiveType):
    """A column whose type nobody knows yet: every value is null, and none is stored."""

    kind: ClassVar[str] = "unknown"
    since: ClassVar[int] = 3


@dataclass(frozen=True, slots=True)
class VariantType(PrimitiveType):
    """Semi-structured values in Parquet's variant encoding: metadata and value.

    The spec calls it neither primitive nor nested; it is written as text like a primitive one.
    """

    kind: ClassVar[str] = "variant"
    since: ClassVar[int] = 3


@dataclass(frozen=True, slots=True)
class GeometryType(PrimitiveType):
    """WKB of points in the plane of the coordinate reference system *crs*."""

    crs: str = DEFAULT_CRS
    kind: ClassVar[str] = "geometry"
    since: ClassVar[int] = 3

    def __str__(self) -> str:
        """``geometry``, with the system where it is not the default."""
        return "geometry" if self.crs == DEFAULT_CRS else f"geometry({self.crs})"


@dataclass(frozen=True, slots=True)
class GeographyType(PrimitiveType):
    """WKB of points on a sphere, whose edges *algorithm* interpolates."""

    crs: str = DEFAULT_CRS
    algorithm: str = DEFAULT_ALGORITHM
    kind: ClassVar[str] = "geography"
    since: ClassVar[int] = 3

    def __post_init__(self) -> None:
        """Refuse an algorithm that the spec does not list."""
        if self.algorithm not in EDGE_ALGORITHMS:
            raise FormatError(
                "type", None, f"edge algorithm {self.algorithm!r}", " | ".join(EDGE_ALGORITHMS)
            )

    def __str__(self) -> str:
        """``geography``, with what is not the default."""
        if self.algorithm != DEFAULT_ALGORITHM:
            return f"geography({self.crs}, {self.algorithm})"
        return "geography" if self.crs == DEFAULT_CRS else f"geography({self.crs})"


@dataclass(frozen=True, slots=True)
class NestedField:
    """A field of a struct, or the element, key or value of a list or map.

    id               unique in its schema
    required         whether null is forbidden
    initial_default  what rows written before the field was added hold; a storage value
    write_default    what a writer stores where it is given no value; a storage value
    extra            JSON keys that the spec does not know, written back as they were
    """

    id: int
    name: str
    type: Type
    required: bool = False
    doc: str | None = None
    initial_default: object = None
    write_default: object = None
    extra: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)

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
    """A tuple of named fields."""

    fields: tuple[NestedField, ...]
    kind: ClassVar[str] = "struct"
    _by_name: dict[str, NestedField] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        """Index the fields; refuse two of one name."""
        object.__setattr__(self, "fields", tuple(self.fields))
        by_name = {each.name: each for each in self.fields}
        if len(by_name) != len(self.fields):
            twice = _first_repeated(each.name for each in self.fields)
            raise FormatError("struct", None, f"two fields named {twice!r}", "distinct names")
        object.__setattr__(self, "_by_name", by_name)

    def field(self, name: str) -> NestedField | None:
        """The field of that very name, or None."""
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
    kind: ClassVar[str] = "list"

    @property
    def fields(self) -> tuple[NestedField, ...]:  # type: ignore[override]
        """The element alone."""
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
        re.compile(r"decimal\(\s*(\d+)\s*,\s*(-?\d+)\s*\)"),
        lambda precision, scale: DecimalType(int(precision), int(scale)),
    ),
    (re.compile(r"fixed\[\s*(\d+)\s*\]"), lambda length: FixedType(int(length))),
    (re.compile(r"geometry\s*\(\s*([^),]+?)\s*\)"), GeometryType),
    (
        re.compile(r"geography\s*\(\s*([^),]+?)\s*(?:,\s*(\w+)\s*)?\)"),
        lambda crs, algorithm: GeographyType(crs, (algorithm or DEFAULT_ALGORITHM).lower()),
    ),
)


def parse_primitive(text: str) -> PrimitiveType:
    """Return the type that *text* names; space between its parts does not count.

    Unsupported   a name that no version of the spec up to 3 has
    FormatError   parameters out of range

    Source: Iceberg table spec, "Appendix C", Schemas.
    """
    plain = text.strip()
    if known := _PLAIN.get(plain):
        return known
    for pattern, make in _WITH_PARAMETERS:
        if found := pattern.fullmatch(plain):
            return make(*found.groups())
    raise Unsupported("type", None, repr(text), "a type of Iceberg's spec, version 1 to 3")


def _first_repeated(names: Iterable[str]) -> str:
    """The first name that came before."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return ""
