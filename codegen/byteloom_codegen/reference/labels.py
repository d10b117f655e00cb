"""Names for the numbers in a dump, from the enums of their fields."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from byteloom_codegen.model import EnumType, Field, SwitchType, UserType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom_codegen.model import DataType, TypeSpec

__all__ = ["name_numbers"]

_NUMBER: Final = re.compile(r"(?P<path>[\w.\[\]]+) = (?P<value>-?\d+)")
_BITS: Final = re.compile(r" \(bits? \d+(?:\.\.\d+)?\)(?= = |$)")
"""Bits in the order of reading: a page numbers those of a field in its table, from the lowest."""
_INDEX: Final = re.compile(r"\[\d+\]")


def name_numbers(labels: Sequence[str], spec: TypeSpec) -> tuple[str, ...]:
    """Return *labels* of a record of *spec*, with the name of each number that its enum names."""
    return tuple(_named(each, spec) for each in labels)


def _named(label: str, spec: TypeSpec) -> str:
    label = _BITS.sub("", label)
    match = _NUMBER.fullmatch(label)
    if match is None:
        return label
    names = _INDEX.sub("", match["path"]).split(".")
    number = int(match["value"])
    found = {
        member.name
        for type_ in _types(names, spec)
        if isinstance(type_, EnumType)
        for member in type_.enum.members
        if member.value == number
    }
    return f"{match['path']} = {found.pop()} ({number})" if len(found) == 1 else label


def _types(names: list[str], spec: TypeSpec) -> Iterator[DataType]:
    """Yield the types that the field at the end of a path may have: several after a switch."""
    member = spec.member(names[0])
    if not isinstance(member, Field):
        return
    for type_ in _cases(member.type):
        if len(names) == 1:
            yield type_
        elif isinstance(type_, UserType):
            yield from _types(names[1:], type_.type)


def _cases(type_: DataType) -> Iterator[DataType]:
    if isinstance(type_, SwitchType):
        for case in type_.cases:
            yield from _cases(case.type)
    else:
        yield type_
