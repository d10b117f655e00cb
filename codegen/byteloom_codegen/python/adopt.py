"""What a record tells its children before they are written.

A child that was read knows its parent, its root and its byte order; one that was made by hand, or
moved here from another record, learns them here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom_codegen.model import Field, OpaqueType, TypeSpec, UserType
from byteloom_codegen.python.names import attribute_name
from byteloom_codegen.python.scope import MethodScope
from byteloom_codegen.python.statements import Block, Statement
from byteloom_codegen.python.translate import is_optional
from byteloom_codegen.python.uses import user_types

if TYPE_CHECKING:
    from byteloom_codegen.python.scope import Module

__all__ = ["adoptions"]


def adoptions(spec: TypeSpec, module: Module) -> list[Statement]:
    """Return the statements that make the fields of *spec* its children."""
    return [each for field in spec.seq for each in _adopted(field, spec, module)]


def _adopted(field: Field, spec: TypeSpec, module: Module) -> list[Statement]:
    users = list(user_types(field.type))
    value = f"self.{attribute_name(field.name)}"
    item = MethodScope(module, spec).item_of(field) if field.repeat else value
    told: dict[str, None] = {}
    for user in users:
        told.update(dict.fromkeys(_told(user, spec, module, item)))
    if not told:
        return []
    body: list[Statement] = list(told)
    classes = {module.annotation(user) for user in users}
    if not isinstance(field.type, UserType):
        body = [Block(f"if isinstance({item}, {' | '.join(sorted(classes))}):", body)]
    if field.repeat:
        body = [Block(f"for {item} in {value}{' or ()' if is_optional(field) else ''}:", body)]
    elif is_optional(field) and isinstance(field.type, UserType):
        body = [Block(f"if {value} is not None:", body)]
    return body


def _told(user: UserType | OpaqueType, spec: TypeSpec, module: Module, item: str) -> list[str]:
    """Return the assignments that *item*, of the type *user*, needs."""
    if isinstance(user, OpaqueType) or user.type.spec is not spec.spec:
        return []
    uses, told = module.uses_of(user.type), []
    if id(user.type) in uses.parent and user.parent is None:
        told.append(f"{item}._parent = self")
    if id(user.type) in uses.root and user.type.owner is not None:
        told.append(f"{item}._root = {'self' if spec.owner is None else 'self._root'}")
    if uses.inherits_endian(user.type):
        told.append(f"{item}._is_le = self._is_le")
    return told
