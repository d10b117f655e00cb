"""The rows that ``byteloom hfile get`` looks up: arguments, and the lines of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import typer

from byteloom.cli.inputs.files import STANDARD_INPUT, content
from byteloom.cli.options.cells import bytes_of
from byteloom.errors import FormatError
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.cli.options.cells import Bytes

__all__ = ["Row", "as_hex", "named_rows"]


_SHOWN: Final = 40
"""Characters of a line that an error shows."""


class Row(NamedTuple):
    """A row to look up: as it was written, and its bytes."""

    text: str
    key: bytes


def as_hex(text: str) -> bytes | None:
    """Return the bytes that *text* is in hex; None if it is not hex."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        return None


def named_rows(file: str, rows: Sequence[str], listed: str | None, how: Bytes) -> list[Row]:
    """Return the rows given as arguments, then those in the file *listed*, one per line.

    file    the HFile; it and *listed* cannot both be standard input
    errors  `typer.BadParameter` for arguments, `FormatError` for a line
    """
    if not rows and listed is None:
        wanted = "wanted rows or --rows-from FILE; --bytes hex takes rows in hex, and --key is"
        text = f"none given, {wanted} for encrypted files"
        raise typer.BadParameter(text, param_hint="KEY")
    if file == listed == STANDARD_INPUT:
        raise typer.BadParameter("standard input is FILE already", param_hint="--rows-from")
    return [*_arguments(rows, how), *([] if listed is None else _lines(listed, how))]


def _arguments(rows: Sequence[str], how: Bytes) -> Iterator[Row]:
    for row in rows:
        try:
            yield Row(row, bytes_of(row, how))
        except ValueError as error:
            raise typer.BadParameter(f"{row!r} is not hex", param_hint="KEY") from error


def _lines(place: str, how: Bytes) -> Iterator[Row]:
    """Yield the row of each line; empty lines are skipped."""
    with about_file("standard input" if place == STANDARD_INPUT else place):
        at = 0
        for number, line in enumerate(content(place).split(b"\n"), 1):
            row = line.removesuffix(b"\r")
            if row:
                yield _row(row, f"line {number}", at, how)
            at += len(line) + 1


def _row(line: bytes, name: str, at: int, how: Bytes) -> Row:
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        found = line[error.start : error.start + 1]
        raise FormatError(name, at + error.start, found, "text in UTF-8") from error
    try:
        return Row(text, bytes_of(text, how))
    except ValueError as error:
        wanted = "digits of hex, two for each byte"
        raise FormatError(name, at, repr(text[:_SHOWN]), wanted) from error
