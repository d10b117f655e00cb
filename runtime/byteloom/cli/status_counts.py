"""The counts at the end of `byteloom verify` and of `byteloom spark audit`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import typer

from byteloom.verification.verdict import DATA, ELSEWHERE, OK

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["report_counts"]

_OF_DATA: Final = "byteloom: data: Parquet and ORC files, checked only with a table that names them"


def report_counts(counts: Mapping[str, int], *, json: bool) -> None:
    """Say on stderr how many places have each status; without `--json` also what `data` means."""
    typer.echo(", ".join(f"{n:,} {status}" for status, n in counts.items() if n), err=True)
    if counts[DATA] and (counts[OK] or counts[ELSEWHERE]) and not json:
        typer.echo(_OF_DATA, err=True)
