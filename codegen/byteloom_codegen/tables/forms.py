"""The forms of table specs and of messages, and what each becomes.

A table says in ``meta/form`` what it describes; each form has a loader and an emitter of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from byteloom_codegen.frontend.place import Place
from byteloom_codegen.frontend.yaml_tree import parse
from byteloom_codegen.messages.model import compiled, messages_of
from byteloom_codegen.messages.module import emit_messages
from byteloom_codegen.messages.pages import page_of_messages
from byteloom_codegen.reference.table_pages import html_page, markdown_page
from byteloom_codegen.tables.checks import checked, needed, one_of, read
from byteloom_codegen.tables.documents import load_documents
from byteloom_codegen.tables.documents_module import emit_documents
from byteloom_codegen.tables.packing import emit_packing, load_packing, page_of_packing
from byteloom_codegen.tables.pages import page_of_documents, page_of_rows
from byteloom_codegen.tables.rows import load_rows
from byteloom_codegen.tables.rows_module import emit_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from byteloom_codegen.errors import Problems
    from byteloom_codegen.reference.pages import Pages
    from byteloom_codegen.reference.table_pages import TablePage

__all__ = ["Made", "make_messages", "make_table"]


@dataclass(frozen=True, slots=True)
class Made:
    """The output for a table or a file of messages.

    module  Python
    page    its page, to be printed
    """

    module: str
    page: TablePage

    @property
    def title(self) -> str:
        """How lists of pages name it."""
        return self.page.title

    def files(self, pages: Pages, here: Path) -> list[tuple[Path, str]]:
        """Return its page, which is at *here* without suffix, as Markdown and as HTML.

        pages  those that it links to
        """
        return [
            (here.with_name(f"{here.name}.md"), markdown_page(self.page, pages, here)),
            (here.with_name(f"{here.name}.html"), html_page(self.page, pages, here)),
        ]


def _documents(root: Place, source: str) -> Made:
    """JSON documents."""
    spec = load_documents(root)
    return Made(emit_documents(spec, source), page_of_documents(spec, source))


def _rows(root: Place, source: str) -> Made:
    """Tables of rows."""
    spec = load_rows(root)
    return Made(emit_rows(spec, source), page_of_rows(spec, source))


def _packing(root: Place, source: str) -> Made:
    """Chunks of bit-packed integers."""
    spec = load_packing(root)
    return Made(emit_packing(spec, source), page_of_packing(spec, source))


_FORMS: Final[dict[str, Callable[[Place, str], Made]]] = {
    "json": _documents,
    "rows": _rows,
    "bit-packing": _packing,
}


def make_table(path: Path, source: str) -> Made:
    """Return the module and the pages of the table at *path*; *source* is the path they name.

    SpecErrors  the mistakes of the table
    """
    make, root = checked(_parsed, path)
    return make(root, source)


def make_messages(path: Path, root: Path, source: str, *, flat: bool = False) -> Made:
    """Return the module and the pages of the messages at *path*, a `.proto` file below *root*.

    flat        whether the folder that the module will be in is not a package
    SpecErrors  what protoc says is wrong with it
    """
    spec = messages_of(compiled(path, root))
    return Made(emit_messages(spec, source, flat=flat), page_of_messages(spec, source))


def _parsed(path: Path, _: Problems) -> tuple[Callable[[Place, str], Made], Place]:
    """Return the parser for the form that ``meta/form`` names, and the whole file."""
    root = Place(*parse(read(path), str(path)))
    form = needed(needed(root, "meta"), "form")
    name = form.string()
    if name not in _FORMS:
        raise form.error(f"unknown form {form.found}", one_of(_FORMS))
    return _FORMS[name], root
