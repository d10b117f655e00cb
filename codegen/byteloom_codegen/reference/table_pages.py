"""Pages of tables: sections with rows, for people; the same for all kinds of specs with tables.

Columns that a table leaves empty are not shown; the meaning of a value comes last.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from byteloom_codegen.reference.pages import trail
from byteloom_codegen.reference.prose import led
from byteloom_codegen.reference.to_html import html_environment
from byteloom_codegen.reference.to_markdown import markdown_environment, tidy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from byteloom_codegen.reference.pages import Pages
    from byteloom_codegen.reference.prose import Block, Line

__all__ = ["Section", "TablePage", "html_page", "markdown_page", "with_links"]


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
