"""Tables as pages: the same rows and keys as the code has, for people.

Columns that a table leaves empty are not shown; the meaning of a value comes last.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from byteloom_codegen.python.names import camel
from byteloom_codegen.reference.pages import trail
from byteloom_codegen.reference.prose import blocks, led, spans
from byteloom_codegen.reference.to_html import html_environment
from byteloom_codegen.reference.to_markdown import markdown_environment, tidy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from byteloom_codegen.reference.pages import Pages
    from byteloom_codegen.reference.prose import Block, Line
    from byteloom_codegen.tables.model import DocumentSpec, JsonFieldSpec, JsonKind, JsonObjectSpec
    from byteloom_codegen.tables.rows_model import CodesSpec, RowsSpec, TableSpec

__all__ = [
    "Section",
    "TablePage",
    "html_page",
    "markdown_page",
    "page_of_documents",
    "page_of_rows",
    "with_links",
]


@dataclass(frozen=True, slots=True)
class Section:
    """One table.

    rows  each its first cell, which is its name, and the others
    none  what there is in place of a table without rows
    """

    title: str
    anchor: str
    doc: tuple[Block, ...]
    clause: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Line, ...]], ...]
    none: str = ""


@dataclass(frozen=True, slots=True)
class TablePage:
    """A spec's tables.

    legend  what the words of the page mean
    """

    title: str
    source: str
    doc: tuple[Block, ...]
    doc_ref: Line
    sections: tuple[Section, ...]
    legend: tuple[Line, ...] = ()


def page_of_rows(spec: RowsSpec, source: str) -> TablePage:
    """Return the page of a spec of rows; *source* is the path that it names."""
    sections = [_section_of_rows(each) for each in spec.tables]
    anchors = {
        # Types of Thrift have names like SchemaElement.
        spelled: each.name
        for each in spec.tables
        for spelled in (each.name, camel(each.name))
    }
    codes = [_section_of_codes(each) for each in spec.enums]
    shown = with_links([*sections, *codes], anchors, _OF_TYPES)
    return TablePage(spec.title, source, blocks(spec.doc), spans(spec.doc_ref), shown)


def page_of_documents(spec: DocumentSpec, source: str) -> TablePage:
    """Return the page of a spec of JSON documents; *source* is the path that it names."""
    sections = [_section_of_object(each) for each in spec.objects]
    shown = with_links(sections, {each.name: each.name for each in spec.objects}, _OF_TYPES)
    return TablePage(spec.title, source, blocks(spec.doc), spans(spec.doc_ref), shown)


_OF_TYPES: Final = "type"
"""The column with the types of values, which may be tables of the same page."""


def with_links(
    sections: Sequence[Section], anchors: Mapping[str, str], header: str
) -> tuple[Section, ...]:
    """Return *sections* without empty columns, with links from types to their tables.

    anchors  the places of tables, by the names of types
    header   of the column with types
    """
    return tuple(_linked(_without_empty_columns(each), anchors, header) for each in sections)


def _without_empty_columns(section: Section) -> Section:
    kept = [
        number
        for number, _ in enumerate(section.headers[1:])
        if not section.rows or any(cells[number] for _, cells in section.rows)
    ]
    return replace(
        section,
        headers=(section.headers[0], *(section.headers[1 + number] for number in kept)),
        rows=tuple((name, tuple(cells[each] for each in kept)) for name, cells in section.rows),
    )


def _linked(section: Section, anchors: Mapping[str, str], header: str) -> Section:
    if header not in section.headers[1:]:
        return section
    column = section.headers.index(header) - 1
    rows = tuple(
        (name, (*cells[:column], led(cells[column], anchors), *cells[column + 1 :]))
        for name, cells in section.rows
    )
    return replace(section, rows=rows)


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


def _section_of_codes(spec: CodesSpec) -> Section:
    """An enum."""
    return Section(
        title=spec.name.replace("_", " ").capitalize(),
        anchor=spec.name,
        doc=blocks(spec.doc),
        clause=spec.clause,
        headers=("value", "name", "meaning"),
        rows=tuple((str(each.value), (spans(each.name), spans(each.doc))) for each in spec.members),
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
