"""``byteloom lance``: schema, rows and sizes of Lance files and datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from byteloom import lance
from byteloom.cli.application import Application
from byteloom.cli.commands.lance_convert import convert
from byteloom.cli.commands.lance_indices import indices
from byteloom.cli.formats.lance_pages import page_rows, size_rows
from byteloom.cli.inputs.files import named
from byteloom.cli.inputs.lance import (
    BlobBytes,
    DatasetVersion,
    Place,
    dataset_version,
    with_bytes,
)
from byteloom.cli.options.columns import Fields, names_of
from byteloom.cli.options.documents import Document, as_json, document, print_document
from byteloom.cli.options.listing import Listing, listing
from byteloom.cli.options.parsers import Rows, Where, expression_of, range_of, row_number
from byteloom.cli.printing.value_text import counted, json_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.lance import Dataset, LanceFile

__all__ = ["app"]

app = Application()

_VERSIONS: Final = ("version", "committed_at", "rows", "fragments", "data_version", "tags")
_FILES: Final = ("fragment", "rows", "deleted", "file", "data_version", "columns", "size")


@app.command()
@listing
@dataset_version
def cat(  # noqa: PLR0913  one for each option
    file: Place,
    columns: Fields = None,
    rows: Rows = None,
    where: Where = None,
    *,
    at: DatasetVersion,
    blob_bytes: BlobBytes = False,
    to: Listing,
) -> None:
    """Print the rows of a file or a dataset."""
    wanted = None if not where else expression_of(where)
    with at.open_rows(file) as found:
        settings = with_bytes(found, blob_bytes=blob_bytes)
        scan = found.scan(names_of(columns), rows=_range(rows, found), filter=wanted, **settings)
        total = scan.num_rows if wanted is None else None
        to.show(scan.batches(), scan.schema, total)


@app.command()
@as_json
@dataset_version
def count(file: Place, where: Where = None, *, at: DatasetVersion, json: bool) -> None:
    """Count the rows of a file or a dataset, or those that match a filter."""
    wanted = None if not where else expression_of(where)
    with at.open_rows(file) as found:
        rows = found.count(wanted)
    typer.echo(json_text({"rows": rows}) if json else rows)


@app.command()
@listing
@dataset_version
def take(  # noqa: PLR0913  one for each option
    file: Place,
    rows: Annotated[list[str], typer.Argument(metavar="ROW...", help="Row numbers, from 0.")],
    columns: Fields = None,
    *,
    at: DatasetVersion,
    blob_bytes: BlobBytes = False,
    to: Listing,
) -> None:
    """Print rows by their numbers; only the bytes that they need are read."""
    numbers = [row_number(each, "ROW") for each in rows]
    with at.open_rows(file) as found:
        settings = with_bytes(found, blob_bytes=blob_bytes)
        to.show_table(found.take(numbers, names_of(columns), **settings))


@app.command()
@document
@dataset_version
def schema(file: Place, *, at: DatasetVersion, form: Document) -> None:
    """Show the columns of a file or a dataset and their types."""
    with at.open_rows(file) as found:
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
@dataset_version
def stats(
    file: Place,
    *,
    at: DatasetVersion,
    pages: Annotated[
        bool, typer.Option("--pages", help="A line for each page, with its encoding.")
    ] = False,
    to: Listing,
) -> None:
    """List pages, rows, bytes and bytes per row of each column; for a dataset, list its files."""
    with at.open_rows(file) as found:
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
            rows, names = _file_rows(found)
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
    rows, names = _version_rows(lance.open_dataset(named(dataset)))
    to.show_values(rows, names)


app.command()(indices)


def _of_file(size: int, pages: int) -> str:
    """Return how much of a file its pages are."""
    rest = f"{size - pages:,} are metadata, and padding between buffers"
    return f"byteloom: pages have {pages:,} of the {counted(size, 'byte')} of the file; {rest}"


def _range(rows: str | None, file: LanceFile | Dataset) -> range | None:
    """Return the numbers of the rows of a file that ``--rows`` means; None for all."""
    if rows is None:
        return None
    wanted = range_of(rows)
    return range(wanted.start, max(wanted.start, min(wanted.stop, file.num_rows)))


def _version_rows(newest: Dataset) -> tuple[Sequence[Sequence[Any]], list[str]]:
    """Return a row for each version, the oldest first, and the names of the columns."""
    tags: dict[int, list[str]] = {}
    for name, number in newest.tags.items():
        tags.setdefault(number, []).append(name)
    rows = []
    for number in newest.versions:
        found = newest
        if number != newest.version:
            place, filesystem = newest.folder.path, newest.folder.filesystem
            found = lance.open_dataset(place, version=number, filesystem=filesystem)
        time = None if found.timestamp is None else found.timestamp.isoformat()
        count = len(found.manifest.fragments)
        rows.append((number, time, found.count(), count, found.data_version, tags.get(number, [])))
    return rows, list(_VERSIONS)


def _file_rows(dataset: Dataset) -> tuple[Sequence[Sequence[Any]], list[str]]:
    """Return a row for each data file, and the names of the columns."""
    paths = {each.id: each.path for top in dataset.fields for each in top.walk()}
    rows = []
    for fragment in dataset.fragments:
        live = fragment.num_rows
        deleted = fragment.physical_rows - live
        overlays = (each.data_file for each in fragment.stored.overlays)
        for each in (*fragment.stored.files, *overlays):
            version = f"{each.file_major_version}.{each.file_minor_version}"
            columns = [paths[one] for one in each.fields if one in paths]
            size = each.file_size_bytes or None
            rows.append((fragment.id, live, deleted, each.path, version, columns, size))
    return rows, list(_FILES)
