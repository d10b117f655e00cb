"""The rows of a Parquet or CSV file as cells of an HFile, for ``byteloom hfile build``.

- In CSV, bytes are written as ``--bytes`` says, and types of cells by name or number.
- Integers of Parquet where a cell has bytes become the text that CSV has for them.  Other numbers
  are left for the writer to refuse: their text would depend on who writes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import time_ns
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from byteloom.arrow.texts import is_text
from byteloom.cli.inputs.csv_files import (
    arrow_input,
    at_row,
    check_csv,
    explained,
    is_csv,
    with_its_row,
)
from byteloom.cli.inputs.parquet_files import open_parquet
from byteloom.cli.options.cells import TYPES, Bytes, bytes_of
from byteloom.cli.options.columns import check_distinct, check_names, names_of
from byteloom.cli.options.groups import option_group
from byteloom.cli.printing.progress import counted_rows, progress
from byteloom.errors import FormatError, found_by
from byteloom.late import pa, pa_csv, pc

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


__all__ = ["BINARY", "PARTS", "ROWS", "CellInput", "cell_input", "cells_of_csv"]

PARTS: Final = ("row", "family", "qualifier", "timestamp", "type", "value", "mvcc", "tags")
"""The parts of a cell, as columns are named."""

BINARY: Final = ("row", "key", "family", "qualifier", "value", "tags")
"""Those that are bytes."""


def cells_of_csv(place: str, chosen: dict[str, str], how: Bytes) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a file, with the chosen columns only, if any were chosen.

    chosen  names of parts of a cell by columns of the file
    how     how bytes are written in it
    """
    names = check_csv(place)
    try:
        with arrow_input(place) as file:
            yield from _csv(file, place, names, chosen, how)
    except pa.ArrowException as error:
        reason = explained(place, with_its_row(place, error), list(chosen) or names)
        raise FormatError(place, None, f"invalid CSV: {reason}") from error


def _csv(
    file: Any, place: str, there: Sequence[str], chosen: dict[str, str], how: Bytes
) -> Iterator[pa.RecordBatch]:
    names = dict.fromkeys((*PARTS, "key")) | dict.fromkeys(chosen)
    binary = [column for column in names if chosen.get(column, column) in BINARY]
    kinds = {column: pa.string() for column in binary} | {"type": pa.string()}
    options = pa_csv.ConvertOptions(column_types=kinds, strings_can_be_null=False)
    if chosen:
        check_names(chosen, there, place)
        options.include_columns = list(chosen)
    with (
        progress("reading", file.size()) as shown,
        pa_csv.open_csv(file, convert_options=options) as reader,
    ):
        rows = 0
        for batch in reader:
            yield _cells(batch, binary, chosen, how, rows)
            rows += batch.num_rows
            shown.reach(file.tell())


def _cells(
    batch: pa.RecordBatch, binary: Sequence[str], chosen: dict[str, str], how: Bytes, before: int
) -> pa.RecordBatch:
    """Return the columns *binary* as bytes, and types as codes; *before* counts rows before."""
    arrays = [
        _decoded(array, how, name, before)
        if name in binary
        else _types(array, before)
        if chosen.get(name, name) == "type"
        else _number(array, chosen.get(name, name), before)
        for name, array in zip(batch.schema.names, batch.columns, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, batch.schema.names)


def _number(array: pa.Array, name: str, before: int) -> pa.Array:
    """Return a column of times or numbers; refuse the first text in it that is neither."""
    if name not in {"timestamp", "mvcc"} or not pa.types.is_string(array.type):
        return array
    is_wrong = pc.invert(pc.match_substring_regex(array, r"^-?[0-9]+$"))
    at = max(0, pc.index(is_wrong, value=True).as_py())
    raise at_row(name, before + at, repr(array[at].as_py()), "an integer")


def _decoded(array: pa.Array, how: Bytes, name: str, before: int) -> pa.Array:
    """Return the bytes that the texts of a column represent."""
    if how is Bytes.TEXT or (
        how is Bytes.ESCAPED and not pc.any(pc.match_substring(array, "\\")).as_py()
    ):
        return array.cast(pa.binary())
    made = []
    for row, text in enumerate(array.to_pylist(), before):
        try:
            made.append(bytes_of(text, how))
        except ValueError as error:
            raise at_row(name, row, found_by("other text", error), f"bytes, {how}") from error
    return pa.array(made, pa.binary())


def _types(array: pa.Array, before: int) -> pa.Array:
    """Return the codes of types given by name or number."""
    codes = {name: code for code, name in TYPES.items()} | {str(code): code for code in TYPES}
    made = []
    for row, text in enumerate(map(str, array.to_pylist()), before):
        if text not in codes:
            known = ", ".join(f"{name} ({code})" for code, name in TYPES.items())
            raise at_row("type", row, repr(text), f"one of {known}")
        made.append(codes[text])
    return pa.array(made, pa.uint8())


ROWS: Final = 1 << 16
"""Rows that are processed at a time, so that Ctrl-C takes effect soon."""


@dataclass(frozen=True, slots=True)
class CellInput:
    """Which columns of a file are which parts of cells, and what all cells have in common."""

    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--columns",
            "-c",
            metavar="NAME=COLUMN,...",
            help=f"The input's column for each of {', '.join(PARTS)}.",
        ),
    ] = None
    family: Annotated[
        str | None, typer.Option(metavar="NAME", help="Family of all cells without such a column.")
    ] = None
    timestamp: Annotated[
        str | None,
        typer.Option(
            metavar="NOW|MS", help="Timestamp of all cells without such a column, in ms since 1970."
        ),
    ] = None
    how: Annotated[
        Bytes,
        typer.Option("--bytes", metavar="HOW", help="Form of bytes in CSV: escaped, hex, text."),
    ] = Bytes.ESCAPED

    def batches(self, place: str) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a file as cells.

        raises  `FormatError` for an empty row key, which HBase does not accept; `BadParameter`
        """
        chosen, same = _mapping(self.columns), self._same()
        return _with_rows(_named(_batches(place, chosen, self.how), chosen, same))

    def _same(self) -> dict[str, pa.Scalar]:
        """Return the parts that all cells without such a column have in common."""
        same = {}
        if self.family is not None:
            same["family"] = pa.scalar(self.family.encode(), pa.binary())
        if self.timestamp is not None:
            try:
                now = time_ns() // 1_000_000
                moment = now if self.timestamp.upper() == "NOW" else int(self.timestamp)
                same["timestamp"] = pa.scalar(moment, pa.int64())
            except (ValueError, OverflowError) as error:
                msg = f"found {self.timestamp!r}, wanted NOW or milliseconds since 1970"
                raise typer.BadParameter(msg, param_hint="--timestamp") from error
        return same


cell_input = option_group("cells", CellInput)
"""Gives a command these options, and passes it a `CellInput` as *cells*."""


def _mapping(given: list[str] | None) -> dict[str, str]:
    """Return names of parts of a cell by columns of the source."""
    chosen: dict[str, str] = {}
    for each in names_of(given) or ():
        name, equals, column = each.partition("=")
        wrong = _wrong(name, column, chosen)
        if wrong is None and equals and not column:
            wrong = "found no column, wanted NAME=COLUMN"
        if wrong is not None:
            raise typer.BadParameter(f"{each!r}: {wrong}", param_hint="--columns")
        chosen[column or name] = name
    return chosen


def _wrong(name: str, column: str, chosen: dict[str, str]) -> str | None:
    """Return what is wrong with a pair, given those already *chosen*; None if nothing is."""
    if name in chosen.values():
        return f"found {name} twice, wanted one column for each part"
    if name in PARTS:
        return None
    if column in PARTS:
        return f"found the column first, wanted {column}={name}"
    return f"found {name!r}, wanted one of {', '.join(PARTS)} before the column"


def _with_rows(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield batches; refuse an empty row key, which HBase does not accept."""
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
    from byteloom.parquet.whole import batches_of

    with open_parquet(place, "a Parquet file, or one named .csv") as (source, file):
        there = file.schema_arrow.names
        check_distinct([each for each in there if not chosen or each in chosen], place)
        check_names(chosen, there, place)
        batches = batches_of(source, file, list(chosen) or there, most=ROWS)
        for batch in counted_rows(batches, "reading", file.metadata.num_rows):
            yield _with_texts(batch, chosen)


def _with_texts(batch: pa.RecordBatch, chosen: dict[str, str]) -> pa.RecordBatch:
    """Return a batch with text for the integers in columns that are bytes of a cell."""
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
    for batch in batches:
        renamed = batch.rename_columns([chosen.get(name, name) for name in batch.schema.names])
        for name, value in same.items():
            if name not in renamed.schema.names:
                renamed = renamed.append_column(name, pa.repeat(value, batch.num_rows))
        yield renamed
