"""A page as self-contained HTML: its style and pictures are part of it."""

from __future__ import annotations

import re
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from byteloom_codegen.reference.pages import Pages, no_link, templates, trail
from byteloom_codegen.reference.picture import STYLE
from byteloom_codegen.reference.prose import NEW_LINE

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from jinja2 import Environment

    from byteloom_codegen.reference.pages import FileLink, Link, Listed
    from byteloom_codegen.reference.prose import Line, Span, Word, Words
    from byteloom_codegen.reference.view import Page

__all__ = ["html", "html_environment", "html_index"]

_JOINT: Final = re.compile(r"(?<=\w[_.:,<\[(/])(?=\w)")
"""Where a word may be broken: after a sign that joins its parts, as in `min_sequence_number`."""


def html(page: Page, pages: Pages, here: Path) -> str:
    """Return *page*, which is at *here*, as HTML."""
    environment = html_environment(partial(pages.file_href, here=here, suffix=".html"))
    link = partial(pages.href, here=here, suffix=".html")
    environment.filters |= {"words": partial(_words, link=link), "drawn": Markup}
    style = Markup(STYLE)  # noqa: S704  (our own constant)
    template = environment.get_template("page.html.jinja")
    crumbs = trail(pages, here, ".html")
    return template.render(page=page, style=style, trail=crumbs).rstrip() + "\n"


def html_index(folders: dict[str, list[Listed]]) -> str:
    """Return a list of all pages: for each folder its pages."""
    template = html_environment().get_template("index.html.jinja")
    return template.render(folders=folders).rstrip() + "\n"


def html_environment(file_link: FileLink = no_link) -> Environment:
    """Return the templates, which escape all text, with filters for marked up text.

    file_link  returns the link to the page of a spec that a text names
    """
    environment = templates(escaped=True)
    shown = partial(_spans, file_link=file_link)
    environment.filters |= {"spans": shown, "breakable": _breakable_markup}
    return environment


def _words(words: Words, link: Link) -> Markup:
    return _markup(_word(word, link) for word in words)


def _word(word: Word, link: Link) -> str:
    if word is NEW_LINE:
        return "<br>"
    if word.target is not None and (href := link(word.target)):
        return f'<a href="{escape(href)}">{escape(word.text)}</a>'
    text = _breakable(word.text)
    return f"<code>{text}</code>" if word.code else text


def _spans(line: Line, file_link: FileLink) -> Markup:
    return _markup(_span(span, file_link) for span in line)


def _span(span: Span, file_link: FileLink) -> str:
    if span.kind == "link":
        text = escape(span.text)
        return f'<a href="{text}">{text}</a>'
    href = f"#{span.anchor}" if span.anchor else ""
    if not href and span.kind in {"code", "file"}:
        href = file_link(span.text)
    text = _breakable(span.text)
    shown = f"<code>{text}</code>" if span.kind == "code" else text
    return f'<a href="{escape(href)}">{shown}</a>' if href else shown


def _breakable(text: str) -> str:
    """Escape *text*, whose long words may then be broken inside, so that tables fit a window."""
    return "<wbr>".join(escape(part) for part in _JOINT.split(text))


def _breakable_markup(text: str) -> Markup:
    return _markup([_breakable(text)])


def _markup(parts: Iterable[str]) -> Markup:
    return Markup("".join(parts))  # noqa: S704  (every part was escaped above)
