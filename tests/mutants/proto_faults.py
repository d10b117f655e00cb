"""What can be wrong in a `.proto`: another number, type or presence, a forgotten field or value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tests.mutants.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["proto_faults"]

_ENTRY: Final = re.compile(
    r"^ +(?P<repeated>repeated )?(?:(?P<type>[\w.]+) )?\w+ = (?P<number>\d+)"
    r"(?P<options> \[.*\])?;",
    re.MULTILINE,
)
"""A field, or without a type a value of an enum."""

_TYPES: Final = {
    "uint32": "sint32",
    "uint64": "sint64",
    "int32": "sint32",
    "int64": "sint64",
    "string": "bytes",
    "bytes": "string",
    "bool": "uint32",
}


def proto_faults(source: str) -> list[Fault]:
    """Return every fault that can be put into *source*, a `.proto`, in the order of its text."""
    entries = list(_ENTRY.finditer(source))
    found = [fault for entry in entries for fault in _of(entry)]
    found += [_number(source, entry, entries) for entry in entries]
    found = [each._replace(line=source.count("\n", 0, each.start) + 1) for each in found]
    return sorted(found, key=lambda fault: (fault.start, fault.end, fault.text))


def _of(entry: re.Match[str]) -> Iterator[Fault]:
    yield _edit("dropped row", entry.start(), entry.end(), "")
    if entry["options"]:
        yield _edit("dropped rule", *entry.span("options"), "")
    if entry["type"] is None:
        return
    if entry["type"] in _TYPES:
        yield _edit("other type", *entry.span("type"), _TYPES[entry["type"]])
    if entry["repeated"]:
        yield _edit("other label", *entry.span("repeated"), "")
    elif not entry["options"]:
        yield _edit("other label", entry.start("type"), entry.start("type"), "repeated ")


def _number(source: str, entry: re.Match[str], entries: list[re.Match[str]]) -> Fault:
    """Give an entry the next number; the entry that had that number gets the old one."""
    number = int(entry["number"])
    other = next((each for each in entries if each.start() > entry.start()), None)
    start, end = entry.span("number")
    if other is None or int(other["number"]) != number + 1 or "}" in source[end : other.start()]:
        return _edit("off by one", start, end, str(number + 1))
    between = source[end : other.start("number")]
    return _edit("off by one", start, other.end("number"), f"{number + 1}{between}{number}")


def _edit(kind: str, start: int, end: int, text: str) -> Fault:
    return Fault(kind, 0, start, end, text)
