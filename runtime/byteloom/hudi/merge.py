"""The rows of one file slice: the base file, with the records of its log files merged in.

- Log records apply in their order: the newest record of a key counts, or the combination of all
  since the last delete.  The result then applies to the base file's record of that key.
- Rows of the base file are returned as they are stored, except for keys that log records touch.

Two records of one key are combined into the one that readers see:

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

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import pyarrow as pa

from byteloom.avro.value_writer import ValueWriter
from byteloom.errors import FormatError, LimitExceeded
from byteloom.hudi.avro_values import decode, parsed, reader_of
from byteloom.hudi.properties import EXPRESSIONS
from byteloom.late import pc

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LogRecords", "Rows", "combine", "decoded", "is_combined", "joined"]

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


_SECONDARY: Final = "SecondaryIndexMetadata"
_MOST: Final = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows whose values have one schema.

    Attributes:
        keys: The keys, binary.
        values: The values, binary, as many as keys: each a record of *schema* in Avro's binary
            form, whose field ``key`` is mostly empty (the key is the one in *keys*).
        schema: JSON of the Avro schema that wrote the values.
    """

    keys: pa.Array
    values: pa.Array
    schema: str


def joined(parts: Sequence[pa.Array]) -> pa.Array:
    """Return binary arrays as one.

    Raises:
        LimitExceeded: For more bytes than one array can have.
    """
    size = sum(each.nbytes for each in parts)
    if size > _MOST:
        raise LimitExceeded(
            "records", None, f"{size} bytes", f"at most {_MOST} in one slice's logs"
        )
    return pa.concat_arrays([pa.array([], pa.binary()), *parts])


class LogRecords:
    """The merged log records of a slice, by key.

    Attributes:
        keys: Binary, each key once.
    """

    def __init__(self, partition: str, records: Sequence[tuple[pa.Array, pa.Array, str]]) -> None:
        """Merge *records*.

        Args:
            partition: The partition of the metadata table.
            records: The records in the order in which they apply: keys, values (null: deleted) and
                the schema of the values.
        """
        self._combined = is_combined(partition)
        self._secondary = partition.startswith("secondary_index")
        self._schemas = list(dict.fromkeys(schema for _, _, schema in records))
        numbers = [self._schemas.index(schema) for _, _, schema in records]
        sizes = [len(keys) for keys, _, _ in records]
        of_schema = np.repeat(np.array(numbers, np.int64), np.array(sizes, np.int64))
        keys = joined([keys for keys, _, _ in records])
        values = joined([each for _, each, _ in records])
        known = keys.dictionary_encode()
        self.keys = known.dictionary
        codes = known.indices.to_numpy(zero_copy_only=False)
        last = np.zeros(len(self.keys), np.int64)
        last[codes] = np.arange(len(codes))  # of several writes to one place, the last one stays
        self._values = values.take(pa.array(last))
        self._schema_of = of_schema[last]
        self._made: dict[int, Value | None] = {}
        if self._combined:
            self._fold(values, of_schema, codes)

    def over(self, base: Iterable[tuple[pa.Array, pa.Array]], schema: str) -> Iterator[Rows]:
        """Yield the rows of the base file, merged with the log records of their keys.

        Args:
            base: Keys and values, in parts.
            schema: The schema of the values.
        """
        for keys, values in base:
            if not len(self.keys):
                yield Rows(keys, values, schema)
                continue
            at = pc.index_in(keys, self.keys)
            untouched = at.is_null()
            if self._combined:
                touched = pc.invert(untouched)
                hits = pa.table([at, values], ["at", "value"]).filter(touched).to_pylist()
                for hit in hits:
                    self._over(hit["at"], (hit["value"], schema))
            rows = Rows(keys.filter(untouched), values.filter(untouched), schema)
            if len(rows.keys):
                yield rows

    def left(self) -> Iterator[Rows]:
        """Yield the rows that only log records have, once `over` has gone through the base file."""
        there = self._values.is_valid().to_numpy(zero_copy_only=False).copy()
        there[list(self._made)] = False
        for number, schema in enumerate(self._schemas):
            mask = pa.array(there & (self._schema_of == number))
            rows = Rows(self.keys.filter(mask), self._values.filter(mask), schema)
            if len(rows.keys):
                yield self._alive(rows)
        made = {at: value for at, value in self._made.items() if value is not None}
        for schema in dict.fromkeys(schema for _, schema in made.values()):
            values = {at: value for at, (value, other) in made.items() if other == schema}
            keys = self.keys.take(pa.array(list(values), pa.int64()))
            yield Rows(keys, pa.array(list(values.values()), pa.binary()), schema)

    def _fold(self, values: pa.Array, of_schema: NDArray[np.int64], codes: NDArray[Any]) -> None:
        """Combine the records of each key that has several, from the oldest to the newest."""
        counts = np.bincount(codes, minlength=len(self.keys))
        several = np.flatnonzero(counts[codes] > 1)
        for at in several.tolist():
            code, value = int(codes[at]), values[at].as_py()
            before = self._made.get(code)
            record = None if value is None else (value, self._schemas[of_schema[at]])
            if before is not None and record is not None:
                record = combine(before, record)
            self._made[code] = record

    def _over(self, at: int, base: Value) -> None:
        """Apply the merged log record of a key to the key's record in the base file."""
        if at in self._made:
            value = self._made[at]
        else:
            bare = self._values[at].as_py()
            value = None if bare is None else (bare, self._schemas[self._schema_of[at]])
        self._made[at] = None if value is None else combine(base, value)

    def _alive(self, rows: Rows) -> Rows:
        """Drop secondary keys whose newest record says that they are deleted."""
        if not self._secondary:
            return rows
        decoded = decode(rows.values, rows.schema, (_SECONDARY,))
        deleted = pc.fill_null(pc.struct_field(decoded, [_SECONDARY, "isDeleted"]), False)  # noqa: FBT003
        mask = pc.invert(deleted)
        return Rows(rows.keys.filter(mask), rows.values.filter(mask), rows.schema)
