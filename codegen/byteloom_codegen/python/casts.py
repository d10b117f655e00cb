"""Values that may be of another type than the spec says, since a record was cast on the way.

The official compiler checks no cast, and its Python finds any member that the record itself has: a
cast to another type with the same member works.  So such a member is looked up while running, and
the type of its value is checked where that is used.  What prints expressions, and the method that
they are printed into, come as interfaces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, TypeGuard

from byteloom_codegen import expressions as ast
from byteloom_codegen.frontend.kinds import evaluated, kind
from byteloom_codegen.model import (
    AnyType,
    ArrayType,
    BitsType,
    BoolType,
    BytesType,
    DataType,
    EnumType,
    FloatType,
    IntType,
    OpaqueType,
    StrType,
    StructType,
    SwitchType,
    UserType,
    ValueInstance,
)
from byteloom_codegen.python.literals import str_literal

if TYPE_CHECKING:
    from byteloom_codegen.model import EnumSpec, Member, TypeSpec

__all__ = ["Casts", "Scope", "is_checkable", "is_loose", "is_top", "runtime_type"]


class Scope(Protocol):
    """What names refer to, in the method that the expression is printed into."""

    def member(self, target: Member) -> str:
        """Return the source for a bare member name, as it is stored."""

    def calculation(self, target: Member) -> ast.Expression | None:
        """Return the expression that is printed in place of *target*; None for its name."""

    def special(self, name: str) -> str:
        """Return the source for ``_root``, ``_parent``, ``_io``, ``_index`` or ``_``."""

    def root_of(self, top: TypeSpec, source: str) -> str:
        """Return the source for the root of *source*, a record of the type *top* of its spec."""

    def class_of(self, type_: DataType | EnumSpec) -> str:
        """Return the source that names the class of a record or an enum."""

    def calc(self, function: str) -> str:
        """Return the source that names a function of ``byteloom.wire.calc``."""

    def attribute(self, target: Member) -> str:
        """Return the attribute that holds the member *target* of a record."""

    def late(self, name: str) -> str:
        """Return the attribute of a member that only the record itself may have."""

    def may_grow(self, node: ast.Expression) -> bool:
        """Whether the result has to be checked against the size that values may have."""


class _Printer(Protocol):
    """What prints expressions into one scope."""

    @property
    def scope(self) -> Scope:
        """What names refer to."""

    def __call__(self, node: ast.Expression, binds: int = 0) -> str:
        """Return the source of *node*, in parentheses where it binds looser than *binds*."""

    def by_kind(self, node: ast.Expression) -> tuple[str, int]:
        """Return the source of *node*, and how tightly it binds."""

    def given(self, source: str, target: Member) -> str:
        """Return *source*, of the member *target*; with a check where a record may lack it."""

    def is_varint(self, node: ast.Expression) -> bool:
        """Whether *node* is an integer of variable length (``-loom-varint``), or one of several."""


@dataclass(frozen=True, slots=True)
class Casts:
    """Prints values that may be of another type than the spec says."""

    printer: _Printer

    def narrowed(self, node: ast.Expression) -> str:
        """Return the source of a value whose type is checked where it is used."""
        return self.of_type("narrowed", self.unchecked(node), evaluated(node.type))

    def alike(self, node: ast.Expression) -> str:
        """Return the source of a value of any type, which type checkers take for the spec's."""
        return self.of_type("alike", self.unchecked(node), evaluated(node.type))

    def unchecked(self, node: ast.Expression) -> str:
        """Return the source of a value whose type is not checked, if it may be another."""
        if not is_loose(node):
            return self.printer(node)
        scope = self.printer.scope
        match node:
            case ast.Cast():
                return self.unchecked(node.value)
            case ast.Name(target=target) if target is not None:
                return self.printer.given(scope.member(target), target)
            case ast.Attribute() if node.name == "value" and self.printer.is_varint(node.value):
                return self.unchecked(node.value)
            case ast.Attribute(target=None, name="_root") if is_top(node.value.type):
                return self.printer.by_kind(node)[0]
            case ast.Attribute() if not _is_element(node):
                return self._member_of(self.unchecked(node.value), node)
            case ast.Name():
                return f"{scope.calc('member_of')}(None, {str_literal(node.id)})"
        return self.printer.by_kind(node)[0]

    def _member_of(self, record: str, node: ast.Attribute) -> str:
        scope = self.printer.scope
        name = scope.late(node.name) if node.late else node.name
        if node.target is not None:
            name = scope.attribute(node.target)
        source = f"{scope.calc('member_of')}({record}, {str_literal(name)})"
        return source if node.target is None else self.printer.given(source, node.target)

    def of_type(self, function: str, source: str, wanted: DataType) -> str:
        """Return *source* as the first argument of a *function* that says it is a *wanted*."""
        scope = self.printer.scope
        python = runtime_type(wanted, scope)
        return source if python is None else f"{scope.calc(function)}({source}, {python})"


def is_loose(node: ast.Expression) -> bool:
    """Whether *node* is a record that is cast, part of one, or an instance with such a value.

    A joint is not: its value is checked when it is calculated.
    """
    seen, waiting = set[int](), [node]
    for each in waiting:
        if each.joints is not None or id(each) in seen:
            continue
        seen.add(id(each))
        match each:
            case ast.Cast() if _is_narrowing(each):
                return True
            case ast.Name(late=True) | ast.Attribute(late=True):
                return True
            case ast.Attribute(target=None) if each.name[0] != "_" and not _is_element(each):
                continue
        if isinstance(each, ast.Name | ast.Attribute) and isinstance(each.target, ValueInstance):
            waiting.append(each.target.value)
        if isinstance(each, ast.Attribute | ast.Index) or _is_to_record(each):
            waiting.append(each.value)
    return False


def is_checkable(known: DataType) -> bool:
    """Whether the value of a cast from *known* may be of another type than the one it names."""
    return not isinstance(
        known,
        IntType | BitsType | FloatType | EnumType | BytesType | StrType | BoolType | ArrayType,
    )


def is_top(type_: DataType) -> TypeGuard[UserType]:
    """Whether a record of *type_* is that of a spec, and so its own root."""
    return isinstance(type_, UserType) and type_.type.owner is None


def runtime_type(wanted: DataType, scope: Scope) -> str | None:
    """Return the class that a value of *wanted* has while running; None where it has none."""
    if isinstance(wanted, UserType | OpaqueType):
        return scope.class_of(wanted)
    return _CLASSES.get(kind(wanted))


def _is_element(node: ast.Attribute) -> bool:
    """Whether *node* is an element of an array."""
    return node.target is None and node.name in {"first", "last", "min", "max"}


def _is_narrowing(node: ast.Cast) -> bool:
    """Whether a cast is to a record, or to records, and the value may be another."""
    known, wanted = evaluated(node.value.type), node.to
    while isinstance(known, ArrayType) and isinstance(wanted, ArrayType):
        known, wanted = known.element, wanted.element
    may_be_record = isinstance(known, _Record | SwitchType | AnyType)
    return may_be_record and isinstance(wanted, _Record | ArrayType) and known != wanted


def _is_to_record(node: ast.Expression) -> TypeGuard[ast.Cast]:
    return isinstance(node, ast.Cast) and isinstance(node.to, _Record | ArrayType)


_CLASSES: Final = {
    "integer": "int", "float": "float", "boolean": "bool", "string": "str", "bytes": "bytes",
    "array": "list",
}  # fmt: skip
"""Python's classes of values, by their kinds."""

_Record = UserType | OpaqueType | StructType
