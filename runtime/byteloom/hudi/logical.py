"""Types of columns whose values come from several files: base files and log files.

- Parquet's columns have their logical types.  Columns of Avro's log records are as stored: times
  since 1970 and days are integers, a decimal is its unscaled number in big-endian bytes.
- Numbers of a column whose type was changed get the widest type.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyarrow as pa

from byteloom.hudi.value_types import NUMBERS, common_type, decimals

__all__ = ["logical_types", "typed"]


def logical_types(tables: Iterable[pa.Table]) -> dict[str, pa.DataType]:
    """Return the types that columns are converted to, by name, for those that may need it."""
    found: dict[str, list[pa.DataType]] = {}
    for table in tables:
        for field in table.schema:
            found.setdefault(field.name, []).append(_in_micros(field.type))
    wanted = {name: _wanted(kinds) for name, kinds in found.items()}
    return {name: kind for name, kind in wanted.items() if kind is not None}


def _wanted(kinds: list[pa.DataType]) -> pa.DataType | None:
    """Return the type for the values of one column; None if they stay as they are."""
    temporal = [each for each in kinds if pa.types.is_temporal(each)]
    if temporal:
        return temporal[-1]
    numbers = {each for each in kinds if pa.types.is_decimal(each) or each in NUMBERS}
    is_decimal = any(pa.types.is_decimal(each) for each in numbers)
    return common_type(numbers) if is_decimal or len(numbers) > 1 else None


def typed(table: pa.Table, types: Mapping[str, pa.DataType]) -> pa.Table:
    """Return *table* with its columns converted to these types; columns of nulls stay as they are.

    Raises:
        pyarrow.ArrowException: For a column that cannot be converted.
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
