"""A page as GitHub-flavoured Markdown; its pictures are files of their own."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from byteloom_codegen.reference.pages import Pages, no_link, picture_name, templates, trail
from byteloom_codegen.reference.prose import NEW_LINE

if TYPE_CHECKING:
    from pathlib import Path

    from jinja2 import Environment

    from byteloom_codegen.reference.dumps import Dump
    from byteloom_codegen.reference.pages import FileLink, Link, Listed
    from byteloom_codegen.reference.prose import Block, Line, Span, Word, Words
    from byteloom_codegen.reference.view import Page

__all__ = ["index", "markdown", "markdown_environment", "tidy"]

_SPECIAL: Final = re.compile(r"[\\`*\[\]|~$#]|(?<![^\W_])_|_(?![^\W_])")
_FIRST: Final = re.compile(r"^(\d+)([.)])|^([-+=])")
_TICKS: Final = re.compile(r"`+")


def markdown(page: Page, pages: Pages, here: Path) -> str:
    """Return *page*, which is at *here*, as Markdown."""
    environment = markdown_environment(partial(pages.file_href, here=here, suffix=".md"))
    link = partial(pages.href, here=here, suffix=".md")
    environment.filters |= {
        "fenced": _fenced, "cell": partial(_cell, link=link), "dumped": _dumped,
    }  # fmt: skip
    template = environment.get_template("page.md.jinja")
    crumbs = trail(pages, here, ".md")
    return tidy(template.render(page=page, picture=picture_name, trail=crumbs))


def markdown_environment(file_link: FileLink = no_link) -> Environment:
    """Return the templates, with filters that escape text for Markdown.

    file_link  returns the link to the page of a spec that a text names
    """
    environment = templates(escaped=False)
    prose = _Prose(file_link)
    environment.filters |= {
        "text": _text, "code": _code, "line": prose.line, "blocks": prose.blocks,
        "short": prose.short,
    }  # fmt: skip
    return environment


def index(folders: dict[str, list[Listed]]) -> str:
    """Return a list of all pages: for each folder its pages."""
    environment = templates(escaped=False)
    environment.filters["text"] = _text
    return tidy(environment.get_template("index.md.jinja").render(folders=folders))


def tidy(text: str) -> str:
    """Return *text* with one empty line where there were several."""
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def _dumped(dump: Dump) -> str:
    return "\n".join(
        f"{at:4}  {raw:<47}  {letters:<16}  {label}".rstrip()
        for at, raw, letters, label in dump.lines
    )


def _text(text: str) -> str:
    """Escape a line of text."""
    plain = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(lambda match: f"\\{match[0]}", plain)


def _opening(text: str) -> str:
    """Escape what would begin a heading, a list or a quote at the start of a line."""
    return _FIRST.sub(lambda match: f"{match[1] or ''}\\{match[2] or match[3]}", text)


def _code(text: str, *, in_table: bool = False) -> str:
    plain = text.replace("\n", " ").strip() or " "
    longest = max(map(len, _TICKS.findall(plain)), default=0)
    ticks, space = "`" * (longest + 1), " " if "`" in plain else ""
    return f"{ticks}{space}{plain.replace('|', chr(92) + '|') if in_table else plain}{space}{ticks}"


def _fenced(text: str) -> str:
    longest = max(map(len, _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    lines = "\n".join(line.rstrip() for line in text.splitlines() if line.strip())
    return f"{fence}text\n{lines}\n{fence}"


class _Prose:
    """Prints prose; *file_link* returns the link to the page of a spec that it names."""

    def __init__(self, file_link: FileLink) -> None:
        self._file_link = file_link

    def line(self, line: Line, *, in_table: bool = False) -> str:
        """Return a line of text as Markdown."""
        return "".join(self._span(span, in_table=in_table) for span in line)

    def blocks(self, blocks: tuple[Block, ...]) -> str:
        """Return paragraphs, lists and drawings."""
        parts = []
        for block in blocks:
            if block.kind == "drawing":
                parts.append(_fenced(block.text))
            elif block.kind == "list":
                items = enumerate(block.lines)
                parts.append(
                    "\n".join(
                        f"{'  ' * (number in block.inner)}- {_opening(self.line(line))}"
                        for number, line in items
                    )
                )
            else:
                parts.append(_opening(self.line(block.lines[0])))
        return "\n\n".join(parts)

    def short(self, blocks: tuple[Block, ...]) -> str:
        """Return blocks as text that fits into a cell of a table."""
        parts = []
        for block in blocks:
            if block.kind == "drawing":
                rows = [line for line in block.text.splitlines() if line.strip()]
                parts.append("<br>".join(_code(row, in_table=True) for row in rows))
            else:
                bullets = ("• ", "◦ ") if block.kind == "list" else ("", "")
                lines = (
                    bullets[number in block.inner] + self.line(line, in_table=True)
                    for number, line in enumerate(block.lines)
                )
                parts.append("<br>".join(lines))
        return "<br><br>".join(parts)

    def _span(self, span: Span, *, in_table: bool) -> str:
        if span.kind == "link":
            return f"<{span.text.replace('|', '%7C').replace(chr(92), '%5C')}>"
        href = f"#{span.anchor}" if span.anchor else ""
        if not href and span.kind in {"code", "file"}:
            href = self._file_link(span.text)
        text = span.text
        if span.kind == "code":
            shown = _code(text, in_table=in_table)
        else:
            plain = _text(text)
            lead = " " if text[:1].isspace() else ""
            shown = f"{lead}{plain}{' ' if text[-1:].isspace() and plain else ''}"
        return f"[{shown}]({href})" if href else shown


def _cell(words: Words, link: Link) -> str:
    return "".join(_word(word, link) for word in words)


def _word(word: Word, link: Link) -> str:
    if word is NEW_LINE:
        return "<br>"
    if word.target is not None:
        href = link(word.target)
        return f"[{_text(word.text)}]({href})" if href else _text(word.text)
    if word.code:
        return _code(word.text, in_table=True)
    lead, trail = (" " if word.text[:1] == " " else ""), (" " if word.text[-1:] == " " else "")
    return f"{lead}{_text(word.text)}{trail if word.text.strip() else ''}"
