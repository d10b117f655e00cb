"""Arrow batches on stdout or in a file: columns for a person, JSON, CSV or Parquet for a program.

- Batches go out one by one, however many there are.
- In JSON nested values stay nested; elsewhere they are written as JSON.  Bytes are hex, moments
  ISO 8601, decimals their digits.
"""

from __future__ import annotations

import sys
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from byteloom.cli.cells import Form, write_parquet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

__all__ = ["plain", "show_batches"]

_LINES: Final = 1_000
"""Rows whose columns are made equally wide."""


def show_batches(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema, form: Form, output: str | None = None
) -> None:
    """Print *batches*; as Parquet write them to the file *output*, None for stdout."""
    if form is Form.PARQUET:
        write_parquet(batches, schema, output)
    elif form is Form.JSON:
        _show_json(batches)
    elif form is Form.CSV:
        _show_csv(batches, schema.names)
    else:
        _show_table(batches, schema.names)


def plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, UUID | Decimal):
        return str(value)
    return value if isinstance(value, bool | int | float | str | None) else value.isoformat()


def _text(value: Any) -> str:
    """A value in a cell; nothing for null."""
    from json import dumps

    made = plain(value)
    if isinstance(made, dict | list):
        return dumps(made, ensure_ascii=False)
    return "" if made is None else str(made)


def _rows(batches: Iterable[pa.RecordBatch]) -> Iterator[list[list[Any]]]:
    """Columns of Python values, some rows at a time."""
    for batch in batches:
        for start in range(0, batch.num_rows, _LINES):
            part = batch.slice(start, _LINES)
            yield [_values(column) for column in part.columns]


def _values(column: pa.Array) -> list[Any]:
    """The values of a column; moments that Python cannot hold as text."""
    try:
        held: list[Any] = column.cast(_printable(column.type)).to_pylist()
    except (ValueError, OverflowError):  # a year beyond 9999, or before 1
        held = [str(each) for each in column]
    return held


def _printable(of: pa.DataType) -> pa.DataType:
    """A type without nanoseconds."""
    import pyarrow as pa

    if pa.types.is_struct(of):
        return pa.struct([pa.field(each.name, _printable(each.type), each.nullable) for each in of])
    if pa.types.is_timestamp(of) and of.unit == "ns":
        return pa.string()
    return of


def _show_json(batches: Iterable[pa.RecordBatch]) -> None:
    from json import dumps

    for batch in batches:
        names = batch.schema.names
        for columns in _rows([batch]):
            for row in zip(*columns, strict=True):
                told = dumps(plain(dict(zip(names, row, strict=True))), ensure_ascii=False)
                sys.stdout.write(told + "\n")


def _show_csv(batches: Iterable[pa.RecordBatch], names: list[str]) -> None:
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(names)
    for columns in _rows(batches):
        writer.writerows([_text(each) for each in row] for row in zip(*columns, strict=True))


def _show_table(batches: Iterable[pa.RecordBatch], names: list[str]) -> None:
    widths, head = [len(name) for name in names], True
    for columns in _rows(batches):
        shown = [[_text(value) for value in column] for column in columns]
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
