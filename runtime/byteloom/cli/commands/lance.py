"""``byteloom lance``: schema, rows and sizes of Lance files and datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from byteloom.cli.application import Application
from byteloom.cli.commands.lance_convert import convert
from byteloom.cli.commands.lance_datasets import file_rows, version_rows
from byteloom.cli.inputs.files import named
from byteloom.cli.inputs.lance import (
    AsOf,
    BlobBytes,
    Chosen,
    Place,
    Tag,
    Version,
    opened_rows,
    with_bytes,
)
from byteloom.cli.options.columns import names_of
from byteloom.cli.options.documents import Document, document, print_document
from byteloom.cli.options.listing import Listing, listing
from byteloom.cli.options.where import Where, expression_of
from byteloom.cli.printing.value_text import counted

if TYPE_CHECKING:
    from byteloom.lance import Dataset, LanceFile

__all__ = ["app"]

app = Application(
    help="Show schema, rows, versions and sizes of Lance files and datasets, and convert them."
)

_Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--columns",
        "-c",
        metavar="NAME,...",
        help="Only these columns; a.b is a nested field. All by default.",
    ),
]


@app.command()
@listing
def cat(  # noqa: PLR0913, PLR0917  one for each option
    file: Place,
    columns: _Columns = None,
    version: Version = None,
    tag: Tag = None,
    as_of: AsOf = None,
    rows: Annotated[
        str | None,
        typer.Option("--rows", metavar="FROM:TO", help="Range of rows, from 0; TO is excluded."),
    ] = None,
    where: Where = None,
    *,
    blob_bytes: BlobBytes = False,
    to: Listing,
) -> None:
    """Print the rows of a file or a dataset."""
    wanted = None if not where else expression_of(where)
    with opened_rows(file, Chosen(version, tag, as_of)) as found:
        settings = with_bytes(found, blob_bytes=blob_bytes)
        scan = found.scan(names_of(columns), rows=_range(rows, found), filter=wanted, **settings)
        total = scan.num_rows if wanted is None else None
        to.show(scan.batches(), scan.schema, total)


@app.command()
@listing
def take(  # noqa: PLR0913, PLR0917  one for each option
    file: Place,
    rows: Annotated[list[str], typer.Argument(metavar="ROW...", help="Row numbers, from 0.")],
    columns: _Columns = None,
    version: Version = None,
    tag: Tag = None,
    as_of: AsOf = None,
    *,
    blob_bytes: BlobBytes = False,
    to: Listing,
) -> None:
    """Print rows by their numbers; only the bytes that they need are read."""
    numbers = [_number(each, "ROW") for each in rows]
    with opened_rows(file, Chosen(version, tag, as_of)) as found:
        settings = with_bytes(found, blob_bytes=blob_bytes)
        to.show_table(found.take(numbers, names_of(columns), **settings))


@app.command()
@document
def schema(
    file: Place, version: Version = None, tag: Tag = None, as_of: AsOf = None, *, form: Document
) -> None:
    """Show the columns of a file or a dataset and their types."""
    with opened_rows(file, Chosen(version, tag, as_of)) as found:
        columns = [
            {"name": each.name, "type": str(each.type), "required": not each.nullable}
            for each in found.schema
        ]
    if form is not Document.TEXT:
        print_document({"columns": columns}, form)
        return
    for each in columns:
        typer.echo(f"{each['name']}: {each['type']}{' not null' if each['required'] else ''}")


@app.command()
@listing
def stats(  # noqa: PLR0913  one for each option
    file: Place,
    version: Version = None,
    tag: Tag = None,
    as_of: AsOf = None,
    *,
    pages: Annotated[
        bool, typer.Option("--pages", help="A line for each page, with its encoding.")
    ] = False,
    to: Listing,
) -> None:
    """List pages, rows, bytes and bytes per row of each column; for a dataset, list its files."""
    from byteloom import lance
    from byteloom.cli.formats.lance_pages import page_rows, size_rows

    with opened_rows(file, Chosen(version, tag, as_of)) as found:
        if isinstance(found, lance.LanceFile):
            rows, names = page_rows(found) if pages else size_rows(found)
            if to.is_short and not found.tail.legacy:
                size = sum(row[names.index("size")] for row in rows)
                typer.echo(_of_file(found.size, size), err=True)
        elif pages:
            raise typer.BadParameter(
                "found a dataset, wanted one of its files", param_hint="--pages"
            )
        else:
            rows, names = file_rows(found)
        to.show_values(rows, names)


app.command()(convert)


@app.command()
@listing
def versions(
    dataset: Annotated[str, typer.Argument(metavar="DATASET", help="A path or a URL.")],
    *,
    to: Listing,
) -> None:
    """List the versions of a dataset: when they were made, their rows, fragments and tags."""
    from byteloom import lance

    rows, names = version_rows(lance.open_dataset(named(dataset)))
    to.show_values(rows, names)


def _of_file(size: int, pages: int) -> str:
    """Return how much of a file its pages are."""
    rest = f"{size - pages:,} are metadata, and padding between buffers"
    return f"byteloom: pages have {pages:,} of the {counted(size, 'byte')} of the file; {rest}"


def _range(text: str | None, file: LanceFile | Dataset) -> range | None:
    if text is None:
        return None
    start, colon, stop = text.partition(":")
    if not colon:
        raise typer.BadParameter(f"found {text!r}, wanted FROM:TO", param_hint="--rows")
    first = _number(start, "--rows") if start else 0
    last = _number(stop, "--rows") if stop else max(first, file.num_rows)
    if first > last:
        raise typer.BadParameter(f"found {text!r}, wanted FROM up to TO", param_hint="--rows")
    return range(first, min(last, file.num_rows))


def _number(text: str, option: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20):  # noqa: PLR2004  2 to the 63
        raise typer.BadParameter(f"found {text!r}, wanted the number of a row", param_hint=option)
    return int(text)
