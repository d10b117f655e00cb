"""The rows of a CSV file as cells of an HFile, for ``byteloom hfile build``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from byteloom.cli.inputs.csv_checks import check_csv, explained
from byteloom.cli.inputs.csv_rows import at_row
from byteloom.cli.options.cells import TYPES, Bytes, bytes_of
from byteloom.cli.options.columns import check_names
from byteloom.cli.printing.progress import progress
from byteloom.errors import FormatError, found_by
from byteloom.late import pa, pa_csv, pc

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


__all__ = ["BINARY", "PARTS", "arrow_input", "cells_of_csv", "is_csv", "with_its_row"]

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


def is_csv(place: str) -> bool:
    """Whether a file is CSV by its name."""
    return place.lower().endswith(".csv")


def arrow_input(place: str) -> Any:
    """Return an Arrow file: Arrow reads ahead in threads, which must not call Python at exit."""
    from byteloom.storage.native import local_file
    from byteloom.storage.open import resolve
    from byteloom.storage.sources import storing

    with storing(place):
        filesystem, path = resolve(place, None)
        if filesystem is None:
            return local_file(path)
        if hasattr(filesystem, "open_input_file"):
            return filesystem.open_input_file(path)
        return pa.BufferReader(filesystem.cat_file(path))


def with_its_row(place: str, error: Exception, options: Any = None) -> Exception:
    """Return the error that Arrow raises without threads, which says in which row.

    options  how columns are converted
    """
    try:
        alone = pa_csv.ReadOptions(use_threads=False)
        with (
            arrow_input(place) as file,
            pa_csv.open_csv(file, alone, convert_options=options) as reader,
        ):
            for _ in reader:
                pass
    except pa.ArrowException as found:
        return cast("Exception", found)
    return error


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
