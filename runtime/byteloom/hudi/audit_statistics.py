"""Check statistics against the data: of files, of partitions, and of expressions over a column.

- Statistics of base files are compared with the values in them; those of log files are not.
- Statistics of a partition are of all values in the files of its newest slices: a log file counts
  with each version that it writes, without its deletes.
- Bounds are compared in the type that the column has in the index, which is that of the newest
  files.  Where that gives the values of a file another order, its bounds are not compared.
- Bounds that are not tight may be outside the values, and any bounds are right where there are no
  values: no query loses rows by them.
- A difference of an expression that depends on the time zone of a session is reported as not
  compared.

Source: https://hudi.apache.org/docs/metadata_indexing
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import pyarrow as pa

from byteloom.errors import found_by, shortened
from byteloom.hudi.audit_expressions import DEPENDS_ON_ZONE, Indexed
from byteloom.hudi.audit_indexes import audit_filters
from byteloom.hudi.data_slices import path_of
from byteloom.hudi.evidence import Evidence, unread_groups
from byteloom.hudi.findings import Audit, Finding, Skipped
from byteloom.hudi.properties import BLOOMS
from byteloom.hudi.table import MetadataTable
from byteloom.hudi.value_types import logical_types, typed
from byteloom.late import pc

if TYPE_CHECKING:
    Column: TypeAlias = pa.ChunkedArray
    Rows: TypeAlias = dict[str, dict[str, Any]]

__all__ = ["audit_column_stats", "audit_expression_index", "audit_partition_stats"]

_FILES: Final = "column_stats"
_PARTITIONS: Final = "partition_stats"
_SHOWN: Final = 60
"""Characters of a value that a finding shows."""


def audit_column_stats(table: MetadataTable, evidence: Evidence, out: Audit) -> None:
    """Compare the statistics of base files with the values in them."""
    rows: dict[tuple[str | None, str], Rows] = {}
    for column, found in table.column_stats().items():
        for row in _stated(found):
            rows.setdefault((row["partition"], row["file"]), {})[column] = row
    _files(evidence, out, Indexed(_FILES), rows)


def audit_partition_stats(table: MetadataTable, evidence: Evidence, out: Audit) -> None:
    """Compare the statistics of partitions with all values in the files of their newest slices."""
    rows: dict[str | None, Rows] = {}
    for column, found in table.partition_stats().items():
        for row in _stated(found):
            rows.setdefault(row["partition"], {})[column] = row
    _partitions(evidence, out, Indexed(_PARTITIONS), rows)


def audit_expression_index(name: str, table: MetadataTable, evidence: Evidence, out: Audit) -> None:
    """Compare an index of an expression with its values: statistics, or Bloom filters of files."""
    definition = table.definitions.get(name)
    if definition is None or len(definition.source_fields) != 1:
        out.skipped.append(Skipped(name, "the index", "no definition says which column it is over"))
        return
    (column,) = definition.source_fields
    index = Indexed(name, definition)
    if definition.type not in {_FILES, BLOOMS} or not index.is_known:
        kind = f"{definition.type} of {definition.function or 'an unnamed function'}"
        out.skipped.append(Skipped(name, "the index", f"byteloom cannot compare {kind}"))
        return
    if definition.type == BLOOMS:
        audit_filters(index, column, table, evidence, out)
        return
    files: dict[tuple[str | None, str], Rows] = {}
    partitions: dict[str | None, Rows] = {}
    for row in _stated(table.expression_index(name)):
        if row["file"] is None:
            partitions[row["partition"]] = {column: row}
        else:
            files[row["partition"], row["file"]] = {column: row}
    _files(evidence, out, index, files)
    if partitions:
        _partitions(evidence, out, index, partitions)


def _files(
    evidence: Evidence,
    out: Audit,
    index: Indexed,
    rows: dict[tuple[str | None, str], Rows],
) -> None:
    """Compare the statistics of each base file with its values."""
    for partition, files in evidence.files.items():
        for name, file in files.items():
            stored = rows.get((partition, name))
            if stored is not None and not file.version:
                data = evidence.base_file(index.name, partition, name, tuple(stored))
                if data is not None:
                    _compare(out, index, (partition, name), stored, [data])
            elif reason := evidence.why_unindexed(partition, file):
                out.skipped.append(Skipped(index.name, path_of(partition, name), reason))
            else:
                out.findings.append(Finding(index.name, "missing", partition, name, None, "a file"))


def _partitions(
    evidence: Evidence, out: Audit, index: Indexed, rows: dict[str | None, Rows]
) -> None:
    """Compare the statistics of each partition with the values in its newest slices."""
    for partition in evidence.partitions:
        slices = [each for each in evidence.slices if each.partition == partition]
        stored = rows.get(partition)
        if stored is None:
            if slices:
                lacks = Finding(index.name, "missing", partition, "statistics", None, "files")
                out.findings.append(lacks)
            continue
        read = [evidence.written(index.name, each, tuple(stored)) for each in slices]
        parts = [data for each in read for data in each or ()]
        unread = read.count(None)
        if unread:
            subject = partition or "the table"
            out.skipped.append(Skipped(index.name, subject, unread_groups(unread)))
        elif parts:
            _compare(out, index, (partition, "all files"), stored, parts)


def _compare(
    out: Audit, index: Indexed, place: tuple[str, str], stored: Rows, parts: list[pa.Table]
) -> None:
    """Record where statistics differ from those of the values in *parts*."""
    out.count(index.name, len(stored))
    partition, name = place
    for column, row in stored.items():
        path = path_of(partition, f"{name}: {column}")
        try:
            values = _joined([each.select([column]) for each in parts])
            found = index.values(values)
        except pa.ArrowException as error:
            reason = found_by("a type that does not fit, or was changed", error)
            out.skipped.append(Skipped(index.name, path, reason))
            continue
        true: dict[str, Any] = {"value_count": len(found), "null_count": found.null_count}
        if pa.types.is_string(row["type"]) and not _is_text(found.type):
            reason = f"bounds of type {found.type} in an index of text"
            out.skipped.append(Skipped(index.name, path, reason))
        else:
            true |= _bounds(found, row["type"])
        for what, value in true.items():
            if _agree(what, row[what], value, is_tight=row["is_tight_bound"]):
                continue
            subject = f"{name}: {what} of {column}"
            if index.depends_on_zone(values) and not what.endswith("count"):
                path = path_of(partition, subject)
                out.skipped.append(Skipped(index.name, path, DEPENDS_ON_ZONE))
                continue
            sides = _shown(row[what]), _shown(value)
            out.findings.append(Finding(index.name, "wrong", partition, subject, *sides))


def _joined(parts: list[pa.Table]) -> Column:
    """Return the values of the one column of *parts*, in a type that all of them have.

    Raises:
        pyarrow.ArrowException: Where there is no such type.
    """
    types = logical_types(parts)
    alike = [typed(each, types) for each in parts]
    return pa.concat_tables(alike, promote_options="permissive").column(0)


def _bounds(column: Column, kind: pa.DataType) -> dict[str, Any]:
    """Return the smallest and the greatest value of a column; nothing for values without order.

    Args:
        kind: The type of the bounds in the index.
    """
    if pa.types.is_floating(kind) and pa.types.is_integer(column.type):
        column = column.cast(kind, safe=False)
    try:
        found: dict[str, Any] = pc.min_max(_number(column)).as_py()
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return {}
    return found


def _agree(what: str, stored: Any, true: Any, *, is_tight: bool) -> bool:
    """Return whether statistics are right, or wrong in a way that loses no rows."""
    if what.endswith("count"):
        return stored is None or stored == true
    if stored == true or true is None:
        return True
    if stored is None or is_tight:
        return False
    try:
        return bool(stored <= true if what == "min" else stored >= true)
    except TypeError:
        return False


def _stated(stats: pa.Table) -> Iterator[dict[str, Any]]:
    """Yield rows of statistics, with bounds as `_number` returns them and their ``type``."""
    for name in ("min", "max"):
        place = stats.schema.get_field_index(name)
        stats = stats.set_column(place, name, _number(stats[name]))
    for row in stats.to_pylist():
        yield {**row, "type": stats.schema.field("min").type}


def _number(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return times as microseconds and days as their number; all other values unchanged."""
    kind = column.type
    if pa.types.is_timestamp(kind):
        return column.cast(pa.timestamp("us", kind.tz), safe=False).cast(pa.int64())
    if pa.types.is_time(kind):
        return column.cast(pa.time64("us")).cast(pa.int64())
    return column.cast(pa.int32()) if pa.types.is_date32(kind) else column


def _is_text(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_null(kind)
    )


def _shown(value: Any) -> str | None:
    if value is None:
        return None
    return shortened(value.hex() if isinstance(value, bytes) else str(value), _SHOWN)
