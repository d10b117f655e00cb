"""Checks of CSV files that Arrow lacks, and its errors in other words.

Arrow reads a quote without an end up to the end of the file, names that are not UTF-8 raise errors
of Python, and its own errors number columns and rows.
"""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Final

from byteloom.cli.inputs.csv_rows import in_words, lines_of, parts_of
from byteloom.cli.options.columns import check_distinct
from byteloom.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["check_csv", "explained", "line_without_utf8"]

_COLUMN: Final = re.compile(r"In CSV column #(\d+): ")


def check_csv(place: str) -> list[str]:
    """Return the names of the columns of a file.

    raises  `FormatError` for names that are not UTF-8, and for a quote that has no end;
            `ArgumentError` for two columns of one name
    """
    names = next(csv.reader(_header_lines(place)), [])
    check_distinct(names, place)
    if _has_odd_quotes(place):
        _check_last_quote(place)
    return names


def line_without_utf8(place: str) -> int | None:
    """Return the first line that is not UTF-8; None if all are."""
    for number, line in enumerate(lines_of(place), 1):
        try:
            line.decode()
        except UnicodeDecodeError:
            return number
    return None


def explained(place: str, error: Exception, names: Sequence[str]) -> str:
    """Return Arrow's error about a file, with lines and the *names* of columns."""
    text = in_words(place, error)
    found = _COLUMN.search(text)
    if found is None or int(found[1]) >= len(names):
        return text
    name = names[int(found[1])]
    return f"{text[: found.start()]}column {name!r}: {text[found.end() :]}"


def _header_lines(place: str) -> Iterator[str]:
    """Yield lines as text, without empty ones at the start."""
    is_first = True
    for number, line in enumerate(lines_of(place), 1):
        if is_first and not line.strip(b"\r\n"):
            continue
        try:
            yield line.decode("utf-8-sig" if is_first else "utf-8")
        except UnicodeDecodeError as error:
            found = f"names of columns with the byte 0x{line[error.start]:02x}"
            raise FormatError(f"line {number}", None, found, "UTF-8").in_file(place) from error
        is_first = False


def _has_odd_quotes(place: str) -> bool:
    return sum(part.count(b'"') for part in parts_of(place)) % 2 == 1


def _check_last_quote(place: str) -> None:
    """Refuse a file whose last record has a quote without an end."""
    reader = csv.reader(line.decode("latin-1") for line in lines_of(place))
    ends = [0, 0]
    for _ in reader:
        ends = [ends[1], reader.line_num]
    record = [
        line.decode("latin-1") for number, line in enumerate(lines_of(place), 1) if number > ends[0]
    ]
    try:
        list(csv.reader(record, strict=True))
    except csv.Error as error:
        if "unexpected end" in str(error):
            wanted = "a second one before the file ends"
            raise FormatError(
                f"line {ends[0] + 1}", None, "a quote at the start of a value", wanted
            ).in_file(place) from error
