"""Docs of a spec as blocks, so that each output lays them out in its own way.

A block ends at an empty line.  A block that begins with a bullet is a list, a block with an
indented line or a bar is a drawing and keeps its shape, anything else is a paragraph.  Marks of
quotes are left out, and ``[title](address)`` is the title and the address in parentheses.  Within
text only `` `code` ``, addresses, and names of files of specs mean something.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import dedent
from typing import Final, Literal, TypeAlias

__all__ = ["Block", "Span", "blocks", "spans"]

_BULLET: Final = re.compile(r"[-*+] +")
_QUOTED: Final = re.compile(r"(?m)^ ?>(?: |$)")
_TITLED: Final = re.compile(r"\[(?P<title>[^\[\]\n]+)\]\((?P<link>https?://[^\s<>()]+)\)")
_INDENT: Final = 2
_SPANS: Final = re.compile(
    r"`(?P<code>[^`\n]+)`|(?P<link>https?://[^\s<>\"'`]*[^\s<>\"'`.,;:!?)\]])"
    r"|(?<![\w./-])(?P<file>[\w-]+(?:/[\w-]+)*\.(?:ksy|proto|yaml))(?![\w/-])"
)


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of text: plain, code, an address, or the name of the file of a spec."""

    kind: Literal["text", "code", "link", "file"]
    text: str


Line: TypeAlias = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph (one line), a list (a line for each item) or a drawing (unchanged text)."""

    kind: Literal["paragraph", "list", "drawing"]
    lines: tuple[Line, ...] = ()
    text: str = ""


def blocks(doc: str) -> tuple[Block, ...]:
    """Return the blocks of *doc*."""
    text = _TITLED.sub(r"\g<title> (\g<link>)", _QUOTED.sub("", doc.expandtabs(4)))
    parts = re.split(r"\n[ \t]*\n", text.strip("\n").rstrip())
    return tuple(_block(part.strip("\n")) for part in parts if part.strip())


def _block(part: str) -> Block:
    lines = dedent(part).splitlines()
    if _BULLET.match(lines[0]):
        return Block("list", tuple(map(spans, _items(lines))))
    if any(line.startswith((" " * _INDENT, "|")) for line in part.splitlines()):
        return Block("drawing", text=dedent(part))
    return Block("paragraph", (spans(" ".join(part.split())),))


def _items(lines: list[str]) -> list[str]:
    items: list[str] = []
    for line in lines:
        bullet = _BULLET.match(line)
        if bullet:
            items.append(line[bullet.end() :].strip())
        else:
            items[-1] += f" {line.strip()}"
    return items


def spans(text: str) -> Line:
    """Divide one line of text."""
    found: list[Span] = []
    at = 0
    for match in _SPANS.finditer(text):
        if match.start() > at:
            found.append(Span("text", text[at : match.start()]))
        kind = match.lastgroup
        found.append(Span(kind, match[kind]))  # type: ignore[arg-type,index]  # a group always matched
        at = match.end()
    if at < len(text):
        found.append(Span("text", text[at:]))
    return tuple(found)
