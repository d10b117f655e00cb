"""The integrity audit of a warehouse: check every file of every format, in executors.

- Places are found in the driver as `byteloom verify` finds them; each is checked in an executor as
  that command checks it.
- A table of many files is checked in parts, each by a task of its own that reads its manifests.
- Only what is wrong comes back to the driver, and how many places had each status.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from byteloom.errors import ByteloomError, FormatError, MovedTable
from byteloom.redaction import redacted
from byteloom.spark.jobs.running import Shown, parallelism, run_all
from byteloom.spark.packing import GROUPS_PER_CORE, balanced
from byteloom.verification.formats import VERSIONS
from byteloom.verification.search import Found, Search
from byteloom.verification.verdict import (
    DAMAGED,
    DATA,
    ELSEWHERE,
    EMPTY,
    OK,
    SKIPPED,
    STATUSES,
    UNCHECKED,
    UNREADABLE,
    WHOLE,
    Verdict,
    check,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


__all__ = ["Audit", "Finding", "audit", "check_group"]

_OPENING: Final = 256 << 10
"""Number of bytes whose reading costs as much as opening a file."""

_PART: Final = 2_000
"""Files of a table that one task checks."""

_PART_BYTES: Final = 4 << 30
"""Bytes of a table's files that one task reads."""

_SEVERITY: Final = (SKIPPED, DATA, EMPTY, OK, ELSEWHERE, UNREADABLE, DAMAGED)

SCHEMA: Final = (
    "file string, status string, format string, kind string, path string, offset long,"
    " message string"
)


class Finding(NamedTuple):
    """One thing that is wrong.

    Attributes:
        file: The place that was checked: a file, or the folder of a table or a dataset.
        status: ``damaged``; ``unreadable`` if it could not be opened or read, for example
            because it is encrypted; or ``elsewhere``: a table whose metadata names files at a
            place other than its own.
        format: The short name of its format; None if it was not recognised.
        kind: The class of the error, such as ``ChecksumMismatch``.
        path: The field that is wrong, from the outermost record inwards; None if unknown.
        offset: Offset of its first byte in the file; None if it has none.
        message: The text that `byteloom verify` prints.
    """

    file: str
    status: str
    format: str | None
    kind: str
    path: str | None
    offset: int | None
    message: str


class Audit(NamedTuple):
    """The result of an audit.

    Attributes:
        findings: A DataFrame with the fields of `Finding` as columns, in the order of files.
        counts: Places by status: ``ok``, ``damaged``, ``unreadable``, ``elsewhere``, ``empty``,
            ``data``, ``skipped``.
        links: Links to folders, which are not followed.
        unchecked: The given files that were not checked, with the status of each: ``empty``,
            ``data`` or ``skipped``.
    """

    findings: DataFrame
    counts: dict[str, int]
    links: list[str]
    unchecked: dict[str, str]


class Task(NamedTuple):
    """A place, or a part of a table, that one task checks.

    Attributes:
        part: Its number, from 0, and how many parts the table has.
        weight: About how many bytes are read.
    """

    found: Found
    part: tuple[int, int]
    weight: int


class Checked(NamedTuple):
    """The results of some tasks.

    Attributes:
        counts: Number of places checked as a whole, by status.
        parts: Place and status of each part of a table.
        findings: All that is wrong.
        unchecked: Given files that were not checked, with the status of each.
    """

    counts: Counter[str]
    parts: list[tuple[str, str]]
    findings: list[Finding]
    unchecked: dict[str, str]


def audit(  # noqa: PLR0913  what is checked, and how much of it
    spark: SparkSession,
    places: str | Sequence[str],
    *,
    relocate: Mapping[str, str] | None = None,
    allow: Sequence[str] | None = None,
    key: bytes | None = None,
    rows: bool = True,
    shown: Shown | None = None,
) -> Audit:
    """Check all files in folders, tables and datasets, in the executors of a session.

    Args:
        spark: The session.
        places: Paths or URLs that driver and executors see alike; folders are searched through.
        relocate: Prefixes of paths as written in metadata, with what replaces each.
        allow: Prefixes below which files named by metadata must be to be read; None for
            anywhere.
        key: The key of encrypted HFiles.
        rows: Whether to read every row of the files of tables, not only sizes and row counts.
        shown: Called about once a second with the numbers of groups of files done and in all.

    Raises:
        ByteloomError: A task could not run; damaged files and missing places are among the
            findings instead.
    """
    search = Search(relocate)
    given = [places] if isinstance(places, str) else places
    tasks = tasks_of([found for place in given for found in search.places(place)], rows=rows)
    groups = balanced(tasks, [each.weight for each in tasks], GROUPS_PER_CORE * parallelism(spark))
    checking = partial(check_group, relocate=relocate, allow=allow, key=key, rows=rows)
    checked = joined(run_all(spark, "byteloom: audit", groups, checking, shown))
    links = [link for walk in search.walks for link in walk.links]
    table = spark.createDataFrame(checked.findings, SCHEMA)
    counts = {status: checked.counts[status] for status in STATUSES}
    return Audit(table, counts, links, checked.unchecked)


def tasks_of(found: Sequence[Found], part: int = _PART, *, rows: bool = True) -> list[Task]:
    """Return the tasks of places in the order of the search: folders before their files.

    Args:
        part: Files of a table that one task checks.
        rows: Whether every row of a table's files is read.
    """
    # Without the rows, a check of a table's files reads little more than their ends.
    files, weights = [0] * len(found), [each.size + _OPENING for each in found]
    around: list[int] = []  # the tables and datasets around the current place
    for at, each in enumerate(found):
        while around and not each.place.startswith(f"{found[around[-1]].place.rstrip('/')}/"):
            around.pop()
        for folder in around:
            files[folder] += 1
            weights[folder] += weights[at] if rows or _is_dataset(found[folder]) else _OPENING
        if each.is_whole:
            around.append(at)
    return [
        Task(each, (number, parts), weight // parts)
        for each, count, weight in zip(found, files, weights, strict=True)
        for parts in [1 + max(count // part, weight // _PART_BYTES) if _is_table(each) else 1]
        for number in range(parts)
    ]


def _is_table(found: Found) -> bool:
    """Return whether a place is the folder of an Iceberg table, which is checked in parts."""
    is_folder = found.is_whole and os.path.isdir(found.place)  # noqa: PTH112  Path's may raise
    return is_folder and not _is_dataset(found)


def _is_dataset(found: Found) -> bool:
    """Return whether a place is a Lance dataset, which one task checks."""
    return found.is_whole and os.path.isdir(f"{found.place}/{VERSIONS}")  # noqa: PTH112  Path's may raise


def check_group(
    group: Iterable[Task],
    relocate: Mapping[str, str] | None,
    key: bytes | None,
    *,
    allow: Sequence[str] | None = None,
    rows: bool = True,
) -> Checked:
    """Check some places; the arguments are those of `audit`."""
    checked = Checked(Counter(), [], [], {})
    for found, part, _ in group:
        whole = (relocate or {}) if found.is_whole else None
        verdict = found.refusal() or check(
            found.place,
            key=key,
            relocate=whole,
            allow=allow,
            part=part,
            rows=rows,
            in_table=found.in_table,
        )
        if found.is_whole and verdict.status in UNCHECKED:  # no folder has these
            checked.unchecked[found.place] = verdict.status
        if part == WHOLE:
            checked.counts[verdict.status] += 1
        else:
            checked.parts.append((verdict.file, verdict.status))
        checked.findings.extend(_findings(verdict, is_first=part[0] == 0))
    return checked


def joined(parts: Iterable[Checked]) -> Checked:
    """Merge the results of all tasks: findings in the order of places; a table counts once."""
    counts: Counter[str] = Counter()
    findings: list[Finding] = []
    worst: dict[str, str] = {}
    unchecked: dict[str, str] = {}
    for each in parts:
        counts += each.counts
        findings += each.findings
        unchecked |= each.unchecked
        for place, status in each.parts:
            worst[place] = max(status, worst.get(place, OK), key=_SEVERITY.index)
    counts.update(worst.values())
    return Checked(counts, [], sorted(findings, key=lambda each: each.file), unchecked)


def _findings(verdict: Verdict, *, is_first: bool) -> list[Finding]:
    """Return what is wrong with a place; only a table's first part reports that it was moved."""
    if verdict.error is None:
        return []
    found = (verdict.error, *verdict.more)
    return [
        _finding(verdict, each) for each in found if is_first or not isinstance(each, MovedTable)
    ]


def _finding(verdict: Verdict, error: ByteloomError) -> Finding:
    file = redacted(verdict.file)
    text = verdict.summary if error is verdict.error else str(error)
    place, offset = None, None
    if isinstance(error, FormatError):
        place, offset = redacted(error.path) or None, error.offset
    return Finding(
        file=file,
        status=verdict.status,
        format=verdict.format,
        kind=type(error).__name__,
        path=place,
        offset=offset,
        message=text.removeprefix(f"{file}: "),
    )
