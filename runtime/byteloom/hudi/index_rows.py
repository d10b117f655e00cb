"""The rows of one file group of an index as Arrow; the columns depend on the kind of index.

- Files of one index may be written by several schemas; a column that one of them lacks is null.
- Least and greatest values are text here: numbers and times as Arrow writes them, bytes in hex.
- Deleted rows are left out.

Source: https://hudi.apache.org/docs/metadata
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import Unsupported
from byteloom.hudi import keys as key_of
from byteloom.hudi.data_slices import EXTERNAL
from byteloom.hudi.merge import Rows
from byteloom.hudi.properties import BLOOMS, EXPRESSIONS, SECONDARY
from byteloom.hudi.records import (
    BLOOM_FILTER,
    FILES,
    LOCATIONS,
    SECONDARY_INDEX,
    child,
    locations,
    parts,
)
from byteloom.hudi.statistics import statistics
from byteloom.hudi.table import MetadataTable
from byteloom.late import pc

__all__ = ["index_rows", "index_schema"]

_FILES: Final = pa.schema([("partition", pa.string()), ("file", pa.string()), ("size", pa.int64())])
_STATISTICS: Final = pa.schema(
    [
        *((name, pa.string()) for name in ("column", "partition", "file", "min", "max")),
        *(
            (name, pa.int64())
            for name in ("value_count", "null_count", "total_size", "total_uncompressed_size")
        ),
        ("is_tight_bound", pa.bool_()),
    ]
)
_FILTERS: Final = pa.schema(
    [("key", pa.string()), ("type", pa.string()), ("bloom_filter", pa.binary())]
)
_SECONDARY: Final = pa.schema([("value", pa.string()), ("key", pa.string())])


def index_schema(table: MetadataTable, index: str) -> pa.Schema:
    """Return the columns of an index, a partition of the metadata table.

    Raises:
        Unsupported: For a kind of index that is not known.
    """
    return _kind(table, index)[0]


def index_rows(table: MetadataTable, index: str, file_group: str) -> Iterator[pa.Table]:
    """Yield the rows of a file group, in the columns of `index_schema`.

    Args:
        index: The partition of the metadata table.
        file_group: Its id.

    Raises:
        FormatError: For damage.
        Unsupported: What is there is not supported.
    """
    schema, read = _kind(table, index)
    for found in read(table, table.lookup(index, file_group)):
        yield found.select(schema.names).cast(schema)


def _kind(table: MetadataTable, index: str) -> tuple[pa.Schema, _Read]:
    if index.startswith(EXPRESSIONS):
        definition = table.definitions.get(index)
        if definition is not None and definition.type == BLOOMS:
            return _FILTERS, _blooms
    for begin, schema, read in _KINDS:
        if index == begin or (begin.endswith("_") and index.startswith(begin)):
            return schema, read
    known = ", ".join(f"{begin}*" if begin.endswith("_") else begin for begin, _, _ in _KINDS)
    raise Unsupported("partition", None, index, f"an index of a known kind: {known}")


def _files(_: MetadataTable, rows: Iterator[Rows]) -> Iterator[pa.Table]:
    for keys, listed in parts(rows, FILES):
        chosen = pc.not_equal(keys, key_of.ALL_PARTITIONS)
        maps = listed.filter(chosen)
        ends = maps.offsets.to_numpy()
        first, count = int(ends[0]), int(ends[-1] - ends[0])
        parents = pa.array(np.repeat(np.arange(len(maps)), np.diff(ends)))
        paths = keys.filter(chosen).take(parents)
        info = maps.items.slice(first, count)
        found = pa.table(
            {
                "partition": pc.if_else(pc.equal(paths, key_of.NON_PARTITIONED), "", paths),
                "file": pc.replace_substring_regex(maps.keys.slice(first, count), EXTERNAL, ""),
                "size": child(info, "size", pa.int64()),
            }
        )
        yield found.filter(pc.invert(child(info, "isDeleted", pa.bool_())))


def _stats(table: MetadataTable, rows: Iterator[Rows]) -> Iterator[pa.Table]:
    for name, found in statistics(rows, table.partition_paths()).items():
        columns = {each: found[each] for each in found.column_names}
        texts = {bound: _text(columns[bound].combine_chunks()) for bound in ("min", "max")}
        yield pa.table({"column": pa.repeat(name, len(found)), **columns, **texts})


def _blooms(_: MetadataTable, rows: Iterator[Rows]) -> Iterator[pa.Table]:
    for keys, field in parts(rows, BLOOM_FILTER):
        found = pa.table(
            {
                "key": keys,
                "type": child(field, "type", pa.string()),
                "bloom_filter": child(field, "bloomFilter", pa.binary()),
            }
        )
        yield found.filter(pc.invert(child(field, "isDeleted", pa.bool_())))


def _records(table: MetadataTable, rows: Iterator[Rows]) -> Iterator[pa.Table]:
    for each in rows:
        yield locations([each], table.properties)


def _secondary(_: MetadataTable, rows: Iterator[Rows]) -> Iterator[pa.Table]:
    for keys, field in parts(rows, SECONDARY_INDEX):
        deleted = pc.fill_null(child(field, "isDeleted", pa.bool_()), fill_value=False)
        columns = key_of.split_secondary_keys(keys.filter(pc.invert(deleted)))
        yield pa.table(list(columns), schema=_SECONDARY)


def _text(values: pa.Array) -> pa.Array:
    """Return values as text; bytes in hex."""
    if not pa.types.is_binary(values.type):
        return values.cast(pa.string())
    kept = pa.concat_arrays([pa.array([], pa.binary()), pc.fill_null(values, b"")])
    _, offsets, data = kept.buffers()
    ends = 2 * np.frombuffer(offsets, np.int32)[: len(kept) + 1]
    digits = (b"" if data is None else data.to_pybytes()[: ends[-1] // 2]).hex().encode()
    is_there = values.is_valid().to_numpy(zero_copy_only=False)
    mask = pa.py_buffer(np.packbits(is_there, bitorder="little"))
    return pa.StringArray.from_buffers(len(values), pa.py_buffer(ends), pa.py_buffer(digits), mask)


if TYPE_CHECKING:
    _Read = Callable[[MetadataTable, Iterator[Rows]], Iterator[pa.Table]]

_KINDS: Final[tuple[tuple[str, pa.Schema, _Read], ...]] = (
    ("files", _FILES, _files),
    ("column_stats", _STATISTICS, _stats),
    ("partition_stats", _STATISTICS, _stats),
    *((prefix, _STATISTICS, _stats) for prefix in EXPRESSIONS),
    (BLOOMS, _FILTERS, _blooms),
    ("record_index", LOCATIONS, _records),
    (SECONDARY, _SECONDARY, _secondary),
)
"""For each kind of index: its name or prefix, its columns, and its reader."""
