"""The formulas for the size or the place of a field; edits are calculated from them.

They are properties.  A size, a number of elements or a position that follows from the value by
itself, or that is written in the spec, has none.  The runtime asks for the others only when an
edited value does not fit them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from byteloom_codegen.expressions import Attribute
from byteloom_codegen.model import BitsType, Field, Instance, SwitchType, TypeSpec, UserType
from byteloom_codegen.nodes import asks_stream, names_in, user_types
from byteloom_codegen.python.child_numbers import settled_numbers
from byteloom_codegen.python.derived_fields import Derived, derived_fields
from byteloom_codegen.python.descriptor_fields import describing_fields
from byteloom_codegen.python.names import (
    attribute_name,
    hidden_name,
    number_formula,
    position_formula,
    size_formula,
)
from byteloom_codegen.unparse import unparse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.model import DataType

__all__ = ["Formula", "followed_fields", "formulas_of", "is_compared", "sizes_of"]


class Formula(NamedTuple):
    """The formula for the size or the place of a field.

    name   the property
    field  the field
    what   "bytes", "elements" or "position"
    value  the formula itself
    """

    name: str
    field: Field
    what: str
    value: Expression


def formulas_of(spec: TypeSpec) -> Iterator[Formula]:
    """Yield the formulas of the fields of *spec* that do not follow from the field alone."""
    taken = {hidden_name(each.name) for each in (*spec.seq, *spec.instances)}
    derived = followed_fields(spec)
    for member in (*spec.seq, *spec.instances):
        if isinstance(member, Field):
            for each in _formulas(member):
                names = list(names_in(each.value))
                alone = not isinstance(member, Instance) and any(
                    name.target is not None
                    and name.target.name in derived
                    and derived[name.target.name].by == member.name
                    for name in names
                )
                each_element = any(name.id in {"_", "_index"} for name in names)
                kept = names and not alone and not each_element and not _is_length(each.value)
                if kept and each.name not in taken:
                    yield each


def _is_length(node: Expression) -> bool:
    """Whether *node* is the length of something else, and not a number of its own."""
    return isinstance(node, Attribute) and node.target is None and node.name in {"length", "size"}


def followed_fields(spec: TypeSpec) -> dict[str, Derived]:
    """Return the numbers of *spec* that follow from one of its fields, each with that field."""
    derived = dict(derived_fields(spec))
    derived |= {
        name: Derived(each.instance, each.length)
        for name, each in describing_fields(spec).items()
        if each.length
    }
    return derived | {name: Derived(each.by, "") for name, each in settled_numbers(spec).items()}


def _formulas(field: Field) -> Iterator[Formula]:
    repeat = field.repeat
    count = repeat.expression if repeat and repeat.kind == "expr" else None
    if count is not None and not asks_stream(count):
        yield Formula(number_formula(field.name), field, "elements", count)
    sizes = {unparse(each): each for each in sizes_of(field.type)}
    if len(sizes) == 1:
        (size,) = sizes.values()
        yield Formula(size_formula(field.name), field, "bytes", size)
    if isinstance(field, Instance) and field.pos is not None and not asks_stream(field.pos):
        name = position_formula(attribute_name(field.name))
        yield Formula(name, field, "position", field.pos)


def sizes_of(type_: DataType) -> Iterator[Expression]:
    """Yield the sizes of a value, as the spec has them; of a switch those of all its cases."""
    for each in [case.type for case in type_.cases] if isinstance(type_, SwitchType) else [type_]:
        delimiting = getattr(each, "delimiting", None)
        if delimiting is not None and delimiting.size is not None:
            yield delimiting.size


def is_compared(spec: TypeSpec) -> bool:
    """Whether *spec*, a whole file, has numbers in it that may follow, or passed parameters.

    Numbers follow from formulas, flags from the end of their list.
    """
    if spec.owner is not None:
        return False
    found, waiting = set[int](), [spec]
    while waiting:
        each = waiting.pop()
        if id(each) not in found:
            found.add(id(each))
            if any(True for _ in formulas_of(each)):
                return True
            members = [each for each in (*each.seq, *each.instances) if isinstance(each, Field)]
            if any(map(_may_end_by_flag, members)):
                return True
            users = [user for member in members for user in user_types(member.type)]
            if any(isinstance(user, UserType) and user.args for user in users):
                return True
            waiting += [user.type for user in users if isinstance(user, UserType)]
    return False


def _may_end_by_flag(field: Field) -> bool:
    """Whether a flag of its elements may say where a list ends."""
    users = user_types(field.type) if field.repeat and field.repeat.kind == "until" else ()
    return any(
        isinstance(member.type, BitsType) and member.type.is_bool
        for user in users
        if isinstance(user, UserType)
        for member in user.type.seq
    )
