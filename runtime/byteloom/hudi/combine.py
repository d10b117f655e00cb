"""Combine two records of one key into the one that readers see.

- Listings of files are combined by name: a file's size is the larger one, and a file that is
  deleted in the newer record is gone.  A deleted file that only the newer record lists stays
  listed, since a still older record may list the file itself.
- Statistics of a column are combined, unless the newer ones are tight or the older ones deleted:
  then only the newer ones count.  A bound of a number is that of the wider type where the column's
  type was changed; there is none of values whose order changed with the type.
- Statistics and Bloom filters that the newer record deletes remove the older record too.
  (Without an older record, the newer one stays, marked as deleted.)
- For all other records only the newer one counts.

Source: https://hudi.apache.org/tech-specs
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, cast

from byteloom.avro.value_writer import ValueWriter
from byteloom.errors import FormatError
from byteloom.hudi.avro import parsed, reader_of
from byteloom.hudi.definitions import EXPRESSIONS

__all__ = ["combine", "decoded", "is_combined"]

LISTINGS: Final = (1, 2)
"""Types of records: all partitions, the files of one."""

STATISTICS: Final = (3, 6)
"""Types of records: of a file's column, of a partition's."""

BLOOM: Final = 4
"""Type of records: the Bloom filter of a file."""

_FILES: Final = "filesystemMetadata"
_STATISTICS: Final = "ColumnStatsMetadata"
_BLOOM: Final = "BloomFilterMetadata"
_COMBINED: Final = ("files", "column_stats", "partition_stats", "bloom_filters")
_SUMS: Final = ("valueCount", "nullCount", "totalSize", "totalUncompressedSize")

Value = tuple[bytes, str]
"""A record in Avro's binary form, and the JSON of its schema."""


def is_combined(partition: str) -> bool:
    """Whether records of a partition of the metadata table are combined at all."""
    return partition in _COMBINED or partition.startswith(EXPRESSIONS)


def combine(older: Value, newer: Value) -> Value | None:
    """Return the combination of two records of one key; None if the key is deleted.

    Raises:
        FormatError: For bytes that are not a record of their schema, and for records that
            cannot have the same key.
    """
    old, new = decoded(*older), decoded(*newer)
    kind = new.get("type")
    if old.get("type") != kind:
        raise FormatError("type", None, f"{old.get('type')} and {kind}", "one type for one key")
    made = new
    if kind in LISTINGS:
        made = {**new, _FILES: _files(old.get(_FILES) or {}, new.get(_FILES) or {})}
    elif kind == BLOOM or kind in STATISTICS:
        body = new.get(_BLOOM if kind == BLOOM else _STATISTICS)
        if body is not None and body["isDeleted"]:
            return None
        if kind in STATISTICS:
            made = {**new, _STATISTICS: _statistics(old, new)}
    return newer if made == new else (_writer_of(newer[1]).write(made), newer[1])


def _files(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Return the listings of two records combined: the size of each file by name."""
    joined = dict(old)
    for name, info in new.items():
        before = old.get(name)
        if before is None:
            joined[name] = info
        elif info["isDeleted"]:
            if not before["isDeleted"]:
                del joined[name]
        else:
            size = max(before["size"], info["size"])
            joined[name] = {**info, "size": size, "isDeleted": False}
    return joined


def _statistics(older: dict[str, Any], newer: dict[str, Any]) -> dict[str, Any]:
    """Return two records of statistics combined."""
    old, new = older.get(_STATISTICS), newer.get(_STATISTICS)
    if old is None or new is None:
        raise FormatError(_STATISTICS, None, "none", "statistics")
    if old["columnName"] != new["columnName"]:
        found = f"{old['columnName']} and {new['columnName']}"
        raise FormatError(f"{_STATISTICS}.columnName", None, found, "one column for one key")
    if old["isDeleted"] or new.get("isTightBound"):
        return dict(new)
    joined = {**new}
    for name in _SUMS:
        joined[name] = (old[name] or 0) + (new[name] or 0)
    joined["minValue"] = _picked(min, old["minValue"], new["minValue"])
    joined["maxValue"] = _picked(max, old["maxValue"], new["maxValue"])
    return joined


def _picked(which: Callable[..., Any], old: Any, new: Any) -> Any:
    there = [each for each in (old, new) if each is not None]
    kinds = {type(_bare(each)) for each in there}
    if kinds == {int, float}:
        wide = next(name for name, record in there if isinstance(record["value"], float))
        there = [(wide, {"value": float(_bare(each))}) for each in there]
    elif len(kinds) > 1:
        return None
    return which(there, key=_java_order, default=None)


def _bare(wrapped: Any) -> Any:
    """Return the value in a wrapper: a branch of a union, given as its name and its record."""
    record = wrapped[1] if isinstance(wrapped, tuple) else wrapped
    return record["value"] if "value" in record else record["wrappedValues"]


def _java_order(wrapped: Any) -> Any:
    """Return a sort key in Java's order: text by UTF-16 units, bytes as signed numbers."""
    value = _bare(wrapped)
    if isinstance(value, str):
        return value.encode("utf-16-be", "surrogatepass")
    if isinstance(value, bytes):
        return [byte - 256 if byte > 127 else byte for byte in value]  # noqa: PLR2004  a sign bit
    if isinstance(value, float):
        return value != value, value  # noqa: PLR0124  NaN is above all
    if isinstance(value, list):
        return [_java_order(each) for each in value]
    return value


def decoded(value: bytes, schema: str) -> dict[str, Any]:
    """Return a record; where a union has several types of records, with the name of the type.

    Raises:
        FormatError: For bytes that are not a record of *schema*.
    """
    reader = reader_of(schema)
    try:
        return cast("dict[str, Any]", reader.read(value))
    except FormatError as error:
        raise error.inside("value") from error.__cause__


@lru_cache(maxsize=32)
def _writer_of(schema: str) -> ValueWriter:
    return ValueWriter(parsed(schema))
