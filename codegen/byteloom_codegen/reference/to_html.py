"""A page as self-contained HTML: its style and pictures are part of it."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import TYPE_CHECKING

from markupsafe import Markup

from byteloom_codegen.reference.pages import Pages, templates
from byteloom_codegen.reference.picture import STYLE

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from jinja2 import Environment

    from byteloom_codegen.reference.pages import Link
    from byteloom_codegen.reference.prose import Line, Span
    from byteloom_codegen.reference.view import Page
    from byteloom_codegen.reference.wording import Word, Words

__all__ = ["html", "html_environment"]


def html(page: Page, pages: Pages, here: Path) -> str:
    """Return *page*, which is at *here*, as HTML."""
    environment = html_environment()
    link = partial(pages.href, here=here, suffix=".html")
    environment.filters |= {"words": partial(_words, link=link), "drawn": Markup}
    style = Markup(STYLE)  # noqa: S704  (our own constant)
    template = environment.get_template("page.html.jinja")
    return template.render(page=page, style=style).rstrip() + "\n"


def html_environment() -> Environment:
    """Return the templates, which escape all text, with a filter for marked up text."""
    environment = templates(escaped=True)
    environment.filters["spans"] = _spans
    return environment


def _words(words: Words, link: Link) -> Markup:
    return _markup(_word(word, link) for word in words)


def _word(word: Word, link: Link) -> str:
    if word.target is not None and (href := link(word.target)):
        return f'<a href="{escape(href)}">{escape(word.text)}</a>'
    return f"<code>{escape(word.text)}</code>" if word.code else escape(word.text)


def _spans(line: Line) -> Markup:
    return _markup(map(_span, line))


def _span(span: Span) -> str:
    text = escape(span.text)
    if span.kind == "link":
        return f'<a href="{text}">{text}</a>'
    return f"<code>{text}</code>" if span.kind == "code" else text


def _markup(parts: Iterable[str]) -> Markup:
    return Markup("".join(parts))  # noqa: S704  (every part was escaped above)
