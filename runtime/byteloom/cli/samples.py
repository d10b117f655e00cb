"""``byteloom samples``: small files of every format to try commands on."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

from byteloom.cli.commands import Application
from byteloom.errors import StorageError

__all__ = ["app"]

app = Application()


@app.command()
def samples(
    folder: Annotated[
        Path, typer.Argument(metavar="[FOLDER]", help="Where to write them; made if missing.")
    ] = Path("byteloom-samples"),
    *,
    force: Annotated[
        bool, typer.Option("--force", "-f", help="Write into a folder that is not empty.")
    ] = False,
) -> None:
    """Write small files of every format, and print a first command for each.

    A Puffin file, an HFile, a Lance file, an Iceberg table and a format of one's own with its
    spec; the first four hold the same thousand orders.
    """
    from byteloom.cli.sample_files import COMMANDS, write_samples

    try:
        if not force and folder.is_dir() and any(folder.iterdir()):
            raise StorageError(f"{folder}: the folder is not empty; --force writes into it")
        write_samples(folder)
    except OSError as error:
        raise StorageError(f"{folder}: {error.strerror or error}") from error
    for name, command in COMMANDS.items():
        place, below = shlex.quote(str(folder / name)), shlex.quote(str(folder) + os.sep)
        typer.echo(f"byteloom {command.format(place, below)}")
    typer.echo(f"byteloom verify {shlex.quote(str(folder))}")
