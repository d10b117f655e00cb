"""Check the metadata about files and keys: listings, Bloom filters, record and secondary indexes.

- A Bloom filter has to pass every key of its file, or every value of an expression.
- Records and rows of an index of record keys are joined by their keys.  Rows that point at a file
  group which could not be read are neither right nor wrong.

Source: https://hudi.apache.org/docs/metadata; https://hudi.apache.org/docs/indexes
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pyarrow as pa

from byteloom.hfile.hudi_bloom import HudiBloomFilter
from byteloom.hudi.audit_expressions import DEPENDS_ON_ZONE, Indexed
from byteloom.hudi.data_slices import path_of, stored_file, stored_sizes
from byteloom.hudi.evidence import Evidence, unread_groups
from byteloom.hudi.findings import Audit, Finding, Kind, Skipped
from byteloom.hudi.properties import BLOOMS
from byteloom.hudi.table import MetadataTable
from byteloom.late import pc

__all__ = [
    "audit_blooms",
    "audit_filters",
    "audit_listing",
    "audit_record_index",
    "audit_secondary_index",
    "texts",
]

_RECORD_INDEX: Final = "record_index"
_NO_NULLS_KEPT: Final = 1
"""The version of secondary indexes that may leave out records without a value."""


def audit_record_index(table: MetadataTable, evidence: Evidence, out: Audit) -> None:
    """Compare the places of records in the record index with their true places."""
    data = evidence.records
    records = data.table.select(["key", "partition", "file_id"])
    indexed = table.record_index().select(["key", "partition", "file_id"])
    out.count(_RECORD_INDEX, len(records))
    keys = ["key", "partition"] if table.is_record_index_partitioned else ["key"]
    names = ["key", "indexed_partition", "indexed_file"] if len(keys) == 1 else None
    renamed = indexed.rename_columns(names or ["key", "partition", "indexed_file"])
    joined = records.join(renamed, keys, join_type="full outer", use_threads=False)
    same = pc.equal(joined["file_id"], joined["indexed_file"])
    if names:
        same = pc.and_(same, pc.equal(joined["partition"], joined["indexed_partition"]))
    apart = joined.filter(pc.invert(pc.fill_null(same, fill_value=False)))
    for row in apart.sort_by("key").to_pylist():
        if row["indexed_file"] not in data.unread:
            out.findings.append(_place(row))


def _place(row: dict[str, Any]) -> Finding:
    """Return the finding for a row of the join."""
    at, indexed_at = row["partition"], row.get("indexed_partition", row["partition"])
    found = None if row["file_id"] is None else path_of(at, row["file_id"])
    file = row["indexed_file"]
    indexed = None if file is None else path_of(indexed_at, file)
    kind: Kind = "missing" if indexed is None else "stale" if found is None else "wrong"
    place = at if found is not None else indexed_at
    return Finding(_RECORD_INDEX, kind, place or None, row["key"], indexed, found)


def audit_secondary_index(name: str, table: MetadataTable, evidence: Evidence, out: Audit) -> None:
    """Compare the values of records in a secondary index with their true values."""
    definition = table.definitions.get(name)
    column = definition.source_fields[0] if definition and definition.source_fields else None
    if definition is None or column is None:
        out.skipped.append(Skipped(name, "the index", "no definition says which column it is over"))
        return
    data = evidence.records
    if data.unread:
        reason = unread_groups(len(data.unread))
        out.skipped.append(Skipped(name, "the index", reason))
        return
    values = texts(data.table[column]) if column in data.table.column_names else None
    if values is None:
        kind = data.table.schema.field(column).type if len(data.table) else "no records"
        out.skipped.append(Skipped(name, f"column {column}", f"values of type {kind}"))
        return
    indexed = table.secondary_index(name)
    true = pa.table({"key": data.table["key"], "value": values})
    if definition.version == _NO_NULLS_KEPT and not indexed["value"].null_count:
        true = true.filter(pc.is_valid(true["value"]))
    out.count(name, len(true))
    for kind, row in _differing(true, indexed):
        pair = "null" if row["value"] is None else repr(row["value"])
        sides = (None, pair) if kind == "missing" else (pair, None)
        out.findings.append(Finding(name, kind, None, row["key"], *sides))


def texts(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Return values as text in Hudi's form; None for types whose form is not known."""
    kind = column.type
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_null(kind):
        return column.cast(pa.string())
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return column.cast(pa.string())
    return None


def _differing(true: pa.Table, indexed: pa.Table) -> Iterator[tuple[Kind, dict[str, Any]]]:
    """Yield the rows that are on one side only; null values are equal to each other."""
    sides: tuple[tuple[Kind, pa.Table, pa.Table], ...] = (
        ("missing", true, indexed),
        ("stale", indexed, true),
    )
    for kind, one, other in sides:
        left, right = (_comparable(each) for each in (one, other))
        alone = left.join(right, ["key", "value", "null"], join_type="left anti", use_threads=False)
        for row in alone.sort_by([("key", "ascending"), ("value", "ascending")]).to_pylist():
            yield kind, {"key": row["key"], "value": None if row["null"] else row["value"]}


def _comparable(pairs: pa.Table) -> pa.Table:
    """Return pairs with a column that marks nulls: joins do not match null with null."""
    values = pc.fill_null(pairs["value"], "")
    return pa.table({"key": pairs["key"], "value": values, "null": pc.is_null(pairs["value"])})


_FILES: Final = "files"


def audit_listing(table: MetadataTable, evidence: Evidence, out: Audit) -> None:
    """Compare the listed files and their sizes with the folders."""
    listed = table.partition_paths()
    for partition in sorted({*listed, *evidence.partitions}):
        there = evidence.files.get(partition, {})
        if partition not in listed and there:
            out.findings.append(Finding(_FILES, "missing", partition, "the partition", None, "it"))
        indexed = table.files(partition) if partition in listed else {}
        raw = stored_sizes(table.data, partition, indexed)
        out.count(_FILES, len({*indexed, *there}))
        for name in sorted({*indexed, *there}):
            size, true = indexed.get(name), raw.get(name)
            if size != true and (partition, name) not in evidence.lost:
                kind: Kind = "missing" if size is None else "stale" if true is None else "wrong"
                sides = (None if each is None else f"{each} bytes" for each in (size, true))
                out.findings.append(Finding(_FILES, kind, partition, name, *sides))
        for name in sorted({*raw} - {*indexed, *there}):
            file = stored_file(name)
            if file is not None and not evidence.is_committed(file):
                place = path_of(partition, name)
                reason = f"instant {file.instant} is not completed"
                out.skipped.append(Skipped(_FILES, place, reason))


def audit_blooms(table: MetadataTable, evidence: Evidence, out: Audit) -> None:
    """Check for every key of every base file that the file's filter lets it pass."""
    audit_filters(Indexed(BLOOMS), None, table, evidence, out)


def audit_filters(
    index: Indexed, column: str | None, table: MetadataTable, evidence: Evidence, out: Audit
) -> None:
    """Check that the filter of every base file lets all values of the file pass.

    Args:
        column: That the index is over; None for record keys.
    """
    for partition, files in evidence.files.items():
        bases = {name: file for name, file in files.items() if not file.version}
        filters = table.bloom_filters(partition, bases, index=index.name)
        for name, file in bases.items():
            if name in filters:
                columns = () if column is None else (column,)
                data = evidence.base_file(index.name, partition, name, columns)
                if data is not None:
                    values = data["key" if column is None else column]
                    _check_filter(index, (partition, name), filters[name], values, out)
            elif reason := evidence.why_unindexed(partition, file):
                out.skipped.append(Skipped(index.name, path_of(partition, name), reason))
            else:
                out.findings.append(Finding(index.name, "missing", partition, name, None, "a file"))


def _check_filter(
    index: Indexed,
    place: tuple[str, str],
    bloom: HudiBloomFilter,
    values: pa.ChunkedArray,
    out: Audit,
) -> None:
    """Record the values that a filter does not let pass."""
    partition, name = place
    try:
        keys = texts(index.values(values))
    except pa.ArrowException:
        keys = None
    if keys is None:
        reason = f"values of type {values.type}"
        out.skipped.append(Skipped(index.name, path_of(*place), reason))
        return
    known = keys.drop_null()
    out.count(index.name, len(known))
    passed = pa.array(bloom.might_contain(known.cast(pa.binary()).combine_chunks()))
    missed = pc.unique(known.filter(pc.invert(passed))).to_pylist()
    if missed and index.depends_on_zone(values):
        out.skipped.append(Skipped(index.name, path_of(*place), DEPENDS_ON_ZONE))
        return
    for key in missed:
        subject = f"{name}: {key}"
        out.findings.append(Finding(index.name, "wrong", partition, subject, "no", "the key"))
