"""The input of a command: the file of a path or URL, or standard input for ``-``; folders searched.

What a search of folders left out or could not read is said on stderr.
"""

from __future__ import annotations

import shutil
import sys
from contextlib import closing, contextmanager
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import typer

from byteloom.cli.printing.advice import command
from byteloom.errors import StorageError, in_a_line
from byteloom.late import tempfile
from byteloom.redaction import redacted
from byteloom.storage import open_source
from byteloom.storage.sources import FileSource, storing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.storage import Source
    from byteloom.storage.folders import Walk

__all__ = [
    "STANDARD_INPUT",
    "Input",
    "content",
    "named",
    "opened",
    "report_links",
    "report_tables",
    "report_walks",
]

STANDARD_INPUT: Final = "-"
"""The argument for standard input."""

Input: TypeAlias = Annotated[
    str, typer.Argument(metavar="FILE", help="A path or a URL; - is standard input.")
]
"""A file to read."""

_IN_MEMORY: Final = 64 << 20
"""Bytes of standard input that are kept in memory; more go to a temporary file."""


@contextmanager
def opened(place: str) -> Iterator[Source]:
    """Give the source of *place* until the block ends; standard input is read to its end first."""
    if place != STANDARD_INPUT:
        with closing(open_source(place)) as source:
            yield source
        return
    if sys.stdin is None:
        raise StorageError("standard input: found it closed, wanted it open for reading")
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as copy:
        with storing("standard input"):
            shutil.copyfileobj(sys.stdin.buffer, copy, 1 << 20)
        yield FileSource(copy, "standard input")


def named(place: str) -> str:
    """Return *place*; `StorageError` for standard input, where a command needs a name."""
    if place == STANDARD_INPUT:
        wanted = "a path or a URL: it does not read standard input"
        raise StorageError(f"{command()}: found {STANDARD_INPUT}, wanted {wanted}")
    return place


def content(place: str) -> bytes:
    """Return all bytes of *place*."""
    with opened(place) as source:
        return source.read(0, source.size)


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
