"""Check the metadata about files against the files: listings and Bloom filters.

- A Bloom filter has to pass every key of its file, or every value of an expression.

Source: https://hudi.apache.org/docs/metadata
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from byteloom.hfile.hudi_bloom import HudiBloomFilter
from byteloom.hudi.audit_expressions import DEPENDS_ON_ZONE, Indexed
from byteloom.hudi.audit_records import texts
from byteloom.hudi.data_slices import path_of, stored_file, stored_sizes
from byteloom.hudi.definitions import BLOOMS
from byteloom.hudi.evidence import Evidence
from byteloom.hudi.findings import Audit, Finding, Kind, Skipped
from byteloom.hudi.table import MetadataTable
from byteloom.late import pc

__all__ = ["audit_blooms", "audit_filters", "audit_listing"]

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
