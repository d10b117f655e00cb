"""Rows on stdout or in a file: columns for a person, JSON, CSV or Parquet for a program.

- Rows go out some at a time, however many there are.
- What is printed are parts: the columns of some rows, of values as JSON has them.  How bytes, times
  and the like become such values is for those who know what they mean: `byteloom.cli.cells`,
  `byteloom.cli.arrow_rows`.
- Elsewhere than in JSON, nested values are written as JSON, and null as nothing.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

__all__ = ["Form", "FormOption", "Output", "Part", "check_output", "show", "slices", "text_of"]

Part: TypeAlias = "list[list[Any]]"
"""Columns of some rows, of values as JSON has them."""

_LINES: Final = 1_000
"""Rows whose columns are made equally wide."""


class Form(StrEnum):
    """How rows come out."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    PARQUET = "parquet"


FormOption = Annotated[
    Form,
    typer.Option("--format", metavar="FORM", help="table, json (an object a line), csv, parquet."),
]
Output = Annotated[
    str | None, typer.Option("--output", "-o", metavar="FILE", help="For Parquet; else stdout.")
]


def check_output(form: Form, output: str | None) -> None:
    """Refuse a file for what goes to stdout: wrong usage."""
    if output is not None and form is not Form.PARQUET:
        raise typer.BadParameter("goes with --format parquet", param_hint="--output")


def slices(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield *batches* as slices of as many rows as are printed together."""
    for batch in batches:
        for start in range(0, batch.num_rows, _LINES):
            yield batch.slice(start, _LINES)


def show(parts: Iterable[Part], names: list[str], form: Form) -> None:
    """Print the columns *names* of *parts* in a form that is text."""
    shown = {Form.JSON: _show_json, Form.CSV: _show_csv, Form.TABLE: _show_table}
    shown[form](parts, names)


def text_of(value: Any) -> str:
    """Return a value as it stands in a cell; nothing for null."""
    from json import dumps

    if isinstance(value, dict | list):
        return dumps(value, ensure_ascii=False)
    return "" if value is None else str(value)


def _show_json(parts: Iterable[Part], names: list[str]) -> None:
    from json import dumps

    for columns in parts:
        for row in zip(*columns, strict=True):
            told = dumps(dict(zip(names, row, strict=True)), ensure_ascii=False)
            sys.stdout.write(told + "\n")


def _show_csv(parts: Iterable[Part], names: list[str]) -> None:
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(names)
    for columns in parts:
        writer.writerows(zip(*(map(text_of, column) for column in columns), strict=True))


def _show_table(parts: Iterable[Part], names: list[str]) -> None:
    widths, head = [len(name) for name in names], True
    for columns in parts:
        shown = [list(map(text_of, column)) for column in columns]
        widths = [
            max(width, *map(len, column)) for width, column in zip(widths, shown, strict=True)
        ]
        lines = list(zip(*shown, strict=True))
        for line in [tuple(names), *lines] if head else lines:
            padded = [text.ljust(width) for text, width in zip(line, widths, strict=True)]
            sys.stdout.write("  ".join(padded).rstrip() + "\n")
        head = False
    if head:
        sys.stdout.write("  ".join(names) + "\n")
