"""What single names in expressions refer to: members, enums, and the language's own names.

Of these, ``_parent`` has the type whose attributes read the record.  A type read from one type only
has that one for its parent; read from several, or from none, a record of unknown type.  What
another file reads does not count: an imported record has no parent.  An explicit ``parent`` is
typed with the expressions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from byteloom_codegen.errors import SpecError, did_you_mean
from byteloom_codegen.frontend.keys import IDENTIFIER
from byteloom_codegen.model import (
    DataType,
    EnumSpec,
    Field,
    IntType,
    IoType,
    Member,
    Spec,
    StructType,
    SwitchType,
    TypeSpec,
    UserType,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen import expressions as ast
    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.frontend.type_names import Scope

__all__ = ["Context", "Parents", "enum_of", "member_named", "own_name", "special_name"]


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


def _record_types(type_: DataType) -> Iterator[UserType]:
    """Yield the records that an attribute of this type may read."""
    if isinstance(type_, UserType):
        yield type_
    elif isinstance(type_, SwitchType):
        for case in type_.cases:
            yield from _record_types(case.type)


class Parents:
    """The parents found so far."""

    def __init__(self) -> None:
        """Begin without parents."""
        self._found: dict[TypeSpec, DataType] = {}

    def of(self, type_: TypeSpec) -> DataType:
        """Return the type of ``_parent`` in *type_*."""
        return self._found.get(type_, StructType())

    def note(self, type_: TypeSpec, parent: DataType) -> None:
        """Note that a record of *type_* is read with this parent."""
        if type_.owner is None:  # whoever uses the spec reads its top type
            return
        if isinstance(parent, UserType):  # the way it is stored does not matter
            parent = UserType(parent.type)
        known = self._found.setdefault(type_, parent)
        if known != parent:
            self._found[type_] = StructType()

    def infer(self, spec: Spec) -> list[tuple[TypeSpec, UserType]]:
        """Note the implied parents in *spec*; return the explicit ones, each with its reader."""
        explicit = []
        for reader in spec.top.walk():
            for member in (*reader.seq, *reader.instances):
                if not isinstance(member, Field):
                    continue
                for record in _record_types(member.type):
                    if record.type.spec is not spec:
                        continue
                    if record.parent is None:
                        self.note(record.type, UserType(reader))
                    elif record.parent is not False:
                        explicit.append((reader, record))
        return explicit
