"""Primitive types: a class for each, with its row of the spec's table.

Source: Iceberg table spec, "Primitive Types".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from byteloom.errors import FormatError
from byteloom_generated.iceberg.types import (
    NESTED_TYPES,
    PARAMETERS,
    PRIMITIVE_TYPES,
    TypeRow,
)

__all__ = [
    "DEFAULT_ALGORITHM",
    "DEFAULT_CRS",
    "EDGE_ALGORITHMS",
    "MAX_DECIMAL_PRECISION",
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
    "LongType",
    "PrimitiveType",
    "StringType",
    "TimeType",
    "TimestampNsType",
    "TimestampType",
    "TimestamptzNsType",
    "TimestamptzType",
    "Type",
    "UnknownType",
    "UuidType",
    "VariantType",
]

_ROWS: Final = {each.name: each for each in (*PRIMITIVE_TYPES, *NESTED_TYPES)}
_PARAMETERS: Final = {(each.type, each.name): each for each in PARAMETERS}

_LONGEST: Final = 1 << 31
MAX_DECIMAL_PRECISION: Final = _PARAMETERS["decimal", "P"].most or 0
DEFAULT_CRS: Final = _PARAMETERS["geometry", "C"].default or ""
EDGE_ALGORITHMS: Final = _PARAMETERS["geography", "A"].words
DEFAULT_ALGORITHM: Final = _PARAMETERS["geography", "A"].default or ""


class Type:
    """Any type; distinguish types by ``isinstance`` with the classes below.

    Attributes:
        kind: The spec's name without parameters: ``decimal``, ``struct``.
        row: The spec's row of it.
        since: The first format version that allows it: 1 or 3.
        is_primitive: True for all but struct, list and map.
    """

    __slots__ = ()
    kind: ClassVar[str]
    row: ClassVar[TypeRow]
    since: ClassVar[int]
    is_primitive: ClassVar[bool] = True

    def __init_subclass__(cls) -> None:
        """Look up the spec's row of the kind."""
        if "kind" in vars(cls):
            cls.row = _ROWS[cls.kind]
            cls.since = cls.row.since


class PrimitiveType(Type):
    """A type that a partition field, an identifier or a bound can have."""

    __slots__ = ()

    def __str__(self) -> str:
        """The type's text in the spec."""
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
    """Fixed point: *precision* digits, 1 to 38, with *scale* of them after the point."""

    precision: int
    scale: int
    kind: ClassVar[str] = "decimal"

    def __post_init__(self) -> None:
        """Refuse more digits than 16 bytes can store."""
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
    """Microseconds since midnight."""

    kind: ClassVar[str] = "time"


@dataclass(frozen=True, slots=True)
class TimestampType(PrimitiveType):
    """Microseconds since 1970-01-01 00:00:00, in no zone."""

    kind: ClassVar[str] = "timestamp"


@dataclass(frozen=True, slots=True)
class TimestamptzType(PrimitiveType):
    """Microseconds since 1970-01-01 00:00:00 UTC."""

    kind: ClassVar[str] = "timestamptz"


@dataclass(frozen=True, slots=True)
class TimestampNsType(PrimitiveType):
    """Nanoseconds since 1970-01-01 00:00:00, in no zone."""

    kind: ClassVar[str] = "timestamp_ns"


@dataclass(frozen=True, slots=True)
class TimestamptzNsType(PrimitiveType):
    """Nanoseconds since 1970-01-01 00:00:00 UTC."""

    kind: ClassVar[str] = "timestamptz_ns"


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
    """*length* bytes, 0 to 2^31 - 1."""

    length: int
    kind: ClassVar[str] = "fixed"

    def __post_init__(self) -> None:
        """Refuse lengths that no value can have."""
        if not 0 <= self.length < _LONGEST:
            raise FormatError("type", None, str(self), f"a length of 0 to {_LONGEST - 1}")

    def __str__(self) -> str:
        """``fixed[16]``."""
        return f"fixed[{self.length}]"


@dataclass(frozen=True, slots=True)
class BinaryType(PrimitiveType):
    """Bytes of any length."""

    kind: ClassVar[str] = "binary"


@dataclass(frozen=True, slots=True)
class UnknownType(PrimitiveType):
    """A column whose type is not known yet: every value is null, and none is stored."""

    kind: ClassVar[str] = "unknown"


@dataclass(frozen=True, slots=True)
class VariantType(PrimitiveType):
    """Semi-structured values in Parquet's variant encoding: metadata and value.

    The spec calls it neither primitive nor nested; it is written as text like a primitive one.
    """

    kind: ClassVar[str] = "variant"


@dataclass(frozen=True, slots=True)
class GeometryType(PrimitiveType):
    """WKB of shapes in the plane of the coordinate reference system *crs*."""

    crs: str = DEFAULT_CRS
    kind: ClassVar[str] = "geometry"

    def __str__(self) -> str:
        """``geometry``, with the reference system if it is not the default."""
        return "geometry" if self.crs == DEFAULT_CRS else f"geometry({self.crs})"


@dataclass(frozen=True, slots=True)
class GeographyType(PrimitiveType):
    """WKB of shapes on a sphere, whose edges are interpolated by *algorithm*."""

    crs: str = DEFAULT_CRS
    algorithm: str = DEFAULT_ALGORITHM
    kind: ClassVar[str] = "geography"

    def __post_init__(self) -> None:
        """Refuse an algorithm that the spec does not list."""
        if self.algorithm not in EDGE_ALGORITHMS:
            raise FormatError(
                "type", None, f"edge algorithm {self.algorithm!r}", " | ".join(EDGE_ALGORITHMS)
            )

    def __str__(self) -> str:
        """``geography``, with the parameters that are not the defaults."""
        if self.algorithm != DEFAULT_ALGORITHM:
            return f"geography({self.crs}, {self.algorithm})"
        return "geography" if self.crs == DEFAULT_CRS else f"geography({self.crs})"
