"""List what takes space in a Lance file: its columns, its pages, and their encodings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom import lance
from byteloom.cli.options.documents import Document, print_document
from byteloom.cli.printing.rows import Form
from byteloom.cli.printing.rows import show as show_rows
from byteloom.errors import Unsupported
from byteloom.lance.describing import encoding_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.lance import LanceFile
    from byteloom.storage import Source

__all__ = ["page_rows", "show_pages", "size_rows"]

_COLUMNS: Final = ("number", "column", "type", "pages", "rows", "size", "bytes_per_row")
_PAGES: Final = ("number", "column", "page", "rows", "size", "bytes_per_row", "buffers", "encoding")


def show_pages(source: Source, *, form: Document) -> None:
    """Print a line for each page."""
    with lance.open(source) as file:
        rows, names = page_rows(file)
    if form is not Document.TEXT:
        pages = [dict(zip(names, row, strict=True)) for row in rows]
        print_document(
            {"file": source.name, "size": source.size, "format": "lance", "pages": pages}, form
        )
    else:
        show_rows([[list(column) for column in zip(*rows, strict=True)]], names, Form.TABLE)


def size_rows(file: LanceFile) -> tuple[Sequence[Sequence[Any]], list[str]]:
    """Return a row for each column of the file, and the names of the row's fields."""
    rows: list[Sequence[Any]] = []
    if file.tail.legacy:
        batches = len(file.legacy_pages.batches) - 1
        tops = [(each, batches, file.num_rows) for each in file.fields]
        rows = [(each.id, each.path, each.type, *of, None, None) for each, *of in tops]
        return rows, list(_COLUMNS)
    for number, (path, type_) in _owners(file).items():
        (column,) = file.columns([number])
        size = sum(each for page in column.pages for _, each in page.buffers)
        rows.append(
            (
                number,
                path,
                type_,
                len(column.pages),
                column.length,
                size,
                _ratio(size, column.length),
            )
        )
    return rows, list(_COLUMNS)


def page_rows(file: LanceFile) -> tuple[Sequence[Sequence[Any]], list[str]]:
    """Return a row for each page, and the names of the row's fields."""
    rows: list[Sequence[Any]] = []
    if file.tail.legacy:
        wanted = "a file of version 2.0 or later; one of 0.1 has a page for each field and batch"
        raise Unsupported("version", file.tail.at, f"version {file.version}", wanted)
    for number, (path, _) in _owners(file).items():
        for index, page in enumerate(file.columns([number])[0].pages):
            sizes = [size for _, size in page.buffers]
            ratio = _ratio(sum(sizes), page.length)
            encoding = encoding_text(page, file.limits)
            rows.append((number, path, index, page.length, sum(sizes), ratio, sizes, encoding))
    return rows, list(_PAGES)


def _owners(file: LanceFile) -> dict[int, tuple[str, str]]:
    """The path and the logical type of the field that each column belongs to, by its number."""
    fields = {each.id: (each.path, each.type) for top in file.fields for each in top.walk()}
    found = {number: fields[each] for each, number in file.column_map.first.items()}
    for number in range(len(file.tail.columns)):
        found.setdefault(number, found.get(number - 1, ("", "")))
    return dict(sorted(found.items()))


def _ratio(size: int, rows: int) -> float | None:
    return round(size / rows, 2) if rows else None
