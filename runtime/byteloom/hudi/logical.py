"""Logical types of columns whose values come from base files and from log files.

Parquet's columns have their logical types.  Columns of Avro's log records are as stored:
times since 1970 and days are integers, a decimal is its unscaled number in big-endian bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from byteloom.hudi.value_types import decimals

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["logical_types", "typed"]


def logical_types(tables: Iterable[pa.Table]) -> dict[str, pa.DataType]:
    """Return the logical types of columns by name, for those that have one in some table."""
    return {
        field.name: _in_micros(field.type)
        for table in tables
        for field in table.schema
        if pa.types.is_temporal(field.type) or pa.types.is_decimal(field.type)
    }


def typed(table: pa.Table, types: Mapping[str, pa.DataType]) -> pa.Table:
    """Return *table* with its columns converted to these types; columns of nulls stay as they are.

    raises  `pyarrow.ArrowException` for a column that cannot be converted
    """
    for place, name in enumerate(table.column_names):
        wanted, column = types.get(name), table[name]
        if wanted is not None and column.type != wanted and not pa.types.is_null(column.type):
            if pa.types.is_decimal(wanted) and _is_bytes(column.type):
                made = decimals(column.combine_chunks(), wanted)
            else:
                made = column.cast(wanted, safe=False)
            table = table.set_column(place, name, made)
    return table


def _in_micros(of: pa.DataType) -> pa.DataType:
    """Return the type with microseconds for nanoseconds, which Hudi's logs do not have."""
    if pa.types.is_timestamp(of) and of.unit == "ns":
        return pa.timestamp("us", of.tz)
    return of


def _is_bytes(of: pa.DataType) -> bool:
    return bool(pa.types.is_binary(of) or pa.types.is_fixed_size_binary(of))
