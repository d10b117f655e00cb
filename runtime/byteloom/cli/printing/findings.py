"""The findings of `byteloom verify` and `byteloom spark audit`: by cause, counted, and as a status.

The rules:

- Findings that differ only in numbers, values and files have one cause, which is shown once.
- So do findings about several fields of one record that contradict the same other record, as all
  sums do where one entry is wrong.
- Places are counted by their status, which decides the exit status.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple, Self

import typer

from byteloom.errors import FormatError, in_a_line
from byteloom.redaction import redacted
from byteloom.verification.verdict import DAMAGED, DATA, ELSEWHERE, EMPTY, OK, UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from byteloom.errors import ByteloomError

__all__ = [
    "Cause",
    "end",
    "finding_text",
    "listed",
    "report_counts",
]

_VALUE: Final = re.compile(r"'[^']*'|0x[0-9a-f]+|[0-9]+")
_FILE: Final = re.compile(r"\S*/[^\s/.]*(\.\w+)?")
"""A file's path with its ending; what follows is a field of it."""

_OTHER: Final = re.compile(r", as (its|the|another) ")
"""The end of `wanted` in errors about fields that must agree with another record."""


class Cause(NamedTuple):
    """What findings are grouped by.

    text    the line that is printed
    kind    the class of the error
    path    the field that is wrong; the text, for an error that is about no field
    wanted  what its layout asks for; "" where it asks for nothing
    """

    text: str
    kind: str
    path: str
    wanted: str

    @classmethod
    def of(cls, error: ByteloomError) -> Self:
        """Return that of an error."""
        text, kind = str(error), type(error).__name__
        if not isinstance(error, FormatError):
            return cls(text, kind, text, "")
        return cls(text, kind, error.path, str(error.wanted))


def finding_text(status: str, file: str, summary: str, findings: Sequence[Cause]) -> str:
    """Return the lines that are printed for a place.

    summary   what it holds, or the text of the first finding
    findings  all that is wrong with it
    """
    first = f"{status:<10}  {file}  {summary.removeprefix(f'{file}: ')}".rstrip()
    return "\n".join([first, *(f"{'':<10}  {line}" for line in _folded(findings))])


def _folded(findings: Sequence[Cause]) -> list[str]:
    """Return a line for each cause of the findings after the first, with their number."""
    lines = []
    for found in _by_cause(findings):
        if found[0] is not findings[0]:
            lines.append(found[0].text)
        if len(found) > 1:
            lines.append(f"  and {len(found) - 1:,} more like it")
    return lines


def _by_cause(findings: Iterable[Cause]) -> list[list[Cause]]:
    """Group findings by cause, in the order of the first finding of each."""
    groups: dict[int, list[Cause]] = {}
    group_of: dict[tuple[str, ...], int] = {}
    for number, finding in enumerate(findings):
        keys = [_shape(finding), *_contradiction(finding)]
        known = sorted({group_of[key] for key in keys if key in group_of})
        into = known[0] if known else number
        group = groups.setdefault(into, [])
        for other in known[1:]:
            group += groups.pop(other)
            group_of.update({key: into for key, of in group_of.items() if of == other})
        group.append(finding)
        group_of.update(dict.fromkeys(keys, into))
    return list(groups.values())


def _contradiction(finding: Cause) -> Iterator[tuple[str, ...]]:
    """Yield the part that is common to findings about fields that contradict one other record."""
    if _OTHER.search(finding.wanted):
        yield finding.path.rpartition(".")[0], _VALUE.sub("#", finding.wanted)


def _shape(finding: Cause) -> tuple[str, ...]:
    """Return the text of a finding without numbers, values and files: equal for one cause."""
    texts = (finding.path, finding.wanted)
    return finding.kind, *(_VALUE.sub("#", _FILE.sub("/", text)) for text in texts)


_SHOWN: Final = 5
"""Files that a line names."""

_OF_DATA: Final = (
    "byteloom: data: Parquet and ORC files of the Iceberg tables here, which were checked with them"
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
        typer.echo("byteloom: nothing checked: no file of a format byteloom knows", err=True)
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
