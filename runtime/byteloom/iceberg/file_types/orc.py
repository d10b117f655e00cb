"""Types in ORC files, both ways.

The rules:

- The table of ORC types says which ORC type and attributes a type is written with, and which
  others are read as it.
- Attributes that a row does not name are ignored: Java writes ``iceberg.long-type=LONG`` too.

Source: Iceberg table spec, "Appendix A", ORC.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from byteloom.errors import FormatError, Unsupported
from byteloom.iceberg.file_types.arrow_walk import struct_of
from byteloom.iceberg.types import (
    DecimalType,
    FixedType,
    NestedType,
    StructType,
    Type,
    parse_primitive,
)
from byteloom_generated.iceberg.file_types import ORC_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from byteloom.iceberg.types import NestedField

__all__ = ["OrcColumn", "from_orc", "to_orc"]

_ID, _REQUIRED, _LENGTH = "iceberg.id", "iceberg.required", "iceberg.length"
_WRITTEN: Final = {each.type: each for each in reversed(ORC_TYPES) if each.written}
_ARROW: Final[dict[str, str]] = {
    "bool": "boolean",
    "int8": "tinyint",
    "int16": "smallint",
    "int32": "int",
    "int64": "bigint",
    "float": "float",
    "double": "double",
    "date32[day]": "date",
    "timestamp[ns]": "timestamp",
    "timestamp[ns, tz=UTC]": "timestamp with local time zone",
    "string": "string",
    "binary": "binary",
}
"""pyarrow's names for the types of ORC; it reads varchar and char as strings."""


@dataclass(frozen=True, slots=True)
class OrcColumn:
    """A column, or a field, element, key or value inside of one.

    Attributes:
        path: The names of all levels, joined by dots.
        orc: The ORC type.
        attributes: Attributes of the ORC type.
    """

    path: str
    orc: str
    attributes: Mapping[str, str] = field(default_factory=dict)


def to_orc(of: StructType) -> list[OrcColumn]:
    """Return the columns of a struct's fields in a file, inner ones included, depth first."""
    return list(_columns(of.fields, ()))


def from_orc(columns: pa.Schema) -> StructType:
    """Return the struct type of a file's columns; fields without ids get new ones.

    Args:
        columns: The file's columns, as `pyarrow.orc.ORCFile` returns them.

    Raises:
        FormatError: A length that is not a number.
        Unsupported: A column of a type that Iceberg does not have.
    """
    return struct_of(list(columns), _ID.encode(), _type, required=_is_required)


def _columns(fields: tuple[NestedField, ...], path: tuple[str, ...]) -> Iterator[OrcColumn]:
    """Yield fields and those inside them, without those that files do not store."""
    for each in fields:
        row, place = _WRITTEN[each.type.kind], (*path, each.name)
        if row.orc == "none":
            continue
        own = {_ID: str(each.id), _REQUIRED: str(each.required).lower()}
        attributes = (text.split("=") for text in row.attributes)
        own |= {key: _parameter(each.type, value) for key, value in attributes}
        orc = row.orc
        if isinstance(each.type, DecimalType):
            orc = f"decimal({each.type.precision}, {each.type.scale})"
        yield OrcColumn(".".join(place), orc, own)
        if isinstance(each.type, NestedType):
            yield from _columns(each.type.fields, place)


def _parameter(of: Type, value: str) -> str:
    """Return the value of an attribute; L stands for the type's length."""
    return str(of.length) if isinstance(of, FixedType) and value == "L" else value


def _attributes(column: pa.Field) -> dict[str, str]:
    """The attributes of a column's type."""
    return {key.decode(): value.decode() for key, value in (column.metadata or {}).items()}


def _is_required(column: pa.Field) -> bool:
    """Whether a column is never null."""
    return _attributes(column).get(_REQUIRED) == "true"


def _type(column: pa.Field) -> Type:
    """Return the type of a leaf: that of the row of which it has most attributes."""
    of, own = column.type, _attributes(column)
    if pa.types.is_decimal(of):
        return DecimalType(of.precision, of.scale)
    kind = _ARROW.get(str(of))
    rows = [each for each in ORC_TYPES if each.orc == kind and _fits(each.attributes, own)]
    if not rows:
        wanted = "a type of ORC that Iceberg has"
        raise Unsupported(f"column {column.name}", None, str(of), wanted)
    name = max(rows, key=lambda each: len(each.attributes)).type
    if name != "fixed":
        return parse_primitive(name)
    try:
        return FixedType(int(own[_LENGTH]))
    except ValueError as error:
        where = f"column {column.name}.{_LENGTH}"
        raise FormatError(where, None, own[_LENGTH], "a number of bytes") from error


def _fits(attributes: tuple[str, ...], own: Mapping[str, str]) -> bool:
    """Return whether a column has these attributes."""
    pairs = (each.split("=") for each in attributes)
    return all(key in own and value in {own[key], "L"} for key, value in pairs)
