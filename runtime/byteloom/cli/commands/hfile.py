"""``byteloom hfile``: cells of HFiles, by row, range and prefix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from byteloom.cli.application import Application
from byteloom.cli.commands.hfile_build import build
from byteloom.cli.inputs.files import Input, opened
from byteloom.cli.inputs.hfile_rows import as_hex, named_rows
from byteloom.cli.options.cells import Bytes, bytes_of, show_cells
from byteloom.cli.options.columns import names_of, unknown
from byteloom.cli.options.documents import Document, document, print_document
from byteloom.cli.options.keys import KEY, from_hex
from byteloom.cli.options.listing import Listing, listing
from byteloom.cli.printing.escapes import broken_escape
from byteloom.cli.printing.rows import Form, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from byteloom.hfile import HFile

__all__ = ["app"]

_COLUMNS: Final = ("row", "family", "qualifier", "timestamp", "type", "value", "mvcc", "tags")
_SHOWN: Final = ("row", "family", "qualifier", "timestamp", "type", "value")

app = Application(help="Read the cells of HFiles, by row, range or prefix, and build HFiles.")

_Bytes = Annotated[
    Bytes,
    typer.Option(
        "--bytes",
        metavar="HOW",
        help=r"How bytes are printed and typed: escaped (\x00, as in HBase), hex or text (UTF-8).",
    ),
]
_Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--columns",
        "-c",
        metavar="NAME,...",
        help=f"Any of {', '.join(_COLUMNS)}; by default all but the last two, for Parquet all.",
    ),
]


@app.command()
@listing
def get(  # noqa: PLR0913, PLR0917  each is an option
    file: Input,
    rows: Annotated[
        list[str] | None,
        typer.Argument(metavar="[KEY...]", help="Rows to look up, written as --bytes says."),
    ] = None,
    rows_from: Annotated[
        str | None,
        typer.Option("--rows-from", metavar="FILE", help="A file with more rows, one per line."),
    ] = None,
    how: _Bytes = Bytes.ESCAPED,
    columns: _Columns = None,
    key: Annotated[str | None, KEY] = None,
    *,
    to: Listing,
) -> None:
    """Print the cells of some rows. The exit status is 1 if a row is missing; stderr names it."""
    from byteloom import hfile

    names = _names(columns, to)
    if rows_from is not None:
        to.spare(rows_from)
    wanted = named_rows(file, rows or [], rows_from, how)
    with opened(file) as source, hfile.open(source, key=from_hex(key)) as cells_of:
        found = cells_of.lookup([row.key for row in wanted], names)
        missing = sorted(set(range(len(wanted))) - set(found["asked"].to_pylist()))
        reasons = [_why_missing(cells_of, wanted[place].text, how) for place in missing]
    cells = found.select(names)
    show_cells(cells.to_batches(), cells.schema, how, to)
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
def scan(  # noqa: PLR0913, PLR0917  each is an option
    file: Input,
    start: Annotated[
        str | None, typer.Option("--from", metavar="KEY", help="The first row.")
    ] = None,
    stop: Annotated[
        str | None, typer.Option("--to", metavar="KEY", help="Stop before this row.")
    ] = None,
    prefix: Annotated[
        str | None, typer.Option("--prefix", metavar="KEY", help="Only rows that begin with this.")
    ] = None,
    how: _Bytes = Bytes.ESCAPED,
    columns: _Columns = None,
    key: Annotated[str | None, KEY] = None,
    *,
    to: Listing,
    reverse: Annotated[
        bool, typer.Option("--reverse", help="Print from the last cell to the first.")
    ] = False,
) -> None:
    """Print all cells of a file, or those of a range of rows."""
    from byteloom import hfile
    from byteloom.hfile.cells import schema_of

    if prefix is not None and (start is not None or stop is not None):
        raise typer.BadParameter("it cannot be combined with --from or --to", param_hint="--prefix")
    names = _names(columns, to)
    low, high, begin = (
        None if text is None else _bytes(text, how, option)
        for text, option in ((start, "--from"), (stop, "--to"), (prefix, "--prefix"))
    )
    with opened(file) as source, hfile.open(source, key=from_hex(key)) as cells_of:
        in_order = low is None or high is None or low <= high
        if not in_order and not cells_of.trailer.is_meta_order:
            wanted = f"found {stop!r}, wanted a row that is not before {start!r} of --from"
            raise typer.BadParameter(wanted, param_hint="--to")
        found = _cells(cells_of, low, high, begin, names, reverse=reverse)
        is_all = low is None and high is None and begin is None
        total = cells_of.trailer.entry_count if is_all else None
        show_cells(found, schema_of(names, "binary"), how, to, total)


@app.command()
@document
def stats(file: Input, key: Annotated[str | None, KEY] = None, *, form: Document) -> None:
    """Show statistics of a file: cells, rows, types, timestamps, and lengths of keys and values."""
    from byteloom import hfile
    from byteloom.cli.commands.hfile_stats import statistics

    with opened(file) as source, hfile.open(source, key=from_hex(key)) as cells_of:
        counts = statistics(cells_of)
    if form is not Document.TEXT:
        print_document(counts, form)
        return
    width = max(map(len, counts))
    for name, value in counts.items():
        typer.echo(f"{name.replace('_', ' '):<{width}}  {text_of(value)}".rstrip())


def _cells(  # noqa: PLR0913  the options that select cells
    file: HFile,
    low: bytes | None,
    high: bytes | None,
    prefix: bytes | None,
    names: list[str],
    *,
    reverse: bool,
) -> Iterable[pa.RecordBatch]:
    if prefix is not None:
        batches: list[pa.RecordBatch] = file.prefix(prefix, names, reverse=reverse).to_batches()
        return batches
    if low is None and high is None and not reverse:
        return file.batches(names, binary="binary")
    return file.range(low, high, names, reverse=reverse)


def _names(columns: list[str] | None, to: Listing) -> list[str]:
    names = names_of(columns)
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


def _bytes(text: str, how: Bytes, option: str) -> bytes:
    try:
        return bytes_of(text, how)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is not hex", param_hint=option) from error


app.command("build")(build)
