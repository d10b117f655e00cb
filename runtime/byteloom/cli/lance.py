"""``byteloom lance``: schema, rows and sizes of Lance files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from byteloom.cli.columns import names_of
from byteloom.cli.commands import Application
from byteloom.cli.documents import Document, document, print_document
from byteloom.cli.inputs import Input, opened
from byteloom.cli.lance_pages import page_rows, size_rows
from byteloom.cli.listing import Listing, listing

if TYPE_CHECKING:
    import pyarrow as pa

    from byteloom.lance import LanceFile

__all__ = ["app"]

app = Application(help="Look into Lance files: their schema, their rows, and what takes the room.")

_Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--columns",
        "-c",
        metavar="NAME,...",
        help="Only these; a.b is a field inside of others. All by default.",
    ),
]


@app.command()
@listing
def cat(
    file: Input,
    columns: _Columns = None,
    rows: Annotated[
        str | None,
        typer.Option("--rows", metavar="FROM:TO", help="Rows by their numbers, from 0; TO is not."),
    ] = None,
    *,
    to: Listing,
) -> None:
    """Print the rows of a file."""
    from byteloom import lance

    with opened(file) as source, lance.open(source) as found:
        scan = found.scan(names_of(columns), rows=_range(rows, found))
        to.show(scan.batches(), _shown(found, columns), scan.num_rows)


@app.command()
@listing
def take(
    file: Input,
    rows: Annotated[list[str], typer.Argument(metavar="ROW...", help="Numbers of rows, from 0.")],
    columns: _Columns = None,
    *,
    to: Listing,
) -> None:
    """Print rows by their numbers; only what they need is read."""
    from byteloom import lance

    numbers = [_number(each, "ROW") for each in rows]
    with opened(file) as source, lance.open(source) as found:
        to.show_table(found.take(numbers, names_of(columns)))


@app.command()
@document
def schema(file: Input, *, form: Document) -> None:
    """Show the columns of a file and their types."""
    from byteloom import lance

    with opened(file) as source, lance.open(source) as found:
        fields = [
            {"name": each.name, "type": str(each.type), "nullable": each.nullable}
            for each in found.schema
        ]
    if form is not Document.TEXT:
        print_document({"fields": fields}, form)
        return
    for each in fields:
        typer.echo(f"{each['name']}: {each['type']}{'' if each['nullable'] else ' not null'}")


@app.command()
@listing
def stats(
    file: Input,
    *,
    pages: Annotated[
        bool, typer.Option("--pages", help="A line for each page, with how it is encoded.")
    ] = False,
    to: Listing,
) -> None:
    """List what each column takes: pages, rows, bytes, bytes a row."""
    from byteloom import lance

    with opened(file) as source, lance.open(source) as found:
        rows, names = page_rows(found) if pages else size_rows(found)
        to.show_values(rows, names)


def _shown(file: LanceFile, columns: list[str] | None) -> pa.Schema:
    """The schema of batches, whose extension types pyarrow may know."""
    return file.scan(names_of(columns), rows=range(0)).to_table().schema


def _range(text: str | None, file: LanceFile) -> range | None:
    if text is None:
        return None
    start, colon, stop = text.partition(":")
    if not colon:
        raise typer.BadParameter(f"found {text!r}, wanted FROM:TO", param_hint="--rows")
    first = _number(start, "--rows") if start else 0
    last = _number(stop, "--rows") if stop else file.num_rows
    return range(first, min(last, file.num_rows))


def _number(text: str, option: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20):  # noqa: PLR2004  2 to the 63
        raise typer.BadParameter(f"found {text!r}, wanted the number of a row", param_hint=option)
    return int(text)
