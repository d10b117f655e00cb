"""``byteloom verify``: all checks, one line a file."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from byteloom.cli.application import Application
from byteloom.cli.inputs.files import STANDARD_INPUT, opened, report_links, report_tables
from byteloom.cli.inputs.tables import NoRows, TableAccess, table_access
from byteloom.cli.options.documents import as_json
from byteloom.cli.options.parsers import KEY, from_hex
from byteloom.cli.printing.findings import Cause, end, finding_text, listed, report_counts
from byteloom.cli.printing.progress import counting, progress
from byteloom.cli.printing.report import error_json
from byteloom.cli.printing.value_text import json_text
from byteloom.errors import in_a_line
from byteloom.redaction import redacted
from byteloom.verification.formats import TABLE_METADATA
from byteloom.verification.search import Found, Orphans, Search
from byteloom.verification.verdict import (
    DAMAGED,
    DATA,
    ORPHAN,
    SKIPPED,
    STATUSES,
    UNCHECKED,
    UNKNOWN,
    UNREADABLE,
    check,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from byteloom.storage import Source
    from byteloom.verification.verdict import Verdict

__all__ = ["app", "json_of", "text_of", "verify"]

app = Application()

_BAD: Final = {DAMAGED, UNREADABLE}
_OF_HUDI: Final = "`byteloom hudi verify {}` compares its indexes with its data"

_UNLISTED: Final = {DATA, SKIPPED}
"""Statuses of files that have a line only if they are named."""


@app.command()
@as_json
@table_access
def verify(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE|DIR", help="Paths, URLs or directories; - is stdin."),
    ],
    *,
    json: bool,
    key: Annotated[str | None, KEY] = None,
    no_rows: NoRows = False,
    access: TableAccess,
) -> None:
    """Check files completely, with their contents; directories are searched.

    A named metadata file of a table, and directories that are tables, are checked with all files
    that they refer to and every row in them; other metadata files by themselves, since those files
    may be gone. Parquet and ORC files in the folder of an Iceberg table are read with it, and only
    counted, as `data`; those that it names nowhere are listed as `orphan`.
    Files of other formats are skipped and counted; named ones are listed. Empty ones are
    listed; they are bad only if they are named, or if their name says a format, since a directory
    may hold markers. Links to directories are not followed in a directory; one that
    cannot be searched is listed as unreadable.

    Exit status: 0 all good; 1 damage found, or a file that cannot be read or that is named and
    empty; 2 nothing there that could be checked, a named file of an unknown format, or a moved
    table: its metadata names files at another place than the one that the table is in.
    """
    counts = dict.fromkeys(STATUSES, 0)
    unchecked: dict[str, str] = {}
    unknown: list[str] = []
    opener, moved = from_hex(key), access.relocation
    search, orphans = Search(moved), Orphans(moved)
    found = [each for file in files for each in _found(file, search)]
    sizes = [each.size for each in found]
    with progress("verifying", sum(sizes)) as shown:

        @contextmanager
        def read(file: str) -> Iterator[Source]:
            with opened(file) as source:
                yield counting(source, shown)

        for each, done in zip(found, accumulate(sizes), strict=True):
            file, whole = each.place, moved if each.is_whole else None
            verdict = each.refusal() or check(
                file,
                key=opener,
                relocate=whole,
                allow=access.allow,
                rows=not no_rows,
                in_table=each.in_table,
                opened=read,
            )
            if each.is_whole and verdict.format == TABLE_METADATA.name:
                orphans.add_table(file)
            elif verdict.status == DATA and (table := orphans.table_of(file)):
                summary = f"{verdict.summary}, which no snapshot of {table} names"
                verdict = replace(verdict, status=ORPHAN, summary=summary)
            shown.reach(done)
            counts[verdict.status] += 1
            if verdict.status in UNCHECKED and file in files:
                unchecked[file] = verdict.status
            unknown += _unlisted(verdict, files)
            # Not by typer.echo, which would write past the progress that holds the terminal.
            if json:
                sys.stdout.write(json_text(json_of(verdict)) + "\n")
            elif verdict.status not in _UNLISTED or file in files:
                sys.stdout.write(f"{text_of(verdict)}\n")
    report_links([link for walk in search.walks for link in walk.links])
    report_counts(counts, json=json)
    _report_unknown([] if json else unknown)
    report_tables(search.hudi, "a Hudi table", _OF_HUDI)
    end(counts, unchecked)


def _unlisted(verdict: Verdict, files: Sequence[str]) -> list[str]:
    """Return the file of a verdict if its format is unknown and it is not one of the named ones."""
    is_unknown = verdict.status == SKIPPED and verdict.summary == UNKNOWN
    return [verdict.file] if is_unknown and verdict.file not in files else []


def _report_unknown(files: Sequence[str]) -> None:
    """Name on stderr the first files of unknown formats, and how many more there are."""
    if not files:
        return
    names = listed(files, " (--json lists all)")
    typer.echo(f"byteloom: skipped files of unknown format: {names}", err=True)


def _found(file: str, search: Search) -> Iterable[Found]:
    """The places that one argument names; a file called as standard input is that."""
    return [Found(file, is_whole=True)] if file == STANDARD_INPUT else search.places(file)


def text_of(verdict: Verdict) -> str:
    """Return the lines that `byteloom verify` prints for a verdict."""
    file = in_a_line(redacted(verdict.file))
    found = [] if verdict.error is None else [verdict.error, *verdict.more]
    return finding_text(verdict.status, file, verdict.summary, [Cause.of(each) for each in found])


def json_of(verdict: Verdict) -> dict[str, Any]:
    """Return the documented shape of a line of ``byteloom verify --json``."""
    found = [] if verdict.error is None else [verdict.error, *verdict.more]
    findings = [error_json(each, verdict.file) for each in found]
    return {
        "file": redacted(verdict.file),
        "status": verdict.status,
        "format": verdict.format,
        "summary": "" if verdict.status in _BAD else verdict.summary,
        "error": findings[0] if findings else None,
        "findings": findings,
    }
