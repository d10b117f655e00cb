"""Check where a command may write.

It never replaces what it reads.  It replaces other files, and writes into a table that it reads,
only with ``--force``.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import unquote

import typer

from byteloom.errors import StorageError
from byteloom.storage import open_source
from byteloom.storage.open import resolve

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["STANDARD_OUTPUT", "Force", "check_output"]

STANDARD_OUTPUT: Final = "-"
"""The name of standard output."""

Force = Annotated[bool, typer.Option("--force", "-f", help="Replace an existing file.")]
"""Whether `check_output` lets a file be replaced."""

_SQLITE: Final = "sqlite:///"


def check_output(
    output: str, inputs: Iterable[str] = (), *, force: bool, tables: Iterable[str] = ()
) -> None:
    """Refuse to replace a file that is an input, and without *force* any other.

    output        the path or URL that will be written; all is well where nothing is there yet
    inputs        paths and URLs that the command reads; no file in a folder among them is replaced
    tables        folders and files of tables that the command reads: inputs, inside which nothing
                  new is written without *force* either
    StorageError  *output* is an input or in one, or it exists or is in a table and *force* is
                  false; or it is standard output, which cannot appear whole or not at all
    """
    if output == STANDARD_OUTPUT:
        wanted = "the name of a file, which appears when it is complete; ./- is a file called -"
        raise StorageError(f"found {output} (standard output), wanted {wanted}")
    if not _exists(output):
        for each in () if force else tables:
            if _is_within(output, each):
                raise StorageError(
                    f"{output}: it would be inside {each}, which the command reads; wanted another"
                    " output, or --force"
                )
        return
    for each in (*inputs, *tables):
        if _is_within(output, each):
            read = "the command reads it" if _is_same(output, each) else f"it belongs to {each}"
            raise StorageError(f"{output}: the file exists and {read}; wanted another output")
    if not force:
        raise StorageError(f"{output}: the file exists; --force replaces it")


def _exists(place: str) -> bool:
    filesystem, path = resolve(place, None)
    if filesystem is None:
        return os.path.exists(path) and not os.path.isdir(path)  # noqa: PTH110, PTH112  Path's may raise
    try:
        open_source(place).close()
    except StorageError:
        return False
    return True


def _is_within(output: str, place: str) -> bool:
    """Whether *output* is the file *place*, or below the folder, however either is spelled."""
    from byteloom.storage.allowed import Allowed  # late: most commands have no such output

    if place.startswith(_SQLITE):
        place = unquote(re.split("[?#]", place.removeprefix(_SQLITE))[0])
    try:
        Allowed([place]).check(output)
    except StorageError:
        return _is_same(output, place)
    return True


def _is_same(output: str, place: str) -> bool:
    """Whether two names are one file: by their text, or locally by any link."""
    try:
        return output == place or os.path.samefile(output, place)  # noqa: PTH121  may be URLs
    except (OSError, ValueError):
        return False
