"""Files of rows: Parquet, Arrow, CSV; Parquet may go to stdout as well.

A file appears whole or not at all.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from byteloom.cli.printing.rows import whole
from byteloom.errors import Unsupported
from byteloom.late import pa_csv, pq
from byteloom.storage.targets import Sink

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


__all__ = ["WRITERS", "write_parquet"]


def write_parquet(batches: Iterable[pa.RecordBatch], schema: pa.Schema, place: str | None) -> None:
    """Write all columns of *batches* to the file *place*, whole or not at all; None is stdout."""
    if place is None:
        _write(batches, schema, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    with whole(place) as target:
        _write(batches, schema, target)


def _write(batches: Iterable[pa.RecordBatch], schema: pa.Schema, out: Any) -> None:
    with pq.ParquetWriter(Sink(out), schema, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(batch)


def _to_parquet(place: str, schema: pa.Schema, rows: Iterable[pa.RecordBatch]) -> None:
    try:
        write_parquet(rows, schema, place)
    except pa.ArrowNotImplementedError as error:
        raise _refused(place, schema, "Parquet") from error


def _to_arrow(place: str, schema: pa.Schema, rows: Iterable[pa.RecordBatch]) -> None:
    with whole(place) as target, pa.ipc.new_file(pa.PythonFile(Sink(target), "w"), schema) as out:
        for each in rows:
            out.write_batch(each)


def _to_csv(place: str, schema: pa.Schema, rows: Iterable[pa.RecordBatch]) -> None:
    try:
        with (
            whole(place) as target,
            pa_csv.CSVWriter(pa.PythonFile(Sink(target), "w"), schema) as out,
        ):
            for each in rows:
                out.write_batch(each)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        raise _no_csv(place, schema) from error


def _no_csv(place: str, schema: pa.Schema) -> Unsupported:
    """Return the error about the columns that Arrow does not write as CSV."""
    names = ", ".join(f"{each.name} ({each.type})" for each in schema if not _is_csv(each))
    advice = "`byteloom lance cat X.lance -o X.csv` writes others as JSON"
    return Unsupported(place, None, f"columns {names}", f"types that CSV has; {advice}")


def _is_csv(field: pa.Field) -> bool:
    try:
        pa_csv.write_csv(pa.schema([field]).empty_table(), pa.BufferOutputStream())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        return False
    return True


def _refused(place: str, schema: pa.Schema, form: str) -> Unsupported:
    types = ", ".join(sorted({str(each) for each in schema.types}))
    return Unsupported(place, None, f"columns of {types}", f"types that {form} has")


WRITERS: Final[dict[str, Callable[[str, pa.Schema, Iterable[pa.RecordBatch]], None]]] = {
    "parquet": _to_parquet,
    "arrow": _to_arrow,
    "csv": _to_csv,
}
"""The writer of each format, by the ending of names: all rows, which have a schema, to a place."""
