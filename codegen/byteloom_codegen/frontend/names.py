"""What single names in expressions refer to: members, enums, and the language's own names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from byteloom_codegen.errors import SpecError
from byteloom_codegen.frontend.keys import IDENTIFIER
from byteloom_codegen.frontend.nearest import did_you_mean
from byteloom_codegen.model import DataType, EnumSpec, IntType, IoType, Member, TypeSpec, UserType

if TYPE_CHECKING:
    from byteloom_codegen import expressions as ast
    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.frontend.parents import Parents
    from byteloom_codegen.frontend.scopes import Scope

__all__ = ["Context", "enum_of", "member_named", "own_name", "special_name"]


@dataclass(frozen=True, slots=True)
class Context:
    """The place of an expression.

    scope    the type whose members its names are
    element  the type of ``_``; None where there is none
    indexed  whether there is an ``_index``
    """

    scope: Scope
    element: DataType | None = None
    indexed: bool = False


def own_name(name: str, spec: TypeSpec, parents: Parents) -> DataType | None:
    """Return the type of ``_root``, ``_parent`` or ``_io``; None for any other name."""
    match name:
        case "_root":
            return UserType(spec.spec.top)
        case "_parent":
            return parents.of(spec)
        case "_io":
            return IoType()
    return None


def special_name(node: ast.Name, context: Context) -> DataType | None:
    """Return the type of ``_`` or ``_index``, where they mean something; None for other names."""
    if node.id == "_":
        if context.element is None:
            message = "'_' stands for the value in repeat-until and valid/expr, not here"
            raise SpecError(node.location, message)
        return context.element
    if node.id == "_index":
        if not context.indexed:
            message = "'_index' stands for the number of an element, and this is not repeated"
            raise SpecError(node.location, message)
        return IntType()
    return None


def member_named(name: str, spec: TypeSpec, node: Expression) -> Member:
    """Return the member of *spec* that *node* names."""
    if not IDENTIFIER.fullmatch(name):
        message = f"invalid ID: '{name}', expected /^[a-z][a-z0-9_]*$/"
        hint = f"a string needs quotes inside the YAML ones: '\"{name}\"'"
        raise SpecError(node.location, message, hint)
    found = spec.member(name)
    if found is None:
        message = f"unable to access '{name}' in {spec.name} context"
        raise SpecError(node.location, message, _nearest(name, spec))
    return found


def enum_of(node: ast.EnumLabel, scope: Scope) -> EnumSpec:
    """Return the enum of a label, which has to be one of its members."""
    enum, name = scope.find_enum(node.names), "::".join(node.names)
    if enum is None:
        message = f"unable to find enum '{name}', searching from {scope}"
        raise SpecError(node.location, message)
    if all(member.name != node.label for member in enum.members):
        labels = ", ".join(member.name for member in enum.members[:10])
        message = f"unable to find enum member '{name}::{node.label}'"
        raise SpecError(node.location, message, f"it has {labels}")
    return enum


def _nearest(name: str, spec: TypeSpec) -> str:
    return did_you_mean(name, [each.name for each in (*spec.params, *spec.seq, *spec.instances)])
