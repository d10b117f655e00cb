"""``byteloom help``: what ``COMMAND --help`` prints, by the name of the command."""

from __future__ import annotations

from typing import Annotated, Any, cast

import typer
from typer.core import TyperGroup

from byteloom.cli.application import Application

__all__ = ["app"]

app = Application()


@app.command("help")
def show(
    context: typer.Context,
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[COMMAND [SUBCOMMAND...]]",
            help="A command, and one of its group; without any, all commands are listed.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Print the help of COMMAND, as its option --help does."""
    root: Any = context.find_root()
    found = root
    for word in command or []:
        group = found.command
        if not isinstance(group, TyperGroup):
            root.fail(f"{found.command_path!r} has no commands, found {word!r} after it")
        name, inside, _ = group.resolve_command(found, [word])
        found = typer.Context(cast("Any", inside), found, name)
    typer.echo(found.get_help(), color=found.color)
