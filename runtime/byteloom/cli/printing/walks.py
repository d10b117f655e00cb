"""Messages about searched folders: what was left out or could not be read."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

import typer

from byteloom.errors import in_a_line
from byteloom.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.storage.walking import Walk

__all__ = ["report_links", "report_tables", "report_walks"]


def report_walks(walks: Sequence[Walk]) -> None:
    """Name on stderr what walks left out; end with status 1 where a folder could not be read."""
    report_links([link for walk in walks for link in walk.links])
    refused = [error for walk in walks for error in walk.refused.values()]
    for error in refused:
        typer.echo(f"byteloom: {error}", err=True)
    if refused:
        raise typer.Exit(1)


def report_links(links: Sequence[str]) -> None:
    """Say on stderr how many *links* to folders were not followed, if there are any."""
    if links:
        more = f" and {len(links) - 1:,} more" if len(links) > 1 else ""
        warning = f"byteloom: links to folders are not followed: {redacted(links[0])}{more}"
        typer.echo(warning, err=True)


def report_tables(tables: Sequence[str], what: str, advice: str) -> None:
    """Say on stderr which folders are tables, with advice about the first.

    what    the kind of table, with its article
    advice  has ``{}`` where a command has the table's place
    """
    if tables:
        more = f" and {len(tables) - 1:,} more" if len(tables) > 1 else ""
        place = redacted(tables[0])
        said = advice.format(quote(place))
        typer.echo(f"byteloom: {in_a_line(place)} is {what}{more}: {said}", err=True)
