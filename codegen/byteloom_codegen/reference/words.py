"""Pieces of text with markup: a page prints them as HTML or as Markdown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from byteloom_codegen.model import EnumSpec, TypeSpec

__all__ = ["NEW_LINE", "Word", "Words", "code", "in_words", "joined", "listed", "plain"]


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
