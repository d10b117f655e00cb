"""Write rows to stdout or a file: as aligned columns, JSON, CSV or Parquet.

- Rows are written in batches, so that memory does not depend on their number.
- Printed rows are parts: the columns of some rows, of JSON values.  They
  are made of cells by `byteloom.cli.options.cells`, and of rows of Arrow by `arrow_rows`.
- In CSV for programs, whole columns of Arrow are formatted at a time (`csv_lines`, beside it too).
- In the other forms, nested values are written as JSON, and null as an empty cell.
- A file appears whole or not at all; its name decides the form if no option does.
"""

from __future__ import annotations

import sys
from codecs import getwriter
from contextlib import contextmanager
from enum import StrEnum
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, cast

import typer

from byteloom.cli.printing.aligned import LINES, Part, show_table
from byteloom.cli.printing.json_text import json_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa

    from byteloom.storage import Target

__all__ = ["Form", "Part", "form_for", "show", "show_csv", "slices", "text_of", "whole"]

_AT_ONCE: Final = 16_384
"""Rows of CSV that are formatted together."""


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
    shown = {Form.JSON: _show_json, Form.CSV: _show_csv, Form.TABLE: _show_aligned}
    with _opened(output) as out:
        shown[form](parts, names, out)


def show_csv(
    batches: Iterable[pa.RecordBatch],
    names: list[str],
    text: Callable[[pa.Array, str], pa.Array],
    output: str | None = None,
) -> None:
    """Print rows of Arrow as CSV, or write them to *output*.

    text  gives a column as large_string, by the column and its name
    """
    from byteloom.cli.printing.csv_lines import csv_lines

    with _opened(output) as out:
        _show_csv((), names, out)
        for part in slices(batches, _AT_ONCE):
            columns = [text(part.column(name), name) for name in names]
            out.write(csv_lines(columns))


@contextmanager
def _opened(output: str | None) -> Iterator[Any]:
    """Yield the stream for text: stdout, or a file that appears whole or not at all."""
    if output is None:
        yield sys.stdout
        return
    with whole(output) as target:
        yield getwriter("utf-8")(cast("Any", target))


@contextmanager
def whole(place: str) -> Iterator[Target]:
    """Open *place* for writing; the file appears when the block ends, and not if it fails."""
    from byteloom.storage import open_target

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


def _show_csv(parts: Iterable[Part], names: list[str], out: Any) -> None:
    import csv

    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    for columns in parts:
        writer.writerows(zip(*(map(text_of, column) for column in columns), strict=True))


def _show_aligned(parts: Iterable[Part], names: list[str], out: Any) -> None:
    texts = ([list(map(text_of, column)) for column in columns] for columns in parts)
    show_table(texts, names, out)
