"""The rows of one file slice: the base file, with the records of its log files merged in.

- Log records apply in their order: the newest record of a key counts, or the combination of all
  since the last delete.  The result then applies to the base file's record of that key.
- Rows of the base file are returned as they are stored, except for keys that log records touch.

Source: https://hudi.apache.org/tech-specs
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import LimitExceeded
from byteloom.hudi.avro_values import decode
from byteloom.hudi.combine import Value, combine, is_combined
from byteloom.late import pc

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LogRecords", "Rows", "joined"]

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
