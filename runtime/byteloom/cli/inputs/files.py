"""The input of a command: the file of a path or URL, or standard input for ``-``."""

from __future__ import annotations

import shutil
import sys
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import typer

from byteloom.cli.printing.advice import command
from byteloom.errors import StorageError
from byteloom.late import tempfile
from byteloom.storage import open_source
from byteloom.storage.sources import FileSource, storing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.storage import Source

__all__ = ["STANDARD_INPUT", "Input", "content", "named", "opened"]

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
