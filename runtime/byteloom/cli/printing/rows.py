"""Write rows to stdout or a file: as aligned columns, JSON, CSV or Parquet.

- Rows are written in batches, so that memory does not depend on their number.
- Printed rows are parts: the columns of some rows, of JSON values.  They
  are made of cells by `byteloom.cli.options.cells`, and of rows of Arrow by `arrow_rows`.
- In CSV for programs, whole columns of Arrow are formatted at a time (`arrow_rows` too).
- In the other forms, nested values are written as JSON, and null as an empty cell.
- A file appears whole or not at all; its name decides the form if no option does.
- Aligned columns are as wide as the terminal or COLUMNS allows, and on a pipe uncut.  Cells that do
  not fit are cut, in the widest columns first, to no less than eight characters; then columns are
  left out from the right.  ``…`` marks both, and stderr reports it.
- Columns of up to a thousand rows are made equally wide; they never become narrower.
"""

from __future__ import annotations

import csv
import os
import sys
from codecs import getwriter
from contextlib import contextmanager
from enum import StrEnum
from pathlib import PurePath
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

import typer

from byteloom.cli.printing.value_text import json_text
from byteloom.storage import open_target
from byteloom.verification.damage import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from byteloom.storage import Target

__all__ = [
    "LINES",
    "Form",
    "Part",
    "fitted",
    "form_for",
    "opened_text",
    "show",
    "show_csv_parts",
    "show_facts",
    "show_table",
    "slices",
    "text_of",
    "whole",
]

Part: TypeAlias = "list[list[Any]]"
"""Columns of some rows, of values as JSON has them."""

LINES: Final = 1_000
"""Rows whose columns are made equally wide."""

_APART: Final = "  "
_CUT: Final = "…"
_LEAST: Final = 8
"""The least width of a column before columns are left out."""


def show_table(parts: Iterable[Part], names: list[str], out: Any) -> None:
    """Print texts in columns under their names."""
    limit, is_cut = _limit(out), False
    widths, head = [len(name) for name in names], True
    for columns in _gathered(parts):
        widths = [
            max(width, *map(len, column)) for width, column in zip(widths, columns, strict=True)
        ]
        room = fitted(widths, limit)
        is_cut |= room != widths
        lines = zip(*columns, strict=True)
        for line in [tuple(names), *lines] if head else lines:
            out.write(_line(line, room))
        head = False
    if head:
        room = fitted(widths, limit)
        is_cut |= room != widths
        out.write(_line(names, room))
    if is_cut:
        out.flush()
        typer.echo(
            f"byteloom: cut to {counted(limit or 0, 'character')}; --format csv or json is whole",
            err=True,
        )


def show_facts(facts: Mapping[str, Sequence[str]]) -> None:
    """Print facts beside their names: a fact is one line, or several below each other."""
    names = [name.replace("_", " ") for name in facts]
    width = max(map(len, names))
    for name, lines in zip(names, facts.values(), strict=True):
        for number, line in enumerate(lines):
            typer.echo(f"{'' if number else name:<{width}}{_APART}{line}".rstrip())


def fitted(widths: list[int], limit: int | None) -> list[int]:
    """Return the widths of columns for lines of at most *limit* characters.

    widths  of their texts
    limit   None for any
    return  fewer widths where columns on the right are left out; the sign ``…`` needs room too
    """
    if limit is None:
        return widths
    shown = len(widths)
    while shown > 1 and _least(widths[:shown], shown < len(widths)) > limit:
        shown -= 1
    room, sign = list(widths[:shown]), (len(_APART) + 1) * (shown < len(widths))
    left = limit - sign - len(_APART) * (shown - 1)
    while sum(room) > left:
        widest = max(room)
        others = [width for width in room if width < widest]
        count = len(room) - len(others)
        over = -(-(sum(room) - left) // count)
        floor = max(others, default=1)
        least = max(widest - over, floor, 1)
        room = [least if width == widest else width for width in room]
        if least == widest:
            break
    return room


def _least(widths: list[int], is_short: bool) -> int:  # noqa: FBT001  of one caller
    """Return the width of a line whose columns are all cut to the least width."""
    kept = sum(min(width, _LEAST) for width in widths)
    return kept + len(_APART) * (len(widths) - 1 + is_short) + is_short


def _limit(out: Any) -> int | None:
    """Return the width of a line; None for no limit."""
    if out is sys.stdout and (out.isatty() or os.environ.get("COLUMNS")):
        return get_terminal_size().columns
    return None


def _line(texts: Sequence[str], room: list[int]) -> str:
    kept = [
        (text if len(text) <= width else text[: width - 1] + _CUT).ljust(width)
        for text, width in zip(texts, room, strict=False)
    ]
    more = [_CUT] if len(room) < len(texts) else []
    return _APART.join([*kept, *more]).rstrip() + "\n"


def _gathered(parts: Iterable[Part]) -> Iterator[Part]:
    """Yield small parts together: files of a few rows each make one table."""
    gathered: Part = []
    for columns in parts:
        gathered = (
            [[*old, *new] for old, new in zip(gathered, columns, strict=True)]
            if gathered
            else columns
        )
        if gathered and len(gathered[0]) >= LINES:
            yield gathered
            gathered = []
    if gathered and gathered[0]:
        yield gathered


class Form(StrEnum):
    """The forms of rows."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    PARQUET = "parquet"


_ENDINGS: Final = {
    ".parquet": Form.PARQUET,
    ".csv": Form.CSV,
    ".json": Form.JSON,
    ".jsonl": Form.JSON,
    ".ndjson": Form.JSON,
}


def form_for(form: Form, output: str | None) -> Form:
    """Return the form to write: the given one or, for a file, the one of its ending.

    raises  `typer.BadParameter` for a file of no known form, and for Parquet to a terminal
    """
    if output is None:
        if form is Form.PARQUET and sys.stdout.isatty():
            raise typer.BadParameter(
                "a terminal shows no Parquet: wanted --output FILE, or a pipe",
                param_hint="--format",
            )
        return form
    if form is not Form.TABLE:
        return form
    found = _ENDINGS.get(PurePath(output).suffix.lower())
    if found is None:
        wanted = "say --format, or end the name in .parquet, .csv or .json"
        raise typer.BadParameter(f"{output!r}: {wanted}", param_hint="--output")
    return found


def slices(batches: Iterable[pa.RecordBatch], rows: int = LINES) -> Iterator[pa.RecordBatch]:
    """Yield *batches* as slices of as many rows as are printed together."""
    for batch in batches:
        for start in range(0, batch.num_rows, rows):
            yield batch.slice(start, rows)


def show(parts: Iterable[Part], names: list[str], form: Form, output: str | None = None) -> None:
    """Print the columns *names* of *parts* in a form that is text, or write them to *output*."""
    shown = {Form.JSON: _show_json, Form.CSV: show_csv_parts, Form.TABLE: _show_aligned}
    with opened_text(output) as out:
        shown[form](parts, names, out)


@contextmanager
def opened_text(output: str | None) -> Iterator[Any]:
    """Yield the stream for text: stdout, or a file that appears whole or not at all."""
    if output is None:
        yield sys.stdout
        return
    with whole(output) as target:
        yield getwriter("utf-8")(cast("Any", target))


@contextmanager
def whole(place: str) -> Iterator[Target]:
    """Open *place* for writing; the file appears when the block ends, and not if it fails."""
    target = open_target(place)
    try:
        yield target
        target.commit()
    except BaseException:
        target.abort()
        raise


def text_of(value: Any) -> str:
    """Return a value as the text of a cell; an empty text for null."""
    if isinstance(value, dict | list):
        return json_text(value)
    return "" if value is None else str(value)


def _show_json(parts: Iterable[Part], names: list[str], out: Any) -> None:
    for columns in parts:
        for row in zip(*columns, strict=True):
            out.write(json_text(dict(zip(names, row, strict=True))) + "\n")


def show_csv_parts(parts: Iterable[Part], names: list[str], out: Any) -> None:
    """Write a line of names, and one for each row."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    for columns in parts:
        writer.writerows(zip(*(map(text_of, column) for column in columns), strict=True))


def _show_aligned(parts: Iterable[Part], names: list[str], out: Any) -> None:
    texts = ([list(map(text_of, column)) for column in columns] for columns in parts)
    show_table(texts, names, out)
