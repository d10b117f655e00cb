"""Messages as pages: a table of fields for each, and of values for each enum."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from byteloom_codegen.messages.module import stored_as
from byteloom_codegen.reference.prose import blocks, spans
from byteloom_codegen.reference.table_pages import Section, TablePage, with_links

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.messages.model import EnumSpec, MessageSpec, MessagesSpec
    from byteloom_codegen.reference.prose import Line

__all__ = ["page_of_messages"]

_END: Final = re.compile(r"\.(?=\s|$)")
"""The end of a sentence; a point inside a number, as in `2.1`, does not end one."""


def page_of_messages(spec: MessagesSpec, source: str) -> TablePage:
    """Return the page of *spec*; *source* is the path that it names.

    Its title is the first sentence of the file's comment, its source the last line.
    """
    *lines, last = spec.doc.splitlines()
    doc, reference = ("\n".join(lines), last.removeprefix("Source: "))
    title, *rest = _END.split(doc, maxsplit=1)
    sections = [_enum(each, "") for each in spec.enums]
    sections += [found for each in spec.messages for found in _sections(each, spec.package, "")]
    return TablePage(
        " ".join(title.split()),
        source,
        blocks("".join(rest).strip()),
        spans(reference),
        with_links(sections, {each.title: each.anchor for each in sections}, _STORED),
        tuple(_legend(spec)),
    )


_STORED: Final = "stored as"


def _legend(spec: MessagesSpec) -> Iterator[Line]:
    """Yield what the words of the page mean, of those that it has."""
    fields = [field for message in spec.walk() for field in message.fields]
    yield spans("A field that is absent has its default: 0, false, or no bytes.")
    if any(each.default for each in fields):
        yield spans("`else NONE` is another default.")
    if any(each.choice for each in fields):
        yield spans(
            "`one of x`: of all fields of a message with these words, at most one is there."
        )
    if any(each.is_repeated for each in fields):
        yield spans("`repeated`: the field is there once for each element of a list.")


def _sections(spec: MessageSpec, package: str, outer: str) -> Iterator[Section]:
    """A message, then what is declared inside it."""
    name = f"{outer}{spec.name}"
    yield Section(
        title=name,
        anchor=name.lower(),
        doc=blocks(spec.doc),
        clause=f"message {name}",
        headers=("field", "number", _STORED, "meaning"),
        none="It has no fields.",
        rows=tuple(
            (
                each.name,
                (spans(str(each.number)), spans(stored_as(each, package)), spans(_line(each.doc))),
            )
            for each in spec.fields
        ),
    )
    for each in spec.enums:
        yield _enum(each, f"{name}.")
    for inner in spec.messages:
        yield from _sections(inner, package, f"{name}.")


def _enum(spec: EnumSpec, outer: str) -> Section:
    """An enum."""
    name = f"{outer}{spec.name}"
    return Section(
        title=name,
        anchor=name.lower(),
        doc=blocks(spec.doc),
        clause=f"enum {name}",
        headers=("name", "number", "meaning"),
        rows=tuple(
            (value, (spans(str(number)), spans(_line(doc)))) for value, number, doc in spec.values
        ),
    )


def _line(doc: str) -> str:
    """A comment in one line."""
    return " ".join(doc.split())
