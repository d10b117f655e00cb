"""Types in Parquet files, both ways.

The rules:

- The table of Parquet types says with which physical and logical types a type is written, and
  which others are read as it.
- Lists and maps have three levels.

Source: Iceberg table spec, "Appendix A", Parquet.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from byteloom.datafiles.fields import FIELD_ID
from byteloom.errors import Unsupported
from byteloom.iceberg.file_types.arrow_walk import decimal_size, struct_of
from byteloom.iceberg.types import (
    DecimalType,
    FixedType,
    ListType,
    MapType,
    StructType,
    Type,
    VariantType,
    parse_primitive,
)
from byteloom_generated.iceberg.file_types import PARQUET_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from byteloom_generated.iceberg.file_types import ParquetType

__all__ = ["ParquetLeaf", "from_parquet", "to_parquet"]

_WRITTEN: Final = [each for each in PARQUET_TYPES if each.written]
_READ: Final = {(each.physical, each.logical): each.type for each in reversed(PARQUET_TYPES)}
_UNITS: Final = {"milliseconds": "MILLIS", "microseconds": "MICROS", "nanoseconds": "NANOS"}
_PARAMETERS: Final = {"DECIMAL": "(P, S)", "GEOMETRY": "(C)", "GEOGRAPHY": "(C, A)"}


@dataclass(frozen=True, slots=True)
class ParquetLeaf:
    """A column that stores values.

    Attributes:
        path: The names of all levels, joined by dots.
        physical: The physical type, in lower case.
        logical: The logical type, without the numbers of a decimal; None if it has none.
        size: Bytes of a fixed_len_byte_array; 0 for others.
    """

    path: str
    physical: str
    logical: str | None = None
    size: int = 0


def to_parquet(of: StructType) -> list[ParquetLeaf]:
    """Return the leaves that columns of a struct have in a file."""
    return list(_leaves(of, ()))


def from_parquet(schema: Any, columns: pa.Schema) -> StructType:
    """Return the struct type of a file's columns; fields without ids get new ones.

    Args:
        schema: The file's schema, a `pyarrow.parquet.ParquetSchema`.
        columns: The same schema as Arrow has it, for its names and ids.

    Raises:
        Unsupported: A column of a type that Iceberg does not have.
    """
    leaves = (schema.column(number) for number in range(len(schema)))
    return struct_of(
        list(columns),
        FIELD_ID,
        lambda _: _type(next(leaves)),
        required=lambda each: not each.nullable,
    )


def leaf_of(column: Any) -> ParquetLeaf:
    """Return the leaf for a `pyarrow.parquet.ColumnSchema`."""
    physical = str(column.physical_type).lower()
    return ParquetLeaf(column.path, physical, _logical(column), max(column.length or 0, 0))


def _leaves(of: Type, path: tuple[str, ...]) -> Iterator[ParquetLeaf]:
    """Yield the leaves of a type."""
    if isinstance(of, StructType):
        for each in of.fields:
            yield from _leaves(each.type, (*path, each.name))
    elif isinstance(of, ListType):
        yield from _leaves(of.element, (*path, "list", "element"))
    elif isinstance(of, MapType):
        yield from _leaves(of.key, (*path, "key_value", "key"))
        yield from _leaves(of.value, (*path, "key_value", "value"))
    elif isinstance(of, VariantType):
        for name in ("metadata", "value"):
            yield ParquetLeaf(".".join((*path, name)), "byte_array")
    elif (row := _row(of)).physical != "none":
        yield ParquetLeaf(".".join(path), row.physical, row.logical, _size(row, of))


def _row(of: Type) -> ParquetType:
    """Return the first row of the table that fits a type."""
    digits = of.precision if isinstance(of, DecimalType) else 0
    rows = (each for each in _WRITTEN if each.type == of.kind)
    return next(each for each in rows if digits <= (each.digits or 0))


def _size(row: ParquetType, of: Type) -> int:
    """Return the bytes of a value of fixed width."""
    if isinstance(of, FixedType):
        return of.length
    if isinstance(of, DecimalType):
        return decimal_size(of.precision) if row.size else 0
    return int(row.size or 0)


def _type(column: Any) -> Type:
    """Return the type of a leaf."""
    leaf = leaf_of(column)
    name = _READ.get((leaf.physical, leaf.logical))
    if name is None:
        found = f"{leaf.physical}, {leaf.logical}" if leaf.logical else leaf.physical
        raise Unsupported(f"column {leaf.path}", None, found, "a type of Parquet that Iceberg has")
    if name == "decimal":
        return DecimalType(column.precision, column.scale)
    if name == "fixed":
        return FixedType(leaf.size)
    return parse_primitive(name)


def _logical(column: Any) -> str | None:
    """Return a logical type by its name in the table."""
    logical = json.loads(column.logical_type.to_json())
    name = str(logical["Type"]).upper()
    if name in {"NONE", "UNDEFINED"}:
        return None
    if name in {"TIME", "TIMESTAMP"}:
        utc = str(logical["isAdjustedToUTC"]).lower()
        return f"{name}(isAdjustedToUTC={utc}, {_UNITS.get(logical['timeUnit'], 'unknown')})"
    if name == "INT":
        return f"INT({logical['bitWidth']}, {str(logical['isSigned']).lower()})"
    return f"{name}{_PARAMETERS.get(name, '')}"
