"""The forms of table specs, and what each becomes.

A table says in ``meta/form`` what it describes; each form has a loader and an emitter of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from byteloom_codegen.tables.emit import emit_documents
from byteloom_codegen.tables.load import form_of, load_documents
from byteloom_codegen.tables.pages import html_page, markdown_page, page_of_documents, page_of_rows
from byteloom_codegen.tables.rows_emit import emit_rows
from byteloom_codegen.tables.rows_load import load_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from byteloom_codegen.tables.pages import TablePage

__all__ = ["Made", "make_table"]


@dataclass(frozen=True, slots=True)
class Made:
    """What a table becomes.

    title     as lists of pages name it
    module    Python
    markdown  a page
    html      the same page
    """

    title: str
    module: str
    markdown: str
    html: str

    @classmethod
    def of(cls, module: str, page: TablePage) -> Made:
        """Return a module with its pages."""
        return cls(page.title, module, markdown_page(page), html_page(page))


def _documents(path: Path, source: str) -> Made:
    """JSON documents."""
    spec = load_documents(path)
    return Made.of(emit_documents(spec, source), page_of_documents(spec, source))


def _rows(path: Path, source: str) -> Made:
    """Tables of rows."""
    spec = load_rows(path)
    return Made.of(emit_rows(spec, source), page_of_rows(spec, source))


_FORMS: Final[dict[str, Callable[[Path, str], Made]]] = {"json": _documents, "rows": _rows}


def make_table(path: Path, source: str) -> Made:
    """Return the module and the pages of the table at *path*; *source* is the path they name.

    SpecErrors  the mistakes of the table
    """
    return _FORMS[form_of(path, _FORMS)](path, source)
