"""How docstrings become Markdown on the site: their tables of terms, and their examples.

A docstring explains arguments, fields and errors in the sections of Google's form, which the site
knows, or by lines of a term, two spaces or more, and its meaning. Examples are those of `doctest`.
"""

from __future__ import annotations

import re
from textwrap import dedent
from typing import TYPE_CHECKING, Any, Final

import griffe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Docstrings", "markdown"]

_SECTION: Final = re.compile(r"^(Args|Attributes|Returns|Yields|Raises|Example):$", re.MULTILINE)
_TERM: Final = re.compile(r"( *)(?!- )(\S+(?: \S+)*)(?<![.:;]) {2,}(\S.*)")


class Docstrings(griffe.Extension):
    """Rewrites the docstring of each object that a page shows, and hides what needs no words."""

    def on_class_members(self, *, cls: griffe.Class, **_: Any) -> None:
        """Leave out `__repr__`, which every object has."""
        cls.members.pop("__repr__", None)

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Put Markdown in the place of what was written for readers of code."""
        if obj.docstring is not None:
            obj.docstring.value = markdown(obj.docstring.value)


def markdown(docstring: str) -> str:
    """Return a docstring as Markdown, with definition lists and blocks of code.

    One in Google's form stays as it is, but for the name that its examples have on the site.
    """
    if _SECTION.search(docstring):
        return re.sub(r"^Example:$", "Examples:", docstring, flags=re.MULTILINE)
    paragraphs = re.split(r"\n\s*\n", docstring)
    return "\n\n".join("\n".join(_paragraph(each.splitlines())) for each in paragraphs)


def _paragraph(lines: list[str]) -> Iterator[str]:
    if lines[0].lstrip().startswith(">>>"):
        yield from ["```pycon", *dedent("\n".join(lines)).splitlines(), "```"]
        return
    for line in _joined(lines):
        if isinstance(line, str):
            yield line
        else:
            term, meaning = line
            yield from ["", term if "`" in term else f"`{term}`", f":   {meaning}", ""]


def _joined(lines: Iterable[str]) -> Iterator[str | tuple[str, str]]:
    """Lines, and terms with their meanings, whose further lines begin where the first one does."""
    term, meaning, start = "", "", 0
    for line in lines:
        if term and line[:start].isspace():
            meaning += f" {line.strip()}"
            continue
        if term:
            yield term, meaning
        found = _TERM.fullmatch(line)
        term, meaning = (found[2], found[3]) if found else ("", "")
        start = found.start(3) if found else 0
        if not found:
            yield line
    if term:
        yield term, meaning
