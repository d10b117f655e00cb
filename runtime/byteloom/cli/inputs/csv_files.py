"""CSV files: their lines, checks that Arrow lacks, its errors in other words, and types of columns.

- Arrow reads no ends of lines inside fields and skips empty lines, so each row is the next line
  that is not empty.
- It reads a quote without an end up to the end of the file, names that are not UTF-8 raise errors
  of Python, and its own errors number columns and rows.
- Types are inferred by Arrow, or given with ``--types``.  An empty value is null, and ``""`` is an
  empty text, as byteloom and Arrow write both.
"""

from __future__ import annotations

import csv
import re
from contextlib import closing, contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, cast

import typer

from byteloom.cli.options.columns import check_distinct, check_names, names_of
from byteloom.errors import FormatError
from byteloom.late import pa, pa_csv
from byteloom.storage.native import local_file
from byteloom.storage.open import open_source, resolve
from byteloom.storage.sources import storing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


__all__ = [
    "arrow_input",
    "at_row",
    "check_csv",
    "explained",
    "in_words",
    "is_csv",
    "line_without_utf8",
    "lines_named",
    "lines_of",
    "open_typed",
    "parts_of",
    "types_of",
    "with_its_row",
]

_CELL: Final = re.compile(r"cells\[(\d+)\]")
_ARROW_ROW: Final = re.compile(r"Row #(\d+): ")
_PART: Final = 1 << 20


def at_row(name: str, row: int, found: str, wanted: str) -> FormatError:
    """Return the error about a value of a row, by its number from 0."""
    return FormatError(f"cells[{row}].{name}", None, found, wanted)


@contextmanager
def lines_named(place: str) -> Iterator[None]:
    """Put the line of a CSV file before the path of an error about one of its cells."""
    try:
        yield
    except FormatError as error:
        cell = _CELL.match(error.path)
        line = None if cell is None else line_of(place, int(cell[1]) + 1)
        if line is not None:
            error.path = f"line {line}: {error.path}"
        raise


def line_of(place: str, row: int) -> int | None:
    """Return the line of a row, both from 1, where row 0 is the header; None if it has none."""
    there = (number for number, text in enumerate(lines_of(place), 1) if text.strip(b"\r\n"))
    return next(islice(there, row, None), None)


def in_words(place: str, error: Exception) -> str:
    """Return Arrow's error about a CSV file, with the line of a row in place of its number."""
    text = str(error).splitlines()[0]
    row = _ARROW_ROW.search(text)
    line = None if row is None else line_of(place, int(row[1]) - 1)
    if row is None or line is None:
        return text
    return f"line {line}: {text[: row.start()]}{text[row.end() :]}"


def lines_of(place: str) -> Iterator[bytes]:
    """The lines of a file."""
    rest = b""
    for part in parts_of(place):
        *whole, rest = (rest + part).splitlines(keepends=True)
        yield from whole
    yield rest


def parts_of(place: str) -> Iterator[bytes]:
    """The bytes of a file, some at a time."""
    with closing(open_source(place)) as source:
        for at in range(0, source.size, _PART):
            yield source.read(at, min(_PART, source.size - at))


_COLUMN: Final = re.compile(r"In CSV column #(\d+): ")


def check_csv(place: str) -> list[str]:
    """Return the names of the columns of a file.

    raises  `FormatError` for names that are not UTF-8, and for a quote that has no end;
            `ArgumentError` for two columns of one name
    """
    names = next(csv.reader(_header_lines(place)), [])
    check_distinct(names, place)
    if _has_odd_quotes(place):
        _check_last_quote(place)
    return names


def line_without_utf8(place: str) -> int | None:
    """Return the first line that is not UTF-8; None if all are."""
    for number, line in enumerate(lines_of(place), 1):
        try:
            line.decode()
        except UnicodeDecodeError:
            return number
    return None


def explained(place: str, error: Exception, names: Sequence[str]) -> str:
    """Return Arrow's error about a file, with lines and the *names* of columns."""
    text = in_words(place, error)
    found = _COLUMN.search(text)
    if found is None or int(found[1]) >= len(names):
        return text
    name = names[int(found[1])]
    return f"{text[: found.start()]}column {name!r}: {text[found.end() :]}"


def _header_lines(place: str) -> Iterator[str]:
    """Yield lines as text, without empty ones at the start."""
    is_first = True
    for number, line in enumerate(lines_of(place), 1):
        if is_first and not line.strip(b"\r\n"):
            continue
        try:
            yield line.decode("utf-8-sig" if is_first else "utf-8")
        except UnicodeDecodeError as error:
            found = f"names of columns with the byte 0x{line[error.start]:02x}"
            raise FormatError(f"line {number}", None, found, "UTF-8").in_file(place) from error
        is_first = False


def _has_odd_quotes(place: str) -> bool:
    return sum(part.count(b'"') for part in parts_of(place)) % 2 == 1


def _check_last_quote(place: str) -> None:
    """Refuse a file whose last record has a quote without an end."""
    reader = csv.reader(line.decode("latin-1") for line in lines_of(place))
    ends = [0, 0]
    for _ in reader:
        ends = [ends[1], reader.line_num]
    record = [
        line.decode("latin-1") for number, line in enumerate(lines_of(place), 1) if number > ends[0]
    ]
    try:
        list(csv.reader(record, strict=True))
    except csv.Error as error:
        if "unexpected end" in str(error):
            wanted = "a second one before the file ends"
            raise FormatError(
                f"line {ends[0] + 1}", None, "a quote at the start of a value", wanted
            ).in_file(place) from error


_DECIMAL: Final = re.compile(r"decimal(128|256)?\((\d+),\s*(\d+)\)")


def is_csv(place: str) -> bool:
    """Whether a file is CSV by its name."""
    return place.lower().endswith(".csv")


def arrow_input(place: str) -> Any:
    """Return an Arrow file: Arrow reads ahead in threads, which must not call Python at exit."""
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
def open_typed(file: Any, place: str, types: Mapping[str, pa.DataType] | None) -> Iterator[Any]:
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
