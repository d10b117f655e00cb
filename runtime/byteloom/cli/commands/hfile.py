"""``byteloom hfile``: cells of HFiles, by row, range and prefix."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from byteloom import hfile
from byteloom.cli.application import Application
from byteloom.cli.commands.hfile_build import build
from byteloom.cli.commands.hfile_splits import splits
from byteloom.cli.commands.hfile_stats import statistics
from byteloom.cli.inputs.files import STANDARD_INPUT, Input, content, opened
from byteloom.cli.options.cells import Bytes, broken_escape, bytes_of, show_cells
from byteloom.cli.options.columns import names_of, unknown
from byteloom.cli.options.documents import Document, document, print_document
from byteloom.cli.options.groups import option_group
from byteloom.cli.options.listing import Listing, listing
from byteloom.cli.options.parsers import KEY, from_hex
from byteloom.cli.printing.rows import Form, show_facts, text_of
from byteloom.errors import FormatError
from byteloom.hfile.cells import schema_of
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

    from byteloom.hfile import HFile

__all__ = ["app"]

_LONGEST: Final = 40
"""Characters of a line that an error shows."""


class Row(NamedTuple):
    """A row to look up: as it was written, and its bytes."""

    text: str
    key: bytes


def as_hex(text: str) -> bytes | None:
    """Return the bytes that *text* is in hex; None if it is not hex."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        return None


def named_rows(file: str, rows: Sequence[str], listed: str | None, how: Bytes) -> list[Row]:
    """Return the rows given as arguments, then those in the file *listed*, one per line.

    file    the HFile; it and *listed* cannot both be standard input
    errors  `typer.BadParameter` for arguments, `FormatError` for a line
    """
    if not rows and listed is None:
        wanted = "wanted rows or --rows-from FILE; --bytes hex takes rows in hex, and --key is"
        text = f"none given, {wanted} for encrypted files"
        raise typer.BadParameter(text, param_hint="KEY")
    if file == listed == STANDARD_INPUT:
        raise typer.BadParameter("standard input is FILE already", param_hint="--rows-from")
    return [*_arguments(rows, how), *([] if listed is None else _lines(listed, how))]


def _arguments(rows: Sequence[str], how: Bytes) -> Iterator[Row]:
    for row in rows:
        try:
            yield Row(row, bytes_of(row, how))
        except ValueError as error:
            raise typer.BadParameter(f"{row!r} is not hex", param_hint="KEY") from error


def _lines(place: str, how: Bytes) -> Iterator[Row]:
    """Yield the row of each line; empty lines are skipped."""
    with about_file("standard input" if place == STANDARD_INPUT else place):
        at = 0
        for number, line in enumerate(content(place).split(b"\n"), 1):
            row = line.removesuffix(b"\r")
            if row:
                yield _row(row, f"line {number}", at, how)
            at += len(line) + 1


def _row(line: bytes, name: str, at: int, how: Bytes) -> Row:
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        found = line[error.start : error.start + 1]
        raise FormatError(name, at + error.start, found, "text in UTF-8") from error
    try:
        return Row(text, bytes_of(text, how))
    except ValueError as error:
        wanted = "digits of hex, two for each byte"
        raise FormatError(name, at, repr(text[:_LONGEST]), wanted) from error


_COLUMNS: Final = ("row", "family", "qualifier", "timestamp", "type", "value", "mvcc", "tags")
_SHOWN: Final = ("row", "family", "qualifier", "timestamp", "type", "value")

app = Application()


@dataclass(frozen=True, slots=True)
class _Cells:
    """The columns of cells that are listed, how their bytes are written, and the file's key."""

    how: Annotated[
        Bytes,
        typer.Option(
            "--bytes",
            metavar="HOW",
            help=r"How bytes are printed and typed: escaped (\x00, as in HBase), hex or text"
            " (UTF-8).",
        ),
    ] = Bytes.ESCAPED
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--columns",
            "-c",
            metavar="NAME,...",
            help=f"Any of {', '.join(_COLUMNS)}; by default all but the last two, for Parquet all.",
        ),
    ] = None
    key: Annotated[str | None, KEY] = None

    def names(self, to: Listing) -> list[str]:
        """Return the columns; `typer.BadParameter` for an unknown one, or one named twice."""
        names = names_of(self.columns)
        if names is None:
            return list(_COLUMNS if to.form is Form.PARQUET else _SHOWN)
        for name in names:
            if name not in _COLUMNS:
                msg = f"found {name!r}, wanted {unknown(name, list(_COLUMNS))}"
                raise typer.BadParameter(msg, param_hint="--columns")
            if names.count(name) > 1:
                msg = f"found {name!r} twice, wanted each column once"
                raise typer.BadParameter(msg, param_hint="--columns")
        return names

    @contextmanager
    def open(self, file: str) -> Iterator[HFile]:
        """Open the file for the block."""
        with opened(file) as source, hfile.open(source, key=from_hex(self.key)) as found:
            yield found


@dataclass(frozen=True, slots=True)
class _Range:
    """The rows that are listed, and their order."""

    start: Annotated[str | None, typer.Option("--from", metavar="KEY", help="The first row.")] = (
        None
    )
    stop: Annotated[
        str | None, typer.Option("--to", metavar="KEY", help="Stop before this row.")
    ] = None
    prefix: Annotated[
        str | None, typer.Option("--prefix", metavar="KEY", help="Only rows that begin with this.")
    ] = None
    reverse: Annotated[
        bool, typer.Option("--reverse", help="Print from the last cell to the first.")
    ] = False

    @property
    def is_all(self) -> bool:
        """Whether these are all rows of a file."""
        return self.start is None and self.stop is None and self.prefix is None

    def cells(self, file: HFile, names: list[str], how: Bytes) -> Iterable[pa.RecordBatch]:
        """Return the columns *names* of the cells in these rows."""
        low, high, begin = (
            None if text is None else _bytes(text, how, option)
            for text, option in (
                (self.start, "--from"),
                (self.stop, "--to"),
                (self.prefix, "--prefix"),
            )
        )
        if begin is not None:
            batches: list[pa.RecordBatch] = file.prefix(
                begin, names, reverse=self.reverse
            ).to_batches()
            return batches
        in_order = low is None or high is None or low <= high
        if not in_order and not file.trailer.is_meta_order:
            wanted = (
                f"found {self.stop!r}, wanted a row that is not before {self.start!r} of --from"
            )
            raise typer.BadParameter(wanted, param_hint="--to")
        if low is None and high is None and not self.reverse:
            return file.batches(names, binary="binary")
        return file.range(low, high, names, reverse=self.reverse)


_listed = option_group("cells", _Cells)
_ranged = option_group("rows", _Range)


@app.command()
@listing
@_listed
def get(
    file: Input,
    rows: Annotated[
        list[str] | None,
        typer.Argument(metavar="[KEY...]", help="Rows to look up, written as --bytes says."),
    ] = None,
    rows_from: Annotated[
        str | None,
        typer.Option("--rows-from", metavar="FILE", help="A file with more rows, one per line."),
    ] = None,
    *,
    cells: _Cells,
    to: Listing,
) -> None:
    """Print the cells of some rows. The exit status is 1 if a row is missing; stderr names it."""
    names = cells.names(to)
    if rows_from is not None:
        to.spare(rows_from)
    wanted = named_rows(file, rows or [], rows_from, cells.how)
    with cells.open(file) as cells_of:
        found = cells_of.lookup([row.key for row in wanted], names)
        missing = sorted(set(range(len(wanted))) - set(found["asked"].to_pylist()))
        reasons = [_why_missing(cells_of, wanted[place].text, cells.how) for place in missing]
    shown = found.select(names)
    show_cells(shown.to_batches(), shown.schema, cells.how, to)
    for place, why in zip(missing, reasons, strict=True):
        typer.echo(f"byteloom: {file}: no row {wanted[place].text}{why}", err=True)
    if missing:
        raise typer.Exit(1)


def _why_missing(file: HFile, text: str, how: Bytes) -> str:
    """Return a hint for a row that was not found: another way in which it may have been meant."""
    broken = broken_escape(text) if how is Bytes.ESCAPED else None
    if broken is not None:
        return f": {broken} is no escape, which has two hex digits (\\x00)"
    key = None if how is Bytes.HEX else as_hex(text)
    is_there = key is not None and file.lookup([key], ["row"]).num_rows > 0
    return "; there is one whose bytes are that in hex: --bytes hex" if is_there else ""


@app.command()
@listing
@_ranged
@_listed
def scan(file: Input, *, cells: _Cells, rows: _Range, to: Listing) -> None:
    """Print all cells of a file, or those of a range of rows."""
    if rows.prefix is not None and (rows.start is not None or rows.stop is not None):
        raise typer.BadParameter("it cannot be combined with --from or --to", param_hint="--prefix")
    names = cells.names(to)
    with cells.open(file) as cells_of:
        found = rows.cells(cells_of, names, cells.how)
        total = cells_of.trailer.entry_count if rows.is_all else None
        show_cells(found, schema_of(names, "binary"), cells.how, to, total)


@app.command()
@document
def stats(file: Input, key: Annotated[str | None, KEY] = None, *, form: Document) -> None:
    """Show statistics of a file: cells, rows, types, timestamps, and lengths of keys and values."""
    with opened(file) as source, hfile.open(source, key=from_hex(key)) as cells_of:
        counts = statistics(cells_of)
    if form is not Document.TEXT:
        print_document(counts, form)
        return
    show_facts({name: [text_of(value)] for name, value in counts.items()})


app.command()(splits)


def _bytes(text: str, how: Bytes, option: str) -> bytes:
    try:
        return bytes_of(text, how)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is not hex", param_hint=option) from error


app.command("build")(build)
