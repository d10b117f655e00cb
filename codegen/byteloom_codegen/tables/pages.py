"""Tables as pages: the same rows and keys as the code has, for people.

Columns that a table leaves empty are not shown; the meaning of a value comes last.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from byteloom_codegen.reference.pages import trail
from byteloom_codegen.reference.prose import blocks, spans
from byteloom_codegen.reference.to_html import html_environment
from byteloom_codegen.reference.to_markdown import markdown_environment, tidy

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom_codegen.reference.pages import Pages
    from byteloom_codegen.reference.prose import Block, Line
    from byteloom_codegen.tables.model import DocumentSpec, JsonFieldSpec, JsonKind, JsonObjectSpec
    from byteloom_codegen.tables.rows_model import RowsSpec, TableSpec

__all__ = [
    "Section",
    "TablePage",
    "html_page",
    "markdown_page",
    "page_of_documents",
    "page_of_rows",
]


@dataclass(frozen=True, slots=True)
class Section:
    """One table.

    rows  each its first cell, which is its name, and the others
    """

    title: str
    anchor: str
    doc: tuple[Block, ...]
    clause: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Line, ...]], ...]


@dataclass(frozen=True, slots=True)
class TablePage:
    """A spec's tables."""

    title: str
    source: str
    doc: tuple[Block, ...]
    doc_ref: Line
    sections: tuple[Section, ...]


def page_of_rows(spec: RowsSpec, source: str) -> TablePage:
    """Return the page of a spec of rows; *source* is the path that it names."""
    sections = tuple(map(_section_of_rows, spec.tables))
    return TablePage(spec.title, source, blocks(spec.doc), spans(spec.doc_ref), sections)


def page_of_documents(spec: DocumentSpec, source: str) -> TablePage:
    """Return the page of a spec of JSON documents; *source* is the path that it names."""
    sections = tuple(map(_section_of_object, spec.objects))
    return TablePage(spec.title, source, blocks(spec.doc), spans(spec.doc_ref), sections)


def markdown_page(page: TablePage, pages: Pages, here: Path) -> str:
    """Return *page*, which is at *here*, as Markdown."""
    environment = markdown_environment(partial(pages.file_href, here=here, suffix=".md"))
    crumbs = trail(pages, here, ".md")
    return tidy(environment.get_template("table.md.jinja").render(page=page, trail=crumbs))


def html_page(page: TablePage, pages: Pages, here: Path) -> str:
    """Return *page*, which is at *here*, as HTML that needs nothing else."""
    environment = html_environment(partial(pages.file_href, here=here, suffix=".html"))
    template = environment.get_template("table.html.jinja")
    text: str = template.render(page=page, trail=trail(pages, here, ".html"))
    return text.rstrip() + "\n"


def _section_of_rows(spec: TableSpec) -> Section:
    """A table of rows."""
    first = spec.record.columns[0].name
    others = [
        each.name
        for each in spec.record.columns[1:]
        if any(row.get(each.name) not in {None, ()} for row in spec.rows)
    ]
    return Section(
        title=spec.name.replace("_", " ").capitalize(),
        anchor=spec.name,
        doc=blocks(spec.doc),
        clause=spec.clause,
        headers=(first, *("meaning" if name == "doc" else name for name in others)),
        rows=tuple(
            (_as_text(row[first]), tuple(spans(_as_text(row.get(name))) for name in others))
            for row in spec.rows
        ),
    )


def _as_text(value: Any) -> str:
    """A value as text."""
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def _section_of_object(spec: JsonObjectSpec) -> Section:
    """A kind of JSON object."""
    versions = sorted({version for each in spec.fields for version in each.versions})
    return Section(
        title=spec.name.replace("_", " ").capitalize(),
        anchor=spec.name,
        doc=blocks(spec.doc),
        clause=spec.clause,
        headers=("key", "type", *(f"v{version}" for version in versions), "meaning"),
        rows=tuple(_row_of_key(each, versions) for each in spec.fields),
    )


def _row_of_key(spec: JsonFieldSpec, versions: list[int]) -> tuple[str, tuple[Line, ...]]:
    """A key of an object."""
    needs = [spec.versions.get(version, "") for version in versions]
    absent = "" if spec.absent is None else f" Absent means `{spec.absent}`."
    empty = "" if spec.empty is None else f" `{spec.empty}` is read as none."
    values = f" One of {', '.join(f'`{each}`' for each in spec.values)}." if spec.values else ""
    relaxed = " Readers accept its absence." if spec.is_relaxed else ""
    cells = (f"`{_kind(spec.kind)}`", *needs, f"{spec.doc}{values}{absent}{empty}{relaxed}")
    return spec.key, tuple(map(spans, cells))


def _kind(kind: JsonKind) -> str:
    """``list<snapshot>``."""
    return f"{kind.name}<{_kind(kind.inner)}>" if kind.inner else kind.name
