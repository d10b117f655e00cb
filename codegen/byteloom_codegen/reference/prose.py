"""Pieces of text with markup, and docs of a spec as blocks, which each output lays out its own way.

A block ends at an empty line.  A block that begins with a bullet is a list, a block with an
indented line or a bar is a drawing and keeps its shape, anything else is a paragraph.  Marks of
quotes are left out.  ``[title](address)`` is the title and the address in parentheses, or the
title alone if the address is a path on some site.  Within text only `` `code` ``, addresses, and
names of files of specs mean something.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import dedent
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from byteloom_codegen.model import EnumSpec, TypeSpec

__all__ = [
    "NEW_LINE",
    "Block",
    "Span",
    "Word",
    "Words",
    "blocks",
    "code",
    "in_words",
    "joined",
    "led",
    "listed",
    "plain",
    "spans",
]


@dataclass(frozen=True, slots=True)
class Word:
    """A piece of a phrase: plain, code, or the name of a type or an enum of some spec."""

    text: str
    code: bool = False
    target: TypeSpec | EnumSpec | None = None


Words: TypeAlias = tuple[Word, ...]

NEW_LINE: Final = Word("\n")
"""What follows it is on a line of its own."""


def code(text: str) -> Word:
    """Return *text* as code."""
    return Word(text, code=True)


def in_words(*parts: str | Word | Words) -> Words:
    """Return *parts* one after the other; texts are plain words."""
    found: list[Word] = []
    for part in parts:
        match part:
            case str():
                found.append(Word(part))
            case Word():
                found.append(part)
            case _:
                found += part
    return tuple(found)


def plain(words: Words) -> str:
    """Return a phrase in one line, without its markup."""
    return "".join(" " if word is NEW_LINE else word.text for word in words)


def joined(phrases: Iterable[Words], between: str | Word) -> Iterator[Word]:
    """Yield the words of *phrases* with *between* between any two of them."""
    apart = Word(between) if isinstance(between, str) else between
    for number, phrase in enumerate(phrases):
        if number:
            yield apart
        yield from phrase


def listed(parts: Sequence[str], word: str = "and") -> str:
    """Return ``a``, ``a and b``, or ``a, b and c``; *word* is before the last."""
    *others, last = parts
    return f"{', '.join(others)} {word} {last}" if others else last


_BULLET: Final = re.compile(r"[-*+] +")
_QUOTED: Final = re.compile(r"(?m)^ ?>(?: |$)")
_TITLED: Final = re.compile(r"\[(?P<title>[^\[\]\n]+)\]\((?P<link>https?://[^\s<>()]+)\)")
_ELSEWHERE: Final = re.compile(r"\[(?P<title>[^\[\]\n]+)\]\((?:\.{0,2}/|#)[^\s<>()]*\)")
_INDENT: Final = 2
_SPANS: Final = re.compile(
    r"`(?P<code>[^`\n]+)`|(?P<link>https?://[^\s<>\"'`]*[^\s<>\"'`.,;:!?)\]])"
    r"|(?<![\w./-])(?P<file>[\w-]+(?:/[\w-]+)*\.(?:ksy|proto|yaml))(?![\w/-])"
)


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of text: plain, code, an address, or the name of the file of a spec.

    anchor  the place on its page that the text leads to; may be empty
    """

    kind: Literal["text", "code", "link", "file"]
    text: str
    anchor: str = ""


Line: TypeAlias = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph (one line), a list (a line for each item) or a drawing (unchanged text).

    inner  of a list the numbers of the items that are part of the one before them
    """

    kind: Literal["paragraph", "list", "drawing"]
    lines: tuple[Line, ...] = ()
    text: str = ""
    inner: frozenset[int] = frozenset()


def blocks(doc: str) -> tuple[Block, ...]:
    """Return the blocks of *doc*."""
    text = _TITLED.sub(r"\g<title> (\g<link>)", _QUOTED.sub("", doc.expandtabs(4)))
    text = _ELSEWHERE.sub(r"\g<title>", text)
    parts = re.split(r"\n[ \t]*\n", text.strip("\n").rstrip())
    return tuple(_block(part.strip("\n")) for part in parts if part.strip())


def _block(part: str) -> Block:
    lines = dedent(part).splitlines()
    if _BULLET.match(lines[0]):
        items = _items(lines)
        inner = frozenset(number for number, item in enumerate(items) if item.is_inner)
        return Block("list", tuple(spans(item.text) for item in items), inner=inner)
    if any(line.startswith((" " * _INDENT, "|")) for line in part.splitlines()):
        return Block("drawing", text=dedent(part))
    return Block("paragraph", (spans(" ".join(part.split())),))


class _Item(NamedTuple):
    text: str
    is_inner: bool


def _items(lines: list[str]) -> list[_Item]:
    items: list[_Item] = []
    for line in lines:
        bullet = _BULLET.match(line.lstrip())
        text = line.strip()
        if bullet:
            items.append(_Item(text[bullet.end() :].strip(), is_inner=line[0].isspace()))
        else:
            items[-1] = items[-1]._replace(text=f"{items[-1].text} {text}")
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


_NAME: Final = re.compile(r"[A-Za-z_][\w.]*")


def led(line: Line, anchors: Mapping[str, str]) -> Line:
    """Return *line* with each of the names in *anchors* leading to its place on the page."""
    return tuple(piece for span in line for piece in _led(span, anchors))


def _led(span: Span, anchors: Mapping[str, str]) -> Iterator[Span]:
    if span.kind not in {"text", "code"}:
        yield span
        return
    at = 0
    for match in _NAME.finditer(span.text):
        anchor = anchors.get(match[0], "")
        if not anchor:
            continue
        if match.start() > at:
            yield Span(span.kind, span.text[at : match.start()])
        yield Span(span.kind, match[0], anchor)
        at = match.end()
    if at < len(span.text):
        yield Span(span.kind, span.text[at:])
