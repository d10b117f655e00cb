"""The application: its commands, and what becomes of errors."""

from __future__ import annotations

from inspect import cleandoc
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup

import byteloom
from byteloom.cli import compat, describe, generate, hfile, hudi, inspect, puffin, table, verify
from byteloom.errors import ByteloomError

__all__ = ["app"]

INTERRUPTED: Final = 130
"""What a shell reports for a program that Ctrl-C ended."""


class _Commands(TyperGroup):
    """The top-level group; the one place where errors become a line and an exit status."""

    def __init__(self, **settings: Any) -> None:
        """Let the paragraphs of all help flow, however wide the terminal is."""
        super().__init__(**settings)
        _flow(self)

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # whoever read our output has seen enough; the library below ends quietly
        except KeyboardInterrupt as error:
            raise typer.Exit(INTERRUPTED) from error
        except ByteloomError as error:
            raise _failed(str(error)) from error
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            raise _failed(f"{where}{error.strerror or error}") from error


def _flow(command: Any) -> None:
    """Join the lines of each paragraph of a command's help, and of those below it."""
    if command.help:
        paragraphs = cleandoc(command.help).split("\n\n")
        command.help = "\n\n".join(" ".join(each.split()) for each in paragraphs)
    for below in getattr(command, "commands", {}).values():
        _flow(below)


def _failed(message: str) -> typer.Exit:
    typer.echo(f"byteloom: {message}", err=True)
    return typer.Exit(1)


app = typer.Typer(
    name="byteloom",
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 all good; 1 an error, a damaged file or stale code; 2 wrong usage.",
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
        typer.Option(
            "--version", metavar="", callback=_version, is_eager=True, help="Print the version."
        ),
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
