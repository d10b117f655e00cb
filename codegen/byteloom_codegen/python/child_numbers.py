"""What a record passes to its children before they are written, and the numbers it has in them.

A child that was read knows its parent, its root, its byte order and its parameters.  One that was
made by hand, or moved here from another record, or whose parameters follow from a changed value,
gets them here.

Some numbers in children follow from a field beside the child: ``header.len_body``.  They are fields
of the child, which knows nothing of its parent.  The parent remembers what it read there; while
that is unchanged, it follows from the parent's own value when that is written.  A number that was
edited is left alone, and has to agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from byteloom_codegen.model import Field, Instance, OpaqueType, SwitchType, TypeSpec, UserType
from byteloom_codegen.nodes import asks_stream, is_optional, user_types
from byteloom_codegen.precedence import COMPARE
from byteloom_codegen.python.derived_fields import (
    PROCESSOR,
    can_follow,
    derived_fields,
    determines,
    is_checksum,
)
from byteloom_codegen.python.descriptor_fields import describing_fields
from byteloom_codegen.python.names import attribute_name, hidden_name, parameter_name
from byteloom_codegen.python.read_statements import mentions_index, switched
from byteloom_codegen.python.scope import MethodScope
from byteloom_codegen.python.statements import Statement
from byteloom_codegen.python.templates import WRITE
from byteloom_codegen.python.translation import Translator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.python.scope import Module

__all__ = ["Settled", "adoptions", "settled_numbers"]


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


def adoptions(spec: TypeSpec, module: Module) -> list[Statement]:
    """Return the statements that make the fields of *spec* its children."""
    fields = [*spec.seq, *(each for each in spec.instances if isinstance(each, Instance))]
    return [each for field in fields for each in _adopted(field, spec, module)]


def _adopted(field: Field, spec: TypeSpec, module: Module) -> list[Statement]:
    scope = MethodScope(module, spec)
    hidden = isinstance(field, Instance)
    value = f"self.{hidden_name(field.name) if hidden else attribute_name(field.name)}"
    item = scope.item_of(field) if field.repeat else value
    groups = list[list[Statement]]()
    users = list(user_types(field.type)) if "varint" not in field.loom else []
    for user in users:
        learned = _learned(user, spec, scope, item)
        if sum(_is_same(user, each) for each in users) == 1:
            learned = [*learned, *_params(user, scope, item)]
        elif isinstance(field.type, SwitchType) and not asks_stream(field.type.on):
            learned = [*learned, *_switched_params(field.type, user, scope, item)]
        if learned and not isinstance(field.type, UserType):
            learned = WRITE.lines("if_of", item=item, kind=module.annotation(user), put=learned)
        groups += [learned] if learned not in groups else []
    body = [each for group in groups for each in group]
    if not body:
        return []
    optional = hidden or is_optional(field)
    if field.repeat:
        items = f"{value}{' or ()' if optional else ''}"
        numbered = mentions_index(body)
        return WRITE.lines("elements", item=item, value=items, numbered=numbered, put=body)
    if optional and isinstance(field.type, UserType):
        return WRITE.lines("if_any", value=value, put=body)
    return body


def _is_same(user: UserType | OpaqueType, other: UserType | OpaqueType) -> bool:
    """Whether two cases read the same record; only the switch knows with which parameters."""
    return isinstance(user, UserType) and isinstance(other, UserType) and user.type is other.type


def _switched_params(
    type_: SwitchType, user: UserType | OpaqueType, scope: MethodScope, item: str
) -> list[Statement]:
    """Return the expression that passes *item* the parameters of the switch case that writes it."""
    source, cases, otherwise = Translator(scope), list[tuple[str, list[Statement]]](), []
    for case in type_.cases:
        same = isinstance(case.type, UserType | OpaqueType) and _is_same(user, case.type)
        given = _params(case.type, scope, item) if same else []  # type: ignore[arg-type]
        if case.on is None:
            otherwise = given
        else:
            cases.append((source(case.on, COMPARE + 1), given))
    if not otherwise:
        cases = [case for case in cases if case[1]]
        if not cases:
            return []
    on = source(type_.on)
    return WRITE.lines(
        "parameters_by_case", on=on, kind=switched(on, type_.on), cases=cases, otherwise=otherwise
    )


def _params(user: UserType | OpaqueType, scope: MethodScope, item: str) -> list[Statement]:
    """Return the assignments of the parameters that *item* is read with."""
    if isinstance(user, OpaqueType):
        return []
    given = [
        (parameter_name(param.name), Translator(scope)(arg))
        for param, arg in zip(user.type.params, user.args, strict=True)
        if not asks_stream(arg)
    ]
    if given:
        scope.calc("pass_to")
    return WRITE.lines("parameters", item=item, given=given)


def _learned(
    user: UserType | OpaqueType, spec: TypeSpec, scope: MethodScope, item: str
) -> list[Statement]:
    """Return the assignments that *item*, of the type *user*, needs."""
    module = scope.module
    if isinstance(user, OpaqueType) or user.type.spec is not spec.spec:
        return []
    uses, root = module.uses_of(user.type), ""
    if uses.has_root(user.type):
        root = scope.root
    lazy = [each for each in user.type.instances if isinstance(each, Instance)]
    learned = WRITE.lines(
        "adopted",
        item=item,
        lazy=[attribute_name(each.name) for each in lazy],
        parent=id(user.type) in uses.parent and user.parent is None,
        root=root,
        order=uses.inherits_endian(user.type),
    )
    if learned and lazy:
        scope.calc("touch")
    return learned
