"""The columns of a CSV file with their types: inferred by Arrow, or given with ``--types``.

An empty value is null, and ``""`` is an empty text, as byteloom and Arrow write both.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import typer

from byteloom.cli.inputs.csv_cells import with_its_row
from byteloom.cli.inputs.csv_checks import check_csv, explained, line_without_utf8
from byteloom.cli.options.columns import check_names, names_of
from byteloom.errors import FormatError
from byteloom.late import pa, pa_csv

if TYPE_CHECKING:
    from collections.abc import Iterator


__all__ = ["open_typed", "types_of"]

_DECIMAL: Final = re.compile(r"decimal(128|256)?\((\d+),\s*(\d+)\)")


def types_of(given: list[str] | None) -> dict[str, pa.DataType]:
    """Return the types of ``--types`` by the names of columns."""
    found = {}
    for each in names_of(given) or ():
        name, equals, type_ = each.rpartition("=")
        if not equals:
            raise typer.BadParameter(f"{each!r}: wanted NAME=TYPE", param_hint="--types")
        found[name] = _type_of(type_)
    return found


def _type_of(name: str) -> pa.DataType:
    decimal = _DECIMAL.fullmatch(name)
    try:
        if decimal is not None:
            make = pa.decimal256 if decimal[1] == "256" else pa.decimal128
            return make(int(decimal[2]), int(decimal[3]))
        return pa.type_for_alias(name)
    except ValueError as error:
        wanted = "a type of Arrow, such as string, int32, date32, timestamp[us], decimal(12,2)"
        raise typer.BadParameter(f"{name!r}: wanted {wanted}", param_hint="--types") from error


@contextmanager
def open_typed(file: Any, place: str, types: dict[str, pa.DataType] | None) -> Iterator[Any]:
    """Yield a reader of the rows of a file; it is closed when the block ends.

    types   of columns; others are inferred from the first rows
    raises  `FormatError` with the line and the column of a value that is not of its type,
            `ArgumentError` for types of columns that are not there
    """
    names = check_csv(place)
    check_names(types or (), names, place)
    options = pa_csv.ConvertOptions(
        column_types=types or None,
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    try:
        with pa_csv.open_csv(file, convert_options=options) as reader:
            for each in reader.schema:
                if pa.types.is_binary(each.type) and each.name not in (types or {}):
                    raise _not_text(place, each.name)
            yield reader
    except pa.ArrowException as error:
        reason = explained(place, with_its_row(place, error, options), names)
        advice = "; --types NAME=TYPE gives a column another type" if "conversion" in reason else ""
        raise FormatError(place, None, f"invalid CSV: {reason}{advice}") from error


def _not_text(place: str, name: str) -> FormatError:
    line = line_without_utf8(place)
    path = f"column {name!r}" if line is None else f"line {line}: column {name!r}"
    wanted = f"UTF-8 (--types {name}=binary keeps the bytes)"
    return FormatError(path, None, "bytes that are not UTF-8", wanted).in_file(place)
