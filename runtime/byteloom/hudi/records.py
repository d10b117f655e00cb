"""Rows of one index as Arrow: their keys as text, and one field of their values.

- A value is read by the schema that came with it; a field that an older schema lacks is null.
- Rows whose field is null belong to another index and are left out.

Source: https://hudi.apache.org/docs/metadata
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import pyarrow as pa

from byteloom.errors import FormatError, found_by
from byteloom.hudi.avro_values import decode
from byteloom.hudi.merge import Rows
from byteloom.late import pc

__all__ = [
    "BLOOM_FILTER",
    "COLUMN_STATS",
    "FILES",
    "RECORD_INDEX",
    "SECONDARY_INDEX",
    "child",
    "parts",
]

BLOOM_FILTER: Final = "BloomFilterMetadata"
COLUMN_STATS: Final = "ColumnStatsMetadata"
FILES: Final = "filesystemMetadata"
RECORD_INDEX: Final = "recordIndexMetadata"
SECONDARY_INDEX: Final = "SecondaryIndexMetadata"

PIECE: Final = 1 << 14
"""Rows that are decoded at a time, few enough for their columns to stay in the CPU's cache."""


def parts(rows: Iterable[Rows], name: str) -> Iterator[tuple[pa.Array, pa.Array]]:
    """Yield keys as text, and the field *name* of their values as structs.

    Raises:
        FormatError: For a value that does not fit its schema, and for a key that is not UTF-8.
    """
    for each in rows:
        for at in range(0, len(each.keys), PIECE):
            values = decode(each.values.slice(at, PIECE), each.schema, (name,), first=at)
            field = child(values, name)
            if field is None:
                continue
            keys = _texts(each.keys.slice(at, PIECE))
            if field.null_count:
                there = field.is_valid()
                keys, field = keys.filter(there), field.filter(there)
            if len(keys):
                yield keys, field


def _texts(keys: pa.Array) -> pa.Array:
    try:
        return keys.cast(pa.string())
    except pa.ArrowInvalid as error:
        found = found_by("invalid UTF-8", error)
        raise FormatError("keys", None, found, "text in UTF-8") from error


def child(struct: pa.Array | None, name: str, kind: Any = None) -> pa.Array | None:
    """Return a field of structs, null where they are null; None if the schema lacks it.

    Args:
        kind: If given, nulls of this Arrow type are returned instead of None.
    """
    if struct is not None and struct.type.get_field_index(name) >= 0:
        return pc.struct_field(struct, name)
    return None if kind is None else pa.nulls(0 if struct is None else len(struct), kind)
