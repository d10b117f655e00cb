"""The application: its commands, which are imported when they are asked for.

Importing all commands takes longer than handling a small file; only help, completion and unknown
names need all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Annotated, Any, Final

import typer
from typer.main import get_command

import byteloom
from byteloom.cli.application import Application, Top

__all__ = ["app"]

_COMMANDS: Final = (
    *("inspect", "describe", "explore", "scan", "verify"),
    *("puffin", "hfile", "hudi", "lance", "table", "spark"),
    *("generate", "compat", "samples"),
)


class _Modules(Mapping[str, Any]):
    """The commands by name: each the ``app`` of the module of `byteloom.cli.commands` called so."""

    def __init__(self) -> None:
        """Know the names, and import no module."""
        self._made: dict[str, Any] = dict.fromkeys(_COMMANDS)

    def __getitem__(self, name: str) -> Any:
        """Return a command, importing its module on the first call; KeyError for another name."""
        if self._made[name] is None:
            made = get_command(import_module(f"byteloom.cli.commands.{name}").app)
            made.name = name
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
