"""Arrow tables on stdout: aligned columns for a person, JSON lines or CSV for a program."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Form", "FormOption", "show_rows", "text_of"]


class Form(StrEnum):
    """How rows are printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


FormOption = Annotated[
    Form, typer.Option("--format", metavar="FORM", help="table, json (an object a line) or csv.")
]


def show_rows(table: pa.Table, form: Form) -> None:
    """Print *table*; columns of times and the like become text."""
    if form is Form.JSON:
        _print_json(table)
    elif form is Form.CSV:
        _print_csv(table)
    else:
        _print_table(table)


def text_of(value: Any) -> str:
    """Return a value as a person reads it: bytes as hex, nothing for null."""
    if value is None:
        return ""
    return value.hex() if isinstance(value, bytes) else str(value)


def _print_json(table: pa.Table) -> None:
    from json import dumps

    for batch in table.to_batches(max_chunksize=10_000):
        for row in batch.to_pylist():
            plain = {
                name: value if isinstance(value, bool | int | str | None) else text_of(value)
                for name, value in row.items()
            }
            sys.stdout.write(dumps(plain, ensure_ascii=False) + "\n")


def _print_csv(table: pa.Table) -> None:
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(table.column_names)
    for batch in table.to_batches(max_chunksize=10_000):
        columns = batch.to_pydict().values()
        writer.writerows([text_of(value) for value in row] for row in zip(*columns, strict=True))


def _print_table(table: pa.Table) -> None:
    columns = [[name, *map(text_of, table[name].to_pylist())] for name in table.column_names]
    widths = [max(map(len, column)) for column in columns]
    for row in zip(*columns, strict=True):
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        sys.stdout.write(line.rstrip() + "\n")
