"""The application: its commands."""

from __future__ import annotations

from typing import Annotated, Any, Final

import typer

import byteloom
from byteloom.cli.commands import Application, Top
from byteloom.cli.loading import Modules

__all__ = ["app"]

_COMMANDS: Final = (
    *(
        "inspect",
        "describe",
        "explore",
        "scan",
        "verify",
        "puffin",
        "hfile",
        "hudi",
        "lance",
        "table",
        "spark",
        "generate",
        "compat",
        "samples",
    ),
)


class _Top(Top):
    """The commands at the top."""

    def __init__(self, **settings: Any) -> None:
        """Take typer's own settings."""
        super().__init__(**{**settings, "commands": Modules("byteloom.cli", _COMMANDS)})


app = Application(
    name="byteloom",
    cls=_Top,
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 all good; 1 an error, a damaged file or stale code; 2 wrong usage; of"
    " verify, hudi verify, spark audit and compat also a check that could not be made, as their own"
    " help says; 130 Ctrl-C; 141 the reader of a pipe has gone.",
)


def _version(asked: bool) -> None:  # noqa: FBT001  (the signature that an eager option calls)
    if asked:
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
