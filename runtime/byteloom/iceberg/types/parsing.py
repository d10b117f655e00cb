"""Parse the text of primitive types.

Source: Iceberg table spec, "Appendix C", Schemas.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from byteloom.errors import Unsupported
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
    UnknownType,
    UuidType,
    VariantType,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["parse_primitive"]

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
