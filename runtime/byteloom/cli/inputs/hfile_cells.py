"""The rows of a Parquet or CSV file as cells of an HFile, for ``byteloom hfile build``.

Integers of Parquet where a cell has bytes become the text that CSV has for them.  Other numbers are
left for the writer to refuse: their text would depend on who writes it.
"""

from __future__ import annotations

from time import time_ns
from typing import TYPE_CHECKING, Final

import typer

from byteloom import compute as pc
from byteloom.cli.inputs.csv_cells import BINARY, cells_of_csv, is_csv
from byteloom.cli.inputs.csv_rows import at_row
from byteloom.cli.inputs.parquet_files import open_parquet
from byteloom.cli.options.columns import check_distinct, check_names
from byteloom.cli.printing.progress import counted_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from byteloom.cli.options.cells import Bytes

__all__ = ["ROWS", "cells_of_input", "same_in_all"]

ROWS: Final = 1 << 16
"""Rows that are processed at a time, so that Ctrl-C takes effect soon."""


def cells_of_input(
    place: str, chosen: dict[str, str], how: Bytes, same: dict[str, pa.Scalar]
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a file as cells.

    chosen  names of parts of a cell by columns of the file; empty for all columns, by their names
    how     how bytes are written in CSV
    same    the values of columns that the file lacks, as `same_in_all` returns them
    raises  `FormatError` for an empty row key, which HBase does not accept
    """
    return _with_rows(_named(_batches(place, chosen, how), chosen, same))


def same_in_all(family: str | None, timestamp: str | None) -> dict[str, pa.Scalar]:
    """Return the parts that all cells without such a column have in common."""
    import pyarrow as pa

    same = {}
    if family is not None:
        same["family"] = pa.scalar(family.encode(), pa.binary())
    if timestamp is not None:
        try:
            now = time_ns() // 1_000_000
            moment = now if timestamp.upper() == "NOW" else int(timestamp)
            same["timestamp"] = pa.scalar(moment, pa.int64())
        except (ValueError, OverflowError) as error:
            msg = f"found {timestamp!r}, wanted NOW or milliseconds since 1970"
            raise typer.BadParameter(msg, param_hint="--timestamp") from error
    return same


def _with_rows(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield batches; refuse an empty row key, which HBase does not accept."""
    from byteloom.arrow.texts import is_text  # late: it takes pyarrow

    rows = 0
    for batch in batches:
        names = batch.schema.names
        name = "row" if "row" in names else "key"
        keys = batch.columns[names.index(name)] if name in names else None
        if keys is not None and is_text(keys.type):
            at = pc.index(pc.binary_length(keys), 0).as_py()
            if at >= 0:
                raise at_row(name, rows + at, "an empty row key", "at least one byte, as in HBase")
        rows += batch.num_rows
        yield batch


def _batches(place: str, chosen: dict[str, str], how: Bytes) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a file, with the chosen columns only, if any were chosen."""
    return cells_of_csv(place, chosen, how) if is_csv(place) else _parquet(place, chosen)


def _parquet(place: str, chosen: dict[str, str]) -> Iterator[pa.RecordBatch]:
    from byteloom.parquet.batches import batches_of

    with open_parquet(place, "a Parquet file, or one named .csv") as (source, file):
        there = file.schema_arrow.names
        check_distinct([each for each in there if not chosen or each in chosen], place)
        check_names(chosen, there, place)
        batches = batches_of(source, file, list(chosen) or there, most=ROWS)
        for batch in counted_rows(batches, "reading", file.metadata.num_rows):
            yield _with_texts(batch, chosen)


def _with_texts(batch: pa.RecordBatch, chosen: dict[str, str]) -> pa.RecordBatch:
    """Return a batch with text for the integers in columns that are bytes of a cell."""
    import pyarrow as pa

    arrays = []
    for name, array in zip(batch.schema.names, batch.columns, strict=True):
        kind = array.type.value_type if pa.types.is_dictionary(array.type) else array.type
        is_text = chosen.get(name, name) in BINARY and pa.types.is_integer(kind)
        arrays.append(array.cast(kind).cast(pa.string()) if is_text else array)
    return pa.RecordBatch.from_arrays(arrays, batch.schema.names)


def _named(
    batches: Iterable[pa.RecordBatch], chosen: dict[str, str], same: dict[str, pa.Scalar]
) -> Iterator[pa.RecordBatch]:
    """Yield batches with their columns named as parts of cells, and with those that are the *same*.

    same  the values in all cells of columns that the batches lack
    """
    import pyarrow as pa

    for batch in batches:
        renamed = batch.rename_columns([chosen.get(name, name) for name in batch.schema.names])
        for name, value in same.items():
            if name not in renamed.schema.names:
                renamed = renamed.append_column(name, pa.repeat(value, batch.num_rows))
        yield renamed
