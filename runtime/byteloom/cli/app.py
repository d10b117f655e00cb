"""The application: its commands, which are imported when they are asked for.

Importing all commands takes longer than handling a small file.  So what each does is said here, in
a line that help and completion of the top show: they import none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand
from typer.main import get_command

import byteloom
from byteloom.cli.application import Application, Top

__all__ = ["app"]

_COMMANDS: Final = {
    "inspect": "Show the structure of FILE with offsets and sizes, its properties and its"
    " contents.",
    "describe": "Show the fields of FILE as the Kaitai Struct spec SPEC describes them, with all"
    " instances.",
    "explore": "Open a page with the fields of FILE beside its bytes; Ctrl-C ends the server.",
    "scan": "Print the repeated records of FILE as a table, by the Kaitai Struct spec SPEC.",
    "verify": "Check files completely, with their contents; directories are searched.",
    "puffin": "List, read and add blobs of Puffin files; sketch the columns of a table.",
    "hfile": "Read the cells of HFiles, by row, range or prefix, and build HFiles.",
    "hudi": "Query and check the metadata table of a Hudi table: files, statistics and indexes.",
    "lance": "Show schema, rows, versions and sizes of Lance files and datasets, and convert them.",
    "table": "Show the metadata, history, files and rows of Iceberg tables, and plan scans.",
    "spark": "Work over whole tables and warehouses on Apache Spark.",
    "generate": "Turn specs into typed readers and writers, and pages; current files are left"
    " alone.",
    "compat": "Show which files and programs of one version of a spec work with another version.",
    "samples": "Write small sample files, and print a first command for each.",
    "help": "Print the help of COMMAND, as its option --help does.",
}
"""What each command or group does: the first sentence of its own help."""


class _Modules(Mapping[str, Any]):
    """The commands by name: each the ``app`` of the module of `byteloom.cli.commands` called so."""

    def __init__(self) -> None:
        """Know the names, and import no module."""
        self._made: dict[str, Any] = dict.fromkeys(_COMMANDS)

    def __getitem__(self, name: str) -> Any:
        """Return a command, importing its module on the first call; KeyError for another name."""
        if self._made[name] is None:
            made = get_command(import_module(f"byteloom.cli.commands.{name}").app)
            made.name, made.help = name, made.help or _COMMANDS[name]
            self._made[name] = made
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, in order."""
        return iter(self._made)

    def __len__(self) -> int:
        """Return how many commands there are."""
        return len(self._made)

    def __contains__(self, name: object) -> bool:
        """Whether there is a command *name*; imports nothing."""
        return name in self._made


class _Top(Top):
    """The commands at the top."""

    def __init__(self, **settings: Any) -> None:
        """Take typer's own settings."""
        super().__init__(**{**settings, "commands": _Modules()})

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002  the signature of click
        """Return the names, in order."""
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """Return a command as help and completion list it: its name, and what it does."""
        summary = _COMMANDS.get(cmd_name)
        return None if summary is None else TyperCommand(cmd_name, help=summary)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the first word names, imported now."""
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed and self.commands[listed.name], rest


app = Application(
    name="byteloom",
    cls=_Top,
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 all good; 1 an error, a damaged file or stale code; 2 wrong usage; of"
    " verify, hudi verify, spark audit and compat also a check that could not be made, as their own"
    " help says; 130 Ctrl-C; 141 the reader of a pipe has gone.",
)


def _version(is_given: bool) -> None:  # noqa: FBT001  (the signature that an eager option calls)
    if is_given:
        typer.echo(f"byteloom {byteloom.__version__}")
        raise typer.Exit


@app.callback()
def main(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Inspect, verify, read and write the file formats under the lakehouse."""
