"""Statistics of columns, by file and by partition, and of expressions over a column.

- The keys of their rows have only hashes of column and partition; names of columns and files are in
  the values, and the partition of a file is found among the table's partitions.
- An expression index holds rows of files and rows of partitions side by side; rows of partitions
  have the partition in place of the file.

Source: https://hudi.apache.org/docs/metadata_indexing
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import pyarrow as pa

from byteloom.hudi import keys as key_of
from byteloom.hudi.merge import Rows
from byteloom.hudi.records import COLUMN_STATS, child, parts
from byteloom.hudi.value_types import common_type, native, widened
from byteloom.late import pc

__all__ = ["statistics"]

_COUNTS: Final = (
    ("value_count", "valueCount"),
    ("null_count", "nullCount"),
    ("total_size", "totalSize"),
    ("total_uncompressed_size", "totalUncompressedSize"),
)
_HASH: Final = 12
"""Characters of a hash of 64 bits in Base64."""


def statistics(rows: Iterable[Rows], partitions: Iterable[str]) -> dict[str, pa.Table]:
    """Return the statistics of each column by its name.

    Args:
        partitions: Paths of all possible partitions.

    Returns:
        Tables of partition (None if it is not one of *partitions*), file (None for statistics
        of a partition), min and max in the type of the column, value_count, null_count,
        total_size, total_uncompressed_size, is_tight_bound (false where an older release stored
        nothing of it, as in Hudi).
    """
    known = {key_of.bloom_filter_key(each, "")[:_HASH]: each for each in partitions}
    found: dict[str, list[pa.RecordBatch]] = {}
    for keys, field in parts(rows, COLUMN_STATS):
        there = pc.invert(pc.fill_null(child(field, "isDeleted", pa.bool_()), fill_value=False))
        names = pc.fill_null(child(field, "columnName", pa.string()), "")
        for name in pc.unique(names.filter(there)).to_pylist():
            chosen = pc.and_(there, pc.equal(names, name))
            batch = _batch(keys.filter(chosen), field.filter(chosen), known)
            found.setdefault(name, []).append(batch)
    return {name: _joined(found[name]) for name in sorted(found)}


def _batch(keys: pa.Array, field: pa.Array, known: dict[str, str]) -> pa.RecordBatch:
    """Return the statistics of one column."""
    low, high = native(field)
    files = child(field, "fileName", pa.string())
    of_files = pc.equal(pc.utf8_length(keys), _HASH + _HASH + 2 * _HASH)
    columns = {
        "partition": _partitions(keys, of_files, known),
        "file": pc.if_else(of_files, files, None),
        "min": low,
        "max": high,
        **{name: child(field, stored, pa.int64()) for name, stored in _COUNTS},
        "is_tight_bound": pc.fill_null(child(field, "isTightBound", pa.bool_()), fill_value=False),
    }
    return pa.RecordBatch.from_pydict(columns)


def _partitions(keys: pa.Array, of_files: pa.Array, known: dict[str, str]) -> pa.Array:
    """Return the partition of each key, by the second hash or, for a partition's key, the last."""
    second = pc.utf8_slice_codeunits(keys, _HASH, 2 * _HASH)
    hashes = pc.if_else(of_files, second, pc.utf8_slice_codeunits(keys, -_HASH))
    index = pc.index_in(hashes, pa.array(list(known), pa.string()))
    return pa.array(list(known.values()), pa.string()).take(index)


def _joined(batches: list[pa.RecordBatch]) -> pa.Table:
    """Return batches of one column as a table, with bounds in a common type."""
    kind = common_type({each.column(name).type for each in batches for name in ("min", "max")})
    tables = [_as(pa.Table.from_batches([each]), kind) for each in batches]
    return pa.concat_tables(tables).combine_chunks()


def _as(table: pa.Table, kind: Any) -> pa.Table:
    for name in ("min", "max"):
        bounds = table[name].combine_chunks()
        if bounds.type != kind:
            place = table.schema.get_field_index(name)
            table = table.set_column(place, name, widened(bounds, kind))
    return table
