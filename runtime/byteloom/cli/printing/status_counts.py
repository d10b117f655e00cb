"""The end of `byteloom verify` and of `byteloom spark audit`: counts, and the exit status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import typer

from byteloom.cli.printing.advice import AS_DATA
from byteloom.errors import in_a_line
from byteloom.redaction import redacted
from byteloom.verification.verdict import DAMAGED, DATA, ELSEWHERE, EMPTY, OK, UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["end", "listed", "report_counts"]

_SHOWN: Final = 5
"""Files that a line names."""

_OF_DATA: Final = (
    "byteloom: data: Parquet and ORC files; those that an Iceberg table here names were checked"
    " with it; the data files of a Hudi table, and all others, were not checked"
)


def report_counts(counts: Mapping[str, int], *, json: bool) -> None:
    """Say on stderr how many places have each status; without `--json` also what `data` means."""
    typer.echo(", ".join(f"{n:,} {status}" for status, n in counts.items() if n), err=True)
    if counts[DATA] and (counts[OK] or counts[ELSEWHERE]) and not json:
        typer.echo(_OF_DATA, err=True)


def end(counts: Mapping[str, int], unchecked: Mapping[str, str]) -> None:
    """End with the exit status, and say on stderr why it is not 0 where no line of a file does.

    counts     places by status
    unchecked  the named files that were not checked, with the status of each
    """
    bad = counts[DAMAGED] or counts[UNREADABLE] or EMPTY in unchecked.values()
    if not bad and not counts[OK] and not counts[ELSEWHERE]:
        summary = f"no file of a format byteloom knows{f'; {AS_DATA}' if counts[DATA] else ''}"
        typer.echo(f"byteloom: nothing checked: {summary}", err=True)
        raise typer.Exit(2)
    if counts[ELSEWHERE]:
        typer.echo("byteloom: a table was moved: see the lines `elsewhere`", err=True)
    if unchecked:
        files = listed([f"{redacted(file)} ({status})" for file, status in unchecked.items()])
        typer.echo(f"byteloom: named files that were not checked: {files}", err=True)
    if bad:
        raise typer.Exit(1)
    if unchecked or counts[ELSEWHERE]:
        raise typer.Exit(2)


def listed(files: Sequence[str], all_by: str = "") -> str:
    """Return the first of some files and how many more there are.

    all_by  what the text says after that number
    """
    shown = ", ".join(in_a_line(redacted(each)) for each in files[:_SHOWN])
    more = len(files) - _SHOWN
    return f"{shown} and {more:,} more{all_by}" if more > 0 else shown
