"""Numbers in children that follow from a field beside the child: ``header.len_body``.

They are fields of the child, which knows nothing of its parent.  The parent remembers what it read
there; while that is unchanged, it follows from the parent's own value when that is written.  A
number that was edited is left alone, and has to agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from byteloom_codegen.model import Field, Instance, TypeSpec, UserType
from byteloom_codegen.python.absence import is_optional
from byteloom_codegen.python.derive import (
    PROCESSOR,
    can_follow,
    derived_fields,
    determines,
    is_checksum,
)
from byteloom_codegen.python.descriptor_fields import describing_fields
from byteloom_codegen.python.names import attribute_name, hidden_name

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Settled", "settled_numbers"]


@dataclass(frozen=True, slots=True)
class Settled:
    """A number of a child.

    number  the source of its attribute
    hidden  the attribute of the parent that remembers it
    source  the source of the value that it follows from
    there   the source of what may be missing, so that there is no value; "" if nothing may be
    by      the field that it follows from
    """

    number: str
    hidden: str
    source: str
    there: str
    by: str


@lru_cache(maxsize=64)
def settled_numbers(spec: TypeSpec) -> dict[str, Settled]:
    """Return the numbers in children of *spec* that follow from its fields."""
    children = {field.name: field for field in spec.seq if _is_plain_child(field)}
    taken = {hidden_name(each.name) for each in (*spec.seq, *spec.instances)}
    settled: dict[str, Settled] = {}
    for member in (*spec.seq, *spec.instances):
        if not isinstance(member, Field):
            continue
        value = f"self.{attribute_name(member.name)}"
        if isinstance(member, Instance):
            value = f"self.{hidden_name(member.name)}"
        there = value if isinstance(member, Instance) or is_optional(member) else ""
        for name, source in determines(member, value).items():
            child, _, number = name.partition(".")
            hidden = f"_{child}_{number}"
            is_free = hidden not in taken and PROCESSOR not in source
            if is_free and number in _numbers_of(children.get(child)):
                attribute = f"self.{attribute_name(child)}.{attribute_name(number)}"
                settled.setdefault(name, Settled(attribute, hidden, source, there, member.name))
    return settled


def _is_plain_child(field: Field) -> bool:
    return isinstance(field.type, UserType) and field.repeat is None and field.condition is None


def _numbers_of(child: Field | None) -> Iterator[str]:
    """Yield the numbers of a child that are only stored."""
    if child is None or not isinstance(child.type, UserType):
        return
    spec = child.type.type
    follows = {*derived_fields(spec), *describing_fields(spec)}
    for field in spec.seq:
        if can_follow(field) and field.name not in follows and not is_checksum(field):
            yield field.name
