"""What a record tells its children before they are written.

A child that was read knows its parent, its root, its byte order and its parameters; one that was
made by hand, or moved here from another record, or whose parameters follow from what was changed,
learns them here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom_codegen.model import Field, Instance, OpaqueType, SwitchType, TypeSpec, UserType
from byteloom_codegen.python.names import attribute_name, hidden_name
from byteloom_codegen.python.reading import mentions_index, switched
from byteloom_codegen.python.scope import MethodScope
from byteloom_codegen.python.statements import Block, Statement
from byteloom_codegen.python.translate import Translator, is_optional, str_literal
from byteloom_codegen.python.uses import user_types
from byteloom_codegen.python.writing import asks_stream

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
    body: list[Statement] = []
    users = list(user_types(field.type)) if "varint" not in field.loom else []
    for user in users:
        told: list[Statement] = _told(user, spec, scope, item)
        if sum(_is_same(user, each) for each in users) == 1:
            told += _params(user, scope, item)
        elif isinstance(field.type, SwitchType) and not asks_stream(field.type.on):
            told += _switched_params(field.type, user, scope, item)
        if told and not isinstance(field.type, UserType):
            told = [Block(f"if isinstance({item}, {module.annotation(user)}):", told)]
        body += [each for each in told if each not in body]
    if not body:
        return []
    optional = hidden or is_optional(field)
    if field.repeat:
        items = f"{value}{' or ()' if optional else ''}"
        numbered = f"for index, {item} in enumerate({items}):"
        return [Block(numbered if mentions_index(body) else f"for {item} in {items}:", body)]
    if optional and isinstance(field.type, UserType):
        return [Block(f"if {value} is not None:", body)]
    return body


def _is_same(user: UserType | OpaqueType, other: UserType | OpaqueType) -> bool:
    """Whether two cases read the same record: with which parameters, only the switch knows."""
    return isinstance(user, UserType) and isinstance(other, UserType) and user.type is other.type


def _switched_params(
    type_: SwitchType, user: UserType | OpaqueType, scope: MethodScope, item: str
) -> list[Statement]:
    """Return what tells *item* the parameters of the case that it is written by."""
    source, blocks = Translator(scope), list[Statement]()
    before, on = switched(source(type_.on))
    for case in sorted(type_.cases, key=lambda case: case.on is None):
        same = isinstance(case.type, UserType | OpaqueType) and _is_same(user, case.type)
        given = _params(case.type, scope, item) if same else []  # type: ignore[arg-type]
        body: list[Statement] = [*given] if given else ["pass"]
        word = "elif" if blocks else "if"
        test = f"{word} {on} == {source(case.on)}:" if case.on is not None else "else:"
        blocks.append(Block(test, body))
    return [*before, *blocks]


def _params(user: UserType | OpaqueType, scope: MethodScope, item: str) -> list[str]:
    """Return the assignments of the parameters that *item* is read with."""
    if isinstance(user, OpaqueType):
        return []
    pairs = zip(user.type.params, user.args, strict=True)
    return [
        f"{item}.{attribute_name(param.name)} = {Translator(scope)(arg)}"
        for param, arg in pairs
        if not asks_stream(arg)
    ]


def _told(
    user: UserType | OpaqueType, spec: TypeSpec, scope: MethodScope, item: str
) -> list[Statement]:
    """Return the assignments that *item*, of the type *user*, needs."""
    module = scope.module
    if isinstance(user, OpaqueType) or user.type.spec is not spec.spec:
        return []
    uses, told = module.uses_of(user.type), list[Statement]()
    if id(user.type) in uses.parent and user.parent is None:
        told.append(f"{item}._parent = self")
    if id(user.type) in uses.root and user.type.owner is not None:
        told.append(f"{item}._root = {'self' if spec.owner is None else 'self._root'}")
    if uses.inherits_endian(user.type):
        told.append(f"{item}._is_le = self._is_le")
    return [*_touched(user.type, scope, item, str(told[0])), *told] if told else []


def _touched(spec: TypeSpec, scope: MethodScope, item: str, assigned: str) -> list[Statement]:
    """Let *item* read what it reads when asked before it forgets where it comes from."""
    lazy = [each for each in spec.instances if isinstance(each, Instance)]
    if not lazy:
        return []
    names = "".join(f", {str_literal(attribute_name(each.name))}" for each in lazy)
    stranger = f"if {assigned.replace(' = ', ' is not ')}:"
    return [Block(stranger, [f"{scope.calc('touch')}({item}{names})"])]
