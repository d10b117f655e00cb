"""Holding what the metadata says of files against the files: listings, statistics, Bloom filters.

- Statistics are compared with the values in base files; those of log files are not.
- A Bloom filter has to pass every key of its file.

Source: https://hudi.apache.org/docs/metadata
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from byteloom import compute as pc
from byteloom.errors import ByteloomError
from byteloom.hudi.data_slices import stored_file
from byteloom.hudi.findings import Audit, Finding, Kind, Skipped
from byteloom.hudi.snapshot import base_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.hudi.evidence import Evidence
    from byteloom.hudi.table import MetadataTable

__all__ = ["audit_blooms", "audit_column_stats", "audit_listing"]

_FILES, _STATS, _BLOOMS = "files", "column_stats", "bloom_filters"
_SHOWN: Final = 60
"""Characters of a value that a finding shows."""


def audit_listing(table: MetadataTable, evidence: Evidence, out: Audit) -> None:
    """Compare the listed files and their sizes with the folders."""
    listed = table.partition_paths()
    for partition in sorted({*listed, *evidence.partitions}):
        there = evidence.files.get(partition, {})
        if partition not in listed and there:
            out.findings.append(Finding(_FILES, "missing", partition, "the partition", None, "it"))
        told = table.files(partition) if partition in listed else {}
        raw = table.data.files(partition)
        out.count(_FILES, len({*told, *there}))
        for name in sorted({*told, *there}):
            size, true = told.get(name), raw.get(name)
            if size != true:
                kind: Kind = "missing" if size is None else "stale" if true is None else "wrong"
                sides = (None if each is None else f"{each} bytes" for each in (size, true))
                out.findings.append(Finding(_FILES, kind, partition, name, *sides))
        for name in sorted({*raw} - {*told, *there}):
            file = stored_file(name)
            if file is not None and not evidence.is_committed(file):
                place = f"{partition}/{name}".lstrip("/")
                reason = f"instant {file.instant} is not completed"
                out.skipped.append(Skipped(_FILES, place, reason))


def audit_blooms(table: MetadataTable, evidence: Evidence, out: Audit) -> None:
    """Ask the filter of every base file for every key in it."""
    for partition, files in evidence.files.items():
        bases = [name for name, file in files.items() if not file.version]
        filters = table.bloom_filters(partition, bases)
        for name in bases:
            if name not in filters:
                out.findings.append(Finding(_BLOOMS, "missing", partition, name, None, "a file"))
                continue
            keys = _read(table, (partition, name), (), _BLOOMS, out)
            if keys is None:
                continue
            out.count(_BLOOMS, len(keys))
            column = keys["key"].cast(pa.binary()).combine_chunks()
            passed = pa.array(filters[name].might_contain(column))
            for key in keys["key"].filter(pc.invert(passed)).to_pylist():
                subject = f"{name}: {key}"
                out.findings.append(Finding(_BLOOMS, "wrong", partition, subject, "no", "the key"))


def audit_column_stats(table: MetadataTable, evidence: Evidence, out: Audit) -> None:
    """Compare the statistics of base files with the values in them."""
    stats = table.column_stats()
    rows: dict[tuple[str | None, str], dict[str, dict[str, Any]]] = {}
    for column, found in stats.items():
        for row in _canonical(found).to_pylist():
            rows.setdefault((row["partition"], row["file"]), {})[column] = row
    for partition, files in evidence.files.items():
        for name, file in files.items():
            told = rows.pop((partition, name), None)
            place = f"{partition}/{name}".lstrip("/")
            if file.version:
                out.skipped.append(Skipped(_STATS, place, "statistics of a log file"))
            elif told is None:
                out.findings.append(Finding(_STATS, "missing", partition, name, None, "a file"))
            else:
                data = _read(table, (partition, name), tuple(told), _STATS, out)
                if data is not None:
                    out.count(_STATS, len(told))
                    out.findings += _columns(partition, name, told, data)


def _read(
    table: MetadataTable, place: tuple[str, str], columns: tuple[str, ...], index: str, out: Audit
) -> pa.Table | None:
    """Return columns of the base file at *place*, partition and name; note where it cannot."""
    try:
        return base_columns(table.data, *place, columns)
    except ByteloomError as error:
        out.skipped.append(Skipped(index, "/".join(place).lstrip("/"), str(error)))
        return None


def _columns(
    partition: str, name: str, told: dict[str, dict[str, Any]], data: pa.Table
) -> Iterator[Finding]:
    """Yield what is wrong with the statistics of a file."""
    for column, row in told.items():
        for what, value in _true(data[column]).items():
            if not _agree(what, row[what], value, is_tight=row["is_tight_bound"] is not False):
                subject = f"{name}: {what} of {column}"
                sides = _shown(row[what]), _shown(value)
                yield Finding(_STATS, "wrong", partition, subject, *sides)


def _true(column: pa.ChunkedArray) -> dict[str, Any]:
    """Return what can be compared of the values of a column."""
    counts: dict[str, Any] = {"value_count": len(column), "null_count": column.null_count}
    try:
        bounds: dict[str, Any] = pc.min_max(_number(column)).as_py()
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return counts  # values that have no order
    return counts | bounds


def _agree(what: str, told: Any, true: Any, *, is_tight: bool) -> bool:
    """Whether statistics hold; bounds that are not tight may be wider than the values."""
    if told is None or true is None or told == true:
        return told == true or what.endswith("count")
    if is_tight or what.endswith("count"):
        return False
    try:
        return bool(told <= true if what == "min" else told >= true)
    except TypeError:
        return False


def _canonical(stats: pa.Table) -> pa.Table:
    """Return statistics with their bounds as numbers where data has the same in another form."""
    for name in ("min", "max"):
        place = stats.schema.get_field_index(name)
        stats = stats.set_column(place, name, _number(stats[name]))
    return stats


def _number(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return times as microseconds, days as their number, all else as it is."""
    kind = column.type
    if pa.types.is_timestamp(kind):
        return column.cast(pa.timestamp("us", kind.tz), safe=False).cast(pa.int64())
    if pa.types.is_time(kind):
        return column.cast(pa.time64("us")).cast(pa.int64())
    return column.cast(pa.int32()) if pa.types.is_date32(kind) else column


def _shown(value: Any) -> str | None:
    if value is None:
        return None
    text = value.hex() if isinstance(value, bytes) else str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
