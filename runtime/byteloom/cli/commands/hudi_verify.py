"""``byteloom hudi verify``: where the indexes of a table and its data disagree."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from byteloom.cli.inputs.files import named
from byteloom.cli.options.documents import as_json
from byteloom.cli.printing.json_text import json_text
from byteloom.cli.printing.value_text import counted

if TYPE_CHECKING:
    from byteloom.hudi import Audit

__all__ = ["verify"]


@as_json
def verify(
    table: Annotated[
        str, typer.Argument(metavar="TABLE", help="A path or a URL: the folder with .hoodie in it.")
    ],
    indexes: Annotated[
        list[str] | None,
        typer.Option(
            "--index",
            "-i",
            metavar="NAME",
            help="Check only this index; repeatable; all enabled ones by default.",
        ),
    ] = None,
    *,
    no_rows: Annotated[
        bool,
        typer.Option(
            "--no-rows",
            help="Of data files, read only record keys and the columns that indexes describe.",
        ),
    ] = False,
    json: bool,
) -> None:
    """Compare the indexes of a Hudi table with its data files, and read all of these.

    Each line says that an index lacks something (missing), contradicts it (wrong) or has what
    the data does not have (stale), or that a data file cannot be read (damaged) or is missing
    (lost). What could not be compared is listed too.

    Exit status: 0 everything agrees; 1 something differs, or is unreadable; 2 nothing compared.
    """
    from byteloom.hudi import MetadataTable, audit

    found = audit(MetadataTable.open(named(table)), indexes, rows=not no_rows)
    if json:
        _print_json(found)
    else:
        _print_text(found)
    if not found.is_clean:
        raise typer.Exit(1)
    if not sum(found.compared.values()):
        typer.echo("byteloom: nothing compared", err=True)
        raise typer.Exit(2)


def _print_json(found: Audit) -> None:
    lines: list[dict[str, Any]] = [{"finding": asdict(each)} for each in found.findings]
    lines += [{"not_compared": asdict(each)} for each in found.skipped]
    lines.append({"compared": found.compared, "unread_files": len(found.unread)})
    for line in lines:
        sys.stdout.write(json_text(line) + "\n")


def _print_text(found: Audit) -> None:
    for finding in found.findings:
        sys.stdout.write(f"{finding}\n")
    reasons = Counter((each.index, each.reason) for each in found.skipped)
    first = {(each.index, each.reason): each.subject for each in reversed(found.skipped)}
    for (index, reason), count in reasons.items():
        more = f" and {count - 1:,} more" if count > 1 else ""
        sys.stdout.write(f"{index}: not compared: {first[index, reason]}{more}: {reason}\n")
    wrong = Counter(each.index for each in found.findings)
    for index, count in found.compared.items():
        typer.echo(f"{index}: {count:,} compared, {wrong[index]:,} disagree", err=True)
    if found.unread:
        files = counted(len(found.unread), "file")
        typer.echo(f"data: the records of {files} were not compared", err=True)
