"""The application: its commands."""

from __future__ import annotations

from typing import Annotated

import typer

import byteloom
from byteloom.cli import compat, describe, generate, hfile, hudi, inspect, puffin, table, verify
from byteloom.cli.commands import Application, Top

__all__ = ["app"]

app = Application(
    name="byteloom",
    cls=Top,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 all good; 1 an error, a damaged file or stale code; 2 wrong usage;"
    " 130 Ctrl-C; 141 the reader of a pipe has gone.",
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
    """Look into, check and make the file formats under the lakehouse."""


app.command("inspect")(inspect.inspect)
app.command("describe")(describe.describe)
app.command("verify")(verify.verify)
app.add_typer(puffin.app, name="puffin")
app.add_typer(hfile.app, name="hfile")
app.add_typer(hudi.app, name="hudi")
app.add_typer(table.app, name="table")
app.command("generate")(generate.generate)
app.command("compat")(compat.compat)
