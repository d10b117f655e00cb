"""Errors about the rows of a CSV file, with the line that each row is on.

Arrow reads no ends of lines inside fields and skips empty lines, so each row is the next line that
is not empty.
"""

from __future__ import annotations

import re
from contextlib import closing, contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["at_row", "in_words", "lines_named", "lines_of", "parts_of"]

_CELL: Final = re.compile(r"cells\[(\d+)\]")
_ARROW_ROW: Final = re.compile(r"Row #(\d+): ")
_PART: Final = 1 << 20


def at_row(name: str, row: int, found: str, wanted: str) -> FormatError:
    """Return the error about a value of a row, by its number from 0."""
    return FormatError(f"cells[{row}].{name}", None, found, wanted)


@contextmanager
def lines_named(place: str) -> Iterator[None]:
    """Put the line of a CSV file before the path of an error about one of its cells."""
    try:
        yield
    except FormatError as error:
        cell = _CELL.match(error.path)
        line = None if cell is None else line_of(place, int(cell[1]) + 1)
        if line is not None:
            error.path = f"line {line}: {error.path}"
        raise


def line_of(place: str, row: int) -> int | None:
    """Return the line of a row, both from 1, where row 0 is the header; None if it has none."""
    there = (number for number, text in enumerate(lines_of(place), 1) if text.strip(b"\r\n"))
    return next(islice(there, row, None), None)


def in_words(place: str, error: Exception) -> str:
    """Return Arrow's error about a CSV file, with the line of a row in place of its number."""
    text = str(error).splitlines()[0]
    row = _ARROW_ROW.search(text)
    line = None if row is None else line_of(place, int(row[1]) - 1)
    if row is None or line is None:
        return text
    return f"line {line}: {text[: row.start()]}{text[row.end() :]}"


def lines_of(place: str) -> Iterator[bytes]:
    """The lines of a file."""
    rest = b""
    for part in parts_of(place):
        *whole, rest = (rest + part).splitlines(keepends=True)
        yield from whole
    yield rest


def parts_of(place: str) -> Iterator[bytes]:
    """The bytes of a file, some at a time."""
    from byteloom.storage.open import open_source  # late: it takes pyarrow

    with closing(open_source(place)) as source:
        for at in range(0, source.size, _PART):
            yield source.read(at, min(_PART, source.size - at))
