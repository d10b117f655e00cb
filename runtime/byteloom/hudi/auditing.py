"""Check the indexes of a Hudi table against its data: `audit` reports where they disagree.

- The data is read as if there were no metadata: folders, timeline, base files and log files.
- Everything in the data files is read, so that damage in any column is noticed: base files in
  Parquet in all columns, HFiles completely, and every block of log files.  The remains of a writer
  that died, torn and unfinished blocks, are passed over as every reader does: a log file must have
  all that the commits say they wrote to it.
- Files that no completed instant wrote are left out, as every reader leaves them out.
- Whatever cannot be compared is listed, and never counted as right.  An error in one index or file
  does not hide what is wrong with the others.

Source: https://hudi.apache.org/docs/metadata; https://hudi.apache.org/docs/storage_layouts
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from byteloom.errors import ArgumentError, ByteloomError, FormatError, Unsupported
from byteloom.hfile.verify import audit_source
from byteloom.hudi.audit_indexes import (
    audit_blooms,
    audit_listing,
    audit_record_index,
    audit_secondary_index,
)
from byteloom.hudi.audit_statistics import (
    audit_column_stats,
    audit_expression_index,
    audit_partition_stats,
)
from byteloom.hudi.commits import written_by
from byteloom.hudi.data_slices import path_of
from byteloom.hudi.evidence import Evidence
from byteloom.hudi.findings import DATA, Audit, Skipped
from byteloom.hudi.log_checks import check_content, walk
from byteloom.hudi.logs import BlockType, LogBlock
from byteloom.hudi.properties import BACKUP, EXPRESSIONS, SECONDARY, stored_properties
from byteloom.hudi.table import MetadataTable
from byteloom.hudi.timeline import Timeline
from byteloom.parquet.whole import check_rows
from byteloom.storage import Source
from byteloom.storage.naming import about_file

__all__ = ["audit"]

_Counts = Counter[tuple[str, str]]
"""Numbers of ``records`` and of ``deletes`` that an instant wrote."""


def _audit_data(table: MetadataTable, evidence: Evidence) -> None:
    """Read all data files that completed instants wrote; a damaged one is a finding."""
    logs: dict[tuple[str, str], _Counts] = {}
    for partition, name in evidence.readable:
        try:
            found = _read(table, partition, name)
        except ByteloomError as error:
            evidence.record(DATA, partition, name, error)
            continue
        if found is not None:
            logs[partition, name] = found
    if logs:
        _check_commits(table.timeline, logs, evidence)


def _check_commits(
    timeline: Timeline, logs: Mapping[tuple[str, str], _Counts], evidence: Evidence
) -> None:
    """Check that log files have what commits say; a file without it is a finding."""
    for commit in (each for each in timeline.commits.values() if each.size):
        stated: dict[tuple[str, str], _Counts] = defaultdict(_Counts)
        try:
            for partition, one in written_by(timeline, commit):
                stated[partition, one.file.name] += _Counts(
                    {
                        (commit.time, "records"): one.records,
                        (commit.time, "deletes"): one.deletes,
                    }
                )
        except FormatError as error:
            evidence.record(DATA, "", commit.name, error)
            continue
        for (partition, name), wanted in stated.items():
            for (time, kind), number in wanted.items():
                found = logs.get((partition, name), wanted)[time, kind]
                if found < number:
                    lacks = f"{number} in whole blocks, as {commit.action} {time} wrote"
                    short = FormatError("", None, f"{found} {kind}", lacks)
                    evidence.record(DATA, partition, name, short)


def _read(table: MetadataTable, partition: str, name: str) -> _Counts | None:
    """Read all of a data file; return what a log file has, None for a base file."""
    place = path_of(partition, name)
    source = table.data.open(place)
    try:
        with about_file(place):
            return _checked(source, table, place)
    finally:
        source.close()


def _checked(source: Source, table: MetadataTable, place: str) -> _Counts | None:
    if ".log." in place.rpartition("/")[2]:
        return _checked_log(source)
    if place.endswith(".parquet"):
        check_rows(source, table.limits)
    elif place.endswith(".hfile"):
        found = audit_source(source, protobuf_keys=True)
        if found.findings:
            raise found.findings[0]
    else:
        raise Unsupported("", None, place.rpartition(".")[2], "a base file in Parquet or an HFile")
    return None


def _checked_log(source: Source) -> _Counts:
    """Check every block of a log file; return the records and deletes in it."""
    found, errors = _Counts(), list[ByteloomError]()
    for met in walk(source, _content, errors, torn=[]):
        kind = "deletes" if met.block.type == BlockType.DELETE else "records"
        found[met.block.instant, kind] += met.records or 0
    if errors:
        raise errors[0]
    return found


def _content(block: LogBlock, errors: list[ByteloomError]) -> int:
    return check_content(block, errors, [])


_CHECKS: Final[dict[str, Callable[[MetadataTable, Evidence, Audit], None]]] = {
    "files": audit_listing,
    "column_stats": audit_column_stats,
    "partition_stats": audit_partition_stats,
    "bloom_filters": audit_blooms,
    "record_index": audit_record_index,
}


def audit(
    table: MetadataTable, indexes: Iterable[str] | None = None, *, rows: bool = True
) -> Audit:
    """Compare the indexes of *table* with its data.

    Args:
        table: The metadata table.
        indexes: Partitions of the metadata table; None for all that are enabled.
        rows: Whether to read all columns of all data files.  If not, only record keys and the
            columns that indexes describe are read, and damage elsewhere is not noticed.

    Raises:
        FormatError: For an index that the table does not have, and for a damaged timeline.
            Damage in an index or in a data file becomes a finding.
        StorageError: The timeline or the folders cannot be read.
    """
    wanted = table.partitions if indexes is None else list(indexes)
    for name in wanted:
        if name not in table.partitions:
            raise ArgumentError("index", None, name, f"one of {', '.join(table.partitions)}")
    out = Audit()
    for folder, path in ((table.data, ""), (table.folder, ".hoodie/metadata/")):
        if stored_properties(folder)[0] == BACKUP:
            reason = "hoodie.properties is missing or cut, and readers use its copy"
            out.skipped.append(Skipped("properties", f"{path}{BACKUP}", reason))
    evidence = Evidence(table, out, columns=_columns(table, wanted))
    for name in wanted:
        try:
            _one(name, table, evidence, out)
        except ByteloomError as error:
            out.skipped.append(Skipped(name, "the index", str(error)))
            out.errors += 1
    if rows:
        _audit_data(table, evidence)
    return out


def _one(name: str, table: MetadataTable, evidence: Evidence, out: Audit) -> None:
    if name in _CHECKS:
        _CHECKS[name](table, evidence, out)
    elif name.startswith(SECONDARY):
        audit_secondary_index(name, table, evidence, out)
    elif name.startswith(EXPRESSIONS):
        audit_expression_index(name, table, evidence, out)
    else:
        out.skipped.append(Skipped(name, "the index", "byteloom cannot compare this kind yet"))


def _columns(table: MetadataTable, indexes: Iterable[str]) -> tuple[str, ...]:
    """Return the columns that secondary indexes are over."""
    there = (table.definitions.get(name) for name in indexes if name.startswith(SECONDARY))
    fields = (each.source_fields for each in there if each)
    return tuple(dict.fromkeys(each[0] for each in fields if each))
