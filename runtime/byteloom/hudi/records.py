"""Rows of one index as Arrow: their keys as text, and one field of their values; places of records.

- A value is read by the schema that came with it; a field that an older schema lacks is null.
- Rows whose field is null belong to another index and are left out.
- The record index has for each record key the partition and the file group that hold the record.
  A file group is named by a UUID and a number, kept as three integers; any other name is kept as
  text.
- The instant is kept as milliseconds since 1970.  It is formatted as Hudi does: in UTC if the
  table says so, otherwise in the time zone of this machine.

Source: https://hudi.apache.org/docs/metadata; https://hudi.apache.org/docs/indexes#record-index
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, found_by
from byteloom.hudi.avro_values import decode
from byteloom.hudi.merge import Rows
from byteloom.kernels.hudi import uuid_text
from byteloom.late import pc

__all__ = [
    "BLOOM_FILTER",
    "COLUMN_STATS",
    "FILES",
    "LOCATIONS",
    "RECORD_INDEX",
    "SECONDARY_INDEX",
    "child",
    "locations",
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


LOCATIONS: Final = pa.schema(
    [
        pa.field("key", pa.string(), nullable=False),
        pa.field("partition", pa.string(), nullable=False),
        pa.field("file_id", pa.string(), nullable=False),
        pa.field("instant", pa.string()),
        pa.field("position", pa.int64()),
    ]
)
"""A record key and where its record is; *position* is its position in the base file, if known."""

_INT: Final = np.iinfo(np.int32)
_UUID, _TEXT = 0, 1
_ZONE: Final = "hoodie.table.timeline.timezone"
_MOST: Final = 253402300799999
"""The last millisecond of the year 9999; later instants have no valid name."""


def locations(rows: Iterable[Rows], properties: Mapping[str, str]) -> pa.Table:
    """Return rows of a record index as a table of `LOCATIONS`, in their order.

    Raises:
        FormatError: For a value that names no file group.
    """
    batches = [
        _batch(keys, field, utc=properties.get(_ZONE, "").upper() == "UTC")
        for keys, field in parts(rows, RECORD_INDEX)
    ]
    return pa.Table.from_batches(batches, schema=LOCATIONS)


def _batch(keys: pa.Array, field: pa.Array, *, utc: bool) -> pa.RecordBatch:
    position = child(field, "position", pa.int64())
    columns = [
        keys,
        _needed(field, "partitionName", pa.string()),
        _file_ids(field),
        _instants(child(field, "instantTime", pa.int64()), utc=utc),
        pc.if_else(pc.equal(position, -1), None, position),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=LOCATIONS)


def _needed(field: pa.Array, name: str, kind: Any) -> pa.Array:
    column = child(field, name, kind)
    if column is None or column.null_count:
        raise FormatError(f"{RECORD_INDEX}.{name}", None, "null", "a value")
    return column


def _file_ids(field: pa.Array) -> pa.Array:
    """Return the ids of file groups as text."""
    encoding = _needed(field, "fileIdEncoding", pa.int32())
    is_text = pc.equal(encoding, _TEXT)
    others = pc.unique(encoding.filter(pc.invert(is_text))).to_pylist()
    if others not in ([], [_UUID]):
        raise FormatError(f"{RECORD_INDEX}.fileIdEncoding", None, others, "0 or 1")
    texts = child(field, "fileId", pa.string())
    if not others:
        return _needed(field, "fileId", pa.string())
    words = _uuids(field, is_text)
    if not pc.any(is_text).as_py():
        return words
    found = pc.if_else(is_text, texts, words)
    if found.null_count:
        raise FormatError(f"{RECORD_INDEX}.fileId", None, "null", "a value")
    return found


def _uuids(field: pa.Array, is_text: pa.Array) -> pa.Array:
    words = []
    for name in ("fileIdHighBits", "fileIdLowBits", "fileIndex"):
        column = pc.if_else(is_text, 0, child(field, name, pa.int64()))
        if column.null_count:
            raise FormatError(f"{RECORD_INDEX}.{name}", None, "null", "a value")
        words.append(column.cast(pa.int64()).to_numpy(zero_copy_only=False))
    high, low, index = words
    wrong = index[(index < _INT.min) | (index > _INT.max)]
    if len(wrong):  # its text would not fit the 48 bytes reserved below
        raise FormatError(f"{RECORD_INDEX}.fileIndex", None, int(wrong[0]), "32 bits")
    offsets = np.empty(len(field) + 1, np.int64)
    out = np.empty(48 * max(len(field), 1), np.uint8)
    uuid_text(high, low, index, offsets, out)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(out)]
    return pa.Array.from_buffers(pa.large_string(), len(field), buffers).cast(pa.string())


def _instants(times: pa.Array, *, utc: bool) -> pa.Array:
    """Return milliseconds as ``yyyyMMddHHmmssSSS``; many rows share few instants."""
    coded = times.dictionary_encode()
    names = [_instant(time, utc=utc) for time in coded.dictionary.to_pylist()]
    return pa.DictionaryArray.from_arrays(coded.indices, pa.array(names, pa.string())).cast(
        pa.string()
    )


def _instant(time: int, *, utc: bool) -> str:
    if not 0 <= time <= _MOST:
        raise FormatError(f"{RECORD_INDEX}.instantTime", None, time, "milliseconds since 1970")
    zone = datetime.fromtimestamp(time // 1000, UTC)
    at = zone if utc else zone.astimezone()
    return f"{at:%Y%m%d%H%M%S}{time % 1000:03d}"
