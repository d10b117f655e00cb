"""Cells on stdout or in a file: columns for a person, JSON, CSV or Parquet for a program.

- Cells go out batch by batch, however many there are.
- Bytes are printed as HBase prints them unless asked otherwise; Parquet keeps them as they are.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from byteloom.cli.escapes import escaped, unescaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

__all__ = ["TYPES", "Bytes", "Form", "bytes_of", "show_cells", "write_parquet"]

TYPES: Final = {
    0: "Minimum", 4: "Put", 8: "Delete", 10: "DeleteFamilyVersion", 12: "DeleteColumn",
    14: "DeleteFamily", 255: "Maximum",
}  # fmt: skip
_LINES: Final = 1_000
"""Cells whose columns are made equally wide."""


class Form(StrEnum):
    """How cells come out."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    PARQUET = "parquet"


class Bytes(StrEnum):
    """How bytes are written as text."""

    ESCAPED = "escaped"
    HEX = "hex"
    TEXT = "text"


def bytes_of(text: str, form: Bytes) -> bytes:
    """Return the bytes that *text* stands for.

    raises  `ValueError` for what is no hex
    """
    if form is Bytes.HEX:
        return bytes.fromhex(text)
    return unescaped(text) if form is Bytes.ESCAPED else text.encode("utf-8", "surrogateescape")


def show_cells(batches: Iterable[pa.RecordBatch], names: list[str], form: Form, how: Bytes) -> None:
    """Print the columns *names* of *batches*."""
    parts = (
        [_texts(part.column(name).to_pylist(), name, how) for name in names]
        for batch in batches
        for part in _parts(batch)
    )
    if form is Form.JSON:
        _show_json(parts, names)
    elif form is Form.CSV:
        _show_csv(parts, names)
    else:
        _show_table(parts, names)


def write_parquet(batches: Iterable[pa.RecordBatch], schema: pa.Schema, place: str | None) -> None:
    """Write all columns of *batches* to the file *place*, whole or not at all; None is stdout."""
    from pyarrow.parquet import ParquetWriter

    from byteloom.storage import open_target

    if place is None:
        with ParquetWriter(_Sink(sys.stdout.buffer), schema, compression="zstd") as writer:
            for batch in batches:
                writer.write_batch(batch)
        sys.stdout.buffer.flush()
        return
    target = open_target(place)
    try:
        with ParquetWriter(_Sink(target), schema, compression="zstd") as writer:
            for batch in batches:
                writer.write_batch(batch)
        target.commit()
    except BaseException:
        target.abort()
        raise


class _Sink:
    """What pyarrow takes for a file, over anything that can write."""

    closed = False

    def __init__(self, out: Any) -> None:
        self._out, self._at = out, 0

    def write(self, data: Any) -> int:
        """Add *data*."""
        size = len(data)
        self._out.write(bytes(data))
        self._at += size
        return size

    def tell(self) -> int:
        """Return how many bytes there are."""
        return self._at

    def flush(self) -> None:
        """Do nothing: bytes are handed on at once."""

    def close(self) -> None:
        """Do nothing: who opened the file closes it."""


def _parts(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    for start in range(0, batch.num_rows, _LINES):
        yield batch.slice(start, _LINES)


def _texts(values: list[Any], name: str, how: Bytes) -> list[Any]:
    if name == "type":
        return [TYPES.get(value, value) for value in values]
    return [_text(value, how) if isinstance(value, bytes) else value for value in values]


def _text(value: bytes, how: Bytes) -> str:
    if how is Bytes.HEX:
        return value.hex()
    return escaped(value) if how is Bytes.ESCAPED else value.decode("utf-8", "replace")


def _show_json(parts: Iterable[list[list[Any]]], names: list[str]) -> None:
    from json import dumps

    for columns in parts:
        for cell in zip(*columns, strict=True):
            told = dumps(dict(zip(names, cell, strict=True)), ensure_ascii=False)
            sys.stdout.write(told + "\n")


def _show_csv(parts: Iterable[list[list[Any]]], names: list[str]) -> None:
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(names)
    for columns in parts:
        writer.writerows(zip(*columns, strict=True))


def _show_table(parts: Iterable[list[list[Any]]], names: list[str]) -> None:
    widths, head = [len(name) for name in names], True
    for columns in parts:
        shown = [[str(value) for value in column] for column in columns]
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
