"""Read everything in the data files of a table, so that damage in any column is noticed.

- Base files in Parquet are read in all columns, and HFiles are examined completely.  Every block of
  a log file is checked.
- The remains of a writer that died, torn and unfinished blocks, are passed over as every reader
  does: a log file must have all that the commits say they wrote to it.

Source: https://hudi.apache.org/docs/storage_layouts
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from byteloom.errors import ByteloomError, FormatError, Unsupported
from byteloom.hfile.verify import audit_source
from byteloom.hudi.commits import written_by
from byteloom.hudi.data_slices import path_of
from byteloom.hudi.findings import DATA
from byteloom.hudi.log_contents import check_content
from byteloom.hudi.log_walk import walk
from byteloom.hudi.logs import BlockType, LogBlock
from byteloom.hudi.table import MetadataTable
from byteloom.hudi.timeline import Timeline
from byteloom.parquet.whole import check_rows
from byteloom.storage import Source
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from byteloom.hudi.evidence import Evidence

__all__ = ["audit_data"]

_Counts = Counter[tuple[str, str]]
"""Numbers of ``records`` and of ``deletes`` that an instant wrote."""


def audit_data(table: MetadataTable, evidence: Evidence) -> None:
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
