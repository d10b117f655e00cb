"""The common arguments of ``byteloom table``: a table, and an earlier state of it.

- A table is a metadata file, a table's folder, ``sqlite:///cat.db#namespace.table``, or
  ``catalog:NAME#namespace.table``.
- Where its files were moved, ``--relocate OLD=NEW`` maps the prefixes of their paths.
- ``--allow PREFIX`` confines where its metadata may lead.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from byteloom.cli.inputs.files import named
from byteloom.cli.options.groups import option_group
from byteloom.cli.options.parsers import expression_of, pairs
from byteloom.errors import FormatError
from byteloom.moments import instant_of
from byteloom.redaction import redacted

if TYPE_CHECKING:
    from datetime import datetime

    from byteloom.cli.options.listing import Listing
    from byteloom.iceberg.scan import TableScan
    from byteloom.iceberg.table import Table

__all__ = [
    "NoRows",
    "Place",
    "Snapshot",
    "TableAccess",
    "TableState",
    "moment_of",
    "table_access",
    "table_state",
]

_FOLDERS: Final = ("write.data.path", "write.metadata.path")
"""Properties that name a folder for files of the table."""

Place = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="A metadata file, a table's folder, sqlite:///cat.db#namespace.table,"
        " or catalog:NAME#namespace.table, of pyiceberg's configuration.",
    ),
]
NoRows = Annotated[
    bool,
    typer.Option(
        "--no-rows",
        help="Of tables, check that data files are there, their sizes and row counts;"
        " do not read their rows.",
    ),
]
Snapshot = Annotated[
    int | None, typer.Option("--snapshot", metavar="ID", help="The table as of a snapshot.")
]


@dataclass(frozen=True, slots=True)
class TableAccess:
    """How the files that a table's metadata names are found."""

    relocate: Annotated[
        list[str] | None,
        typer.Option(
            "--relocate",
            metavar="OLD=NEW",
            help="Replace the prefix OLD of paths in metadata; repeatable.",
        ),
    ] = None
    allow: Annotated[
        list[str] | None,
        typer.Option(
            "--allow",
            metavar="PREFIX",
            help="Read only files below PREFIX that metadata names; repeatable.",
        ),
    ] = None

    @property
    def relocation(self) -> dict[str, str]:
        """The map of prefixes; `typer.BadParameter` for an invalid one."""
        return pairs(self.relocate, "--relocate", "OLD=NEW")

    def open(self, place: str, to: Listing | None = None) -> Table:
        """Return the table at *place*; `StorageError` where what is listed would be in it."""
        from byteloom.iceberg.table import open_table

        table = open_table(named(place), relocate=self.relocation, allow=self.allow or None)
        _report_copy(table)
        if to is not None:
            to.spare(tables=_places(table))
        return table


@dataclass(frozen=True, slots=True)
class TableState(TableAccess):
    """An earlier state of a table, or the current one, and how its files are found."""

    snapshot: Snapshot = None
    as_of: Annotated[
        str | None,
        typer.Option(
            "--as-of",
            metavar="TIME",
            help="The table at that time: 2024, 2024-05-31, 2024-05-31T12:00 (ISO 8601, UTC by"
            " default), or milliseconds from 1970.",
        ),
    ] = None
    ref: Annotated[str | None, typer.Option("--ref", metavar="NAME", help="A branch or a tag.")] = (
        None
    )

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments for the library; `typer.BadParameter` for two options at once."""
        if sum(each is not None for each in (self.snapshot, self.as_of, self.ref)) > 1:
            raise typer.BadParameter("one of the three", param_hint="--snapshot, --as-of, --ref")
        moment = None if self.as_of is None else moment_of(self.as_of)
        return {"snapshot": self.snapshot, "as_of": moment, "ref": self.ref}

    def scan(
        self, place: str, where: list[str] | None = None, to: Listing | None = None, **query: Any
    ) -> TableScan:
        """Return the scan of the table at *place*.

        where  texts of expressions that its rows meet
        to     where the rows are listed, which cannot be in the table
        query  more arguments of `Table.scan`
        """
        # Before the table is opened: wrong usage is reported whatever the table has.
        wanted, when = expression_of(where), self.arguments
        return self.open(place, to).scan(wanted, **when, **query)


table_access = option_group("access", TableAccess)
"""Gives a command the options of `TableAccess`, and passes it one as *access*."""

table_state = option_group("state", TableState)
"""Gives a command the options of `TableState`, and passes it one as *state*."""


def _report_copy(table: Table) -> None:
    """Say on stderr that a table is a copy whose files are read from the original's place."""
    moved = table.relocation.moved()
    if moved is None or table.relocation.is_copy_of_remote:  # whose files are not read
        return
    old, new = moved.old, moved.new
    original = table.relocation(old)
    if "://" in original or os.path.isdir(original):  # noqa: PTH112  Path's may raise
        mapped = f"--relocate {quote(f'{old}={new}')} reads those in this folder"
        line = f"{new}: says that it is in {old}, where its files are read: {mapped}"
        typer.echo(f"byteloom: {redacted(line)}", err=True)


def _places(table: Table) -> list[str]:
    """The metadata file and the folders of a table, as far as metadata names them."""
    metadata, found = table.metadata, table.metadata_location
    folder = found.rpartition("/metadata/")[0]
    kept = [metadata.properties.get(each) for each in _FOLDERS]
    written = [each for each in (metadata.location, *kept) if each]
    return [found, *filter(None, [folder]), *map(table.relocation, written)]


def moment_of(text: str) -> int | datetime:
    """Return a moment as the library takes it; `typer.BadParameter` for an invalid one."""
    is_day = len(text) in {len("2024"), len("20240531")}
    if text.lstrip("-").isdecimal() and not is_day:
        return int(text)
    try:
        return instant_of(text)
    except FormatError as error:
        wanted = error.wanted.replace(" a datetime,", "")  # which is Python's
        message = f"found {error.found}, wanted {wanted}"
        raise typer.BadParameter(message, param_hint="--as-of") from error
