"""What a record passes to its children before they are written.

A child that was read knows its parent, its root, its byte order and its parameters.  One that was
made by hand, or moved here from another record, or whose parameters follow from a changed value,
gets them here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom_codegen.binding import COMPARE
from byteloom_codegen.model import Field, Instance, OpaqueType, SwitchType, TypeSpec, UserType
from byteloom_codegen.nodes import asks_stream, user_types
from byteloom_codegen.python.absence import is_optional
from byteloom_codegen.python.names import attribute_name, hidden_name, parameter_name
from byteloom_codegen.python.read_statements import mentions_index, switched
from byteloom_codegen.python.scope import MethodScope
from byteloom_codegen.python.statements import Statement
from byteloom_codegen.python.templates import WRITE
from byteloom_codegen.python.translate import Translator

if TYPE_CHECKING:
    from byteloom_codegen.python.scope import Module

__all__ = ["adoptions"]


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
