"""What a table's properties ask of single columns of Parquet files.

The rules:

- A property names a column as the table does: ``point.x``, ``tags.element``. One of a column that
  the schema lacks has no effect, as in Java.
- A Bloom filter is made for fewer distinct values than asked for if it would be too large.

Source: https://iceberg.apache.org/docs/latest/configuration/, "Write properties".
"""

from __future__ import annotations

import inspect
import math
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError, Unsupported
from byteloom.late import pq

if TYPE_CHECKING:
    from collections.abc import Mapping

    from byteloom.iceberg.properties import Properties

__all__ = ["column_options", "column_paths", "supported"]

_BLOOM: Final = "write.parquet.bloom-filter-enabled.column."
_FPP: Final = "write.parquet.bloom-filter-fpp.column."
_NDV: Final = "write.parquet.bloom-filter-ndv.column."
_STATISTICS: Final = "write.parquet.stats-enabled.column."
_HASHES: Final = 8
"""Bits of a Bloom filter's block that each value sets."""


def column_paths(properties: Properties, prefix: str, paths: Mapping[str, str]) -> dict[str, bool]:
    """Return what a property says of columns, by their paths in files.

    Args:
        properties: The table's.
        prefix: The property, without the column's name.
        paths: The path of each stored column by its name in the table.

    Raises:
        FormatError: A value other than true and false.
    """
    found = {name: properties.flag(f"{prefix}{name}") for name in properties.below(prefix)}
    return {paths[name]: flag for name, flag in found.items() if name in paths}


def column_options(properties: Properties, paths: Mapping[str, str]) -> dict[str, Any]:
    """Return what pyarrow's writer is asked for about columns.

    Args:
        properties: The table's.
        paths: The path of each stored column by its name in the table.

    Raises:
        FormatError: A property that is no value of its kind.
        Unsupported: A Bloom filter, if pyarrow is too old to write it.
    """
    made: dict[str, Any] = {}
    statistics = column_paths(properties, _STATISTICS, paths)
    if not all(statistics.values()):
        made["write_statistics"] = [each for each in paths.values() if statistics.get(each, True)]
    filters = {
        path: _filter(properties, name)
        for name, path in paths.items()
        if column_paths(properties, _BLOOM, {name: path}).get(path)
    }
    if filters:
        made |= supported("bloom_filter_options", filters, f"{_BLOOM}*")
    return made


def supported(option: str, value: Any, name: str) -> dict[str, Any]:
    """Return an option of pyarrow's writer; `Unsupported` if this release lacks it.

    Args:
        option: The option.
        value: Its value.
        name: The property that asks for it.
    """
    if option not in inspect.signature(pq.ParquetWriter.__init__).parameters:
        wanted = f"a newer pyarrow, whose writer has {option}"
        raise Unsupported(f"properties.{name}", None, str(value), wanted)
    return {option: value}


def _filter(properties: Properties, name: str) -> dict[str, Any]:
    """Return the options of a column's Bloom filter."""
    text = properties.text(f"{_FPP}{name}") or ""
    try:
        share = float(text)
    except ValueError:
        share = math.nan
    if not 0 < share < 1:
        raise FormatError(f"properties.{_FPP}{name}", None, repr(text), "a number between 0 and 1")
    largest = 1 << properties.number("write.parquet.bloom-filter-max-bytes").bit_length() - 1
    most = -largest * 8 * math.log(1 - share ** (1 / _HASHES)) / _HASHES
    return {"ndv": max(1, min(properties.number(f"{_NDV}{name}"), int(most))), "fpp": share}
