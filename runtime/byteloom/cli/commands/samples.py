"""``byteloom samples``: small files to try commands on."""

from __future__ import annotations

import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from byteloom.cli.application import Application
from byteloom.cli.options.documents import as_json
from byteloom.cli.printing.advice import generator_install
from byteloom.cli.printing.value_text import json_text
from byteloom.cli.sample_files import COMMANDS, write_samples
from byteloom.errors import StorageError

__all__ = ["app"]

app = Application()


@app.command()
@as_json
def samples(
    folder: Annotated[
        Path, typer.Argument(metavar="[FOLDER]", help="Folder to write to; created if missing.")
    ] = Path("byteloom-samples"),
    *,
    force: Annotated[
        bool, typer.Option("--force", "-f", help="Write into a folder that is not empty.")
    ] = False,
    json: bool,
) -> None:
    """Write small sample files, and print a first command for each.

    A Puffin file, an HFile, a Lance file, an Iceberg table, a Hudi table, and a log in a made-up
    format with its spec; all but the log have the same thousand orders.
    """
    try:
        if not force and folder.is_dir() and any(folder.iterdir()):
            raise StorageError(f"{folder}: the folder is not empty; --force writes into it")
        write_samples(folder)
    except OSError as error:
        raise StorageError(f"{folder}: {error.strerror or error}") from error
    for name, command in COMMANDS.items():
        words = command.format(shlex.quote(str(folder / name)), shlex.quote(str(folder)))
        if "--spec" in words and not _has_generator():
            typer.echo(f"after {generator_install()}: byteloom {words}", err=True)
            continue
        _print(["byteloom", *shlex.split(words)], json=json)
    _print(["byteloom", "verify", str(folder)], json=json)


def _has_generator() -> bool:
    """Whether the libraries of the extra ``codegen`` are installed."""
    return all(find_spec(each) for each in ("yaml", "jinja2"))


def _print(command: list[str], *, json: bool) -> None:
    """Print a command as a shell takes it, or its words as JSON."""
    typer.echo(json_text(command) if json else " ".join(map(_quoted, command)))


def _quoted(word: str) -> str:
    """Return a word as a shell takes it; in double quotes if that leaves it as it reads."""
    is_plain = "'" in word and not set(word) & set('"$`\\!')
    return f'"{word}"' if is_plain else shlex.quote(word)
