"""Types of expressions.

`Typer.type_of` fills in `type` of a node and of all below it, and what names lead to.  Calculated
members are typed when they are first asked for, so that their order in the spec does not matter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from byteloom_codegen import expressions as ast
from byteloom_codegen.errors import SpecError
from byteloom_codegen.expressions import Expression
from byteloom_codegen.frontend.keys import IDENTIFIER
from byteloom_codegen.frontend.kinds import combined, described, evaluated, kind
from byteloom_codegen.frontend.methods import METHODS, Method
from byteloom_codegen.frontend.parents import Parents
from byteloom_codegen.frontend.scopes import Scope
from byteloom_codegen.frontend.sizes import bits_of, bits_of_record
from byteloom_codegen.frontend.type_names import number_type, pure_type
from byteloom_codegen.model import (
    ArrayType,
    BoolType,
    BytesType,
    DataType,
    EnumType,
    Field,
    FloatType,
    IntType,
    IoType,
    Member,
    OpaqueType,
    StrType,
    TypeSpec,
    UserType,
    ValueInstance,
)

__all__ = ["AlreadyToldError", "Context", "Typer"]

BYTE_VALUES = range(256)


class AlreadyToldError(Exception):
    """The type hangs on something that is wrong itself, and was told."""


@dataclass(frozen=True, slots=True)
class Context:
    """Where an expression stands.

    scope    the type whose members its names are
    element  the type of ``_``; None where there is none
    indexed  whether there is an ``_index``
    """

    scope: Scope
    element: DataType | None = None
    indexed: bool = False


@dataclass(slots=True)
class Typer:
    """Types the expressions of all files together.

    scopes   each type's scope
    broken   members whose type could not be told
    pending  calculated members that are not typed yet
    """

    scopes: dict[TypeSpec, Scope]
    parents: Parents
    broken: set[Member] = field(default_factory=set)
    pending: dict[ValueInstance, Scope] = field(default_factory=dict)
    _running: list[ValueInstance] = field(default_factory=list)

    def type_of(self, node: Expression, context: Context) -> DataType:
        """Type *node* and return its type, as expressions see it; a `SpecError` where it has none."""
        visit: Callable[[Any, Context], DataType] = getattr(
            self, f"_{type(node).__name__.strip('_').lower()}"
        )
        node.type = visit(node, context)
        return evaluated(node.type)

    def type_of_member(self, member: Member, asking: Expression | None = None) -> DataType:
        """Return the type of a member as a whole, typed now if it was not yet."""
        if isinstance(member, ValueInstance) and member in self.pending:
            self._type_instance(member, asking)
        if member in self.broken:
            raise AlreadyToldError
        return member.value_type

    def _type_instance(self, member: ValueInstance, asking: Expression | None) -> None:
        if member in self._running:
            names = " -> ".join(
                each.name for each in (*self._running[self._running.index(member) :], member)
            )
            at = asking or member.value
            raise SpecError(at.location, f"'{member.name}' is calculated from itself: {names}")
        self._running.append(member)
        try:
            found = self.type_of(member.value, Context(self.pending[member]))
            member.type = _named_values(member, found)
        except (SpecError, AlreadyToldError):
            self.broken.add(member)
            raise
        finally:
            self._running.pop()
            self.pending.pop(member, None)

    # Leaves

    def _literal(self, node: ast.Literal_, _context: Context) -> DataType:
        match node.value:
            case bool():
                return BoolType()
            case int():
                return IntType()
            case float():
                return FloatType()
        return StrType()

    def _fstring(self, node: ast.FString, context: Context) -> DataType:
        for part in node.parts:
            if isinstance(part, str):
                continue
            found = self.type_of(part, context)
            if kind(found) not in {"integer", "string"}:
                raise SpecError(
                    part.location,
                    f"a format string takes integers and strings, got {described(found)}",
                )
        return StrType()

    def _array(self, node: ast.Array, context: Context) -> DataType:
        if not node.elements:
            raise SpecError(
                node.location, "an empty array has no type", "cast it: [].as<bytes>, [].as<u4[]>"
            )
        if all(_is_byte(each) for each in node.elements):
            for each in node.elements:
                self.type_of(each, context)
            return BytesType()
        element = self.type_of(node.elements[0], context)
        for each in node.elements[1:]:
            element = self._combined(element, self.type_of(each, context), each)
        return ArrayType(element)

    def _enumlabel(self, node: ast.EnumLabel, context: Context) -> DataType:
        enum = context.scope.find_enum(node.names)
        name = "::".join(node.names)
        if enum is None:
            raise SpecError(
                node.location, f"unable to find enum '{name}', searching from {context.scope}"
            )
        if all(member.name != node.label for member in enum.members):
            labels = ", ".join(member.name for member in enum.members[:10])
            raise SpecError(
                node.location,
                f"unable to find enum member '{name}::{node.label}'",
                f"it has {labels}",
            )
        node.enum = enum
        return EnumType(enum, IntType())

    def _name(self, node: ast.Name, context: Context) -> DataType:
        special = self._special(node, context)
        if special is not None:
            return special
        self._check_id(node.id, node)
        spec = context.scope.type
        node.target = spec.member(node.id)
        if node.target is None:
            raise SpecError(
                node.location,
                f"unable to access '{node.id}' in {spec.name} context",
                _nearest(node.id, spec),
            )
        return self.type_of_member(node.target, node)

    def _special(self, node: ast.Name, context: Context) -> DataType | None:
        spec = context.scope.type
        match node.id:
            case "_root":
                return UserType(spec.spec.top)
            case "_parent":
                return self.parents.of(spec)
            case "_io":
                return IoType()
            case "_":
                if context.element is None:
                    raise SpecError(
                        node.location,
                        "'_' stands for the value in repeat-until and valid/expr, not here",
                    )
                return context.element
            case "_index":
                if not context.indexed:
                    raise SpecError(
                        node.location,
                        "'_index' stands for the number of an element, and this is not repeated",
                    )
                return IntType()
        return None

    def _check_id(self, name: str, node: Expression) -> None:
        if not IDENTIFIER.fullmatch(name):
            raise SpecError(
                node.location,
                f"invalid ID: '{name}', expected /^[a-z][a-z0-9_]*$/",
                _string_hint(name),
            )

    # Attributes and methods

    def _attribute(self, node: ast.Attribute, context: Context) -> DataType:
        of = self.type_of(node.value, context)
        if isinstance(of, UserType):
            found = self._record_attribute(node, of.type)
            if found is not None:
                return found
        if isinstance(of, OpaqueType) and node.name not in METHODS["record"]:
            raise SpecError(
                node.location,
                f"nothing is known about {described(of)}, so not '{node.name}' either",
                "cast it",
            )
        method = self._method(node, of, node.name)
        if () not in method.args:
            raise self._wrong_arguments(node, node.name, of, method, [])
        return self._result(method, of)

    def _record_attribute(self, node: ast.Attribute, spec: TypeSpec) -> DataType | None:
        match node.name:
            case "_root":
                return UserType(spec.spec.top)
            case "_parent":
                return self.parents.of(spec)
            case "_io":
                return IoType()
        self._check_id(node.name, node)
        node.target = spec.member(node.name)
        if node.target is None:
            raise SpecError(
                node.location,
                f"unable to access '{node.name}' in {spec.name} context",
                _nearest(node.name, spec),
            )
        return self.type_of_member(node.target, node)

    def _call(self, node: ast.Call, context: Context) -> DataType:
        of = self.type_of(node.value, context)
        method = self._method(node, of, node.method)
        given = [kind(self.type_of(each, context)) for each in node.args]
        if not any(_fits(tuple(given), wanted) for wanted in method.args):
            raise self._wrong_arguments(node, node.method, of, method, given)
        for each, wanted in zip(node.args, method.args[-1], strict=False):
            if wanted == "literal" and not isinstance(each, ast.Literal_):
                raise SpecError(
                    each.location, f"{node.method}: expected string literal as the encoding"
                )
        return self._result(method, of)

    def _method(self, node: Expression, of: DataType, name: str) -> Method:
        known = METHODS.get(kind(of), {})
        if name in known:
            return known[name]
        of_all = f"{described(of)} has {', '.join(sorted(known))}" if known else ""
        raise SpecError(
            node.location, f"don't know how to call method '{name}' of {described(of)}", of_all
        )

    def _wrong_arguments(
        self, node: Expression, name: str, of: DataType, method: Method, given: list[str]
    ) -> SpecError:
        text = f"wrong arguments to method call `{name}` on {described(of)}: expected {method.wanted()}, got"
        return SpecError(node.location, f"{text} ({', '.join(given)})")

    def _result(self, method: Method, of: DataType) -> DataType:
        if method.result is None and isinstance(of, ArrayType):
            return of.element
        return method.result or IntType()

    def _index(self, node: ast.Index, context: Context) -> DataType:
        of, index = self.type_of(node.value, context), self.type_of(node.index, context)
        if kind(of) not in {"array", "bytes"}:
            raise SpecError(
                node.location, f"only arrays and bytes have elements, not {described(of)}"
            )
        if kind(index) not in {"integer", "any"}:
            raise SpecError(
                node.index.location, f"expected integer as an index, got {described(index)}"
            )
        return of.element if isinstance(of, ArrayType) else IntType(signed=False, width=1)

    def _cast(self, node: ast.Cast, context: Context) -> DataType:
        node.to = pure_type(node.name, context.scope)
        if isinstance(node.value, ast.Array) and not node.value.elements:
            node.value.type = node.to
        else:
            self.type_of(node.value, context)
        return node.to

    def _sizeof(self, node: ast.SizeOf, context: Context) -> DataType:
        bits = self._measured(node, context)
        if bits is None:
            what = str(node.name) if node.name else "this value"
            raise SpecError(node.location, f"unable to derive sizeof of {what}: dynamic sized type")
        node.value = bits if node.bits else (bits + 7) // 8
        return IntType()

    def _measured(self, node: ast.SizeOf, context: Context) -> int | None:
        if node.name is not None:
            only = node.name.names[0] if len(node.name.names) == 1 else ""
            node.of = number_type(only, "le", "be") or pure_type(node.name, context.scope)
            return bits_of(node.of)
        if node.operand is None:
            node.of = context.scope.type
            return bits_of_record(node.of)
        node.of = self.type_of(node.operand, context)
        target = node.operand.target if isinstance(node.operand, ast.Name | ast.Attribute) else None
        if isinstance(target, Field):
            return None if target.repeat else bits_of(target.type)
        return bits_of(node.of)

    # Operators

    def _unaryop(self, node: ast.UnaryOp, context: Context) -> DataType:
        found = self.type_of(node.operand, context)
        wanted = {"-": {"integer", "float"}, "~": {"integer"}, "not": {"boolean"}}[node.op]
        self._check_kind(
            node, found, wanted, f"unable to apply unary operator {node.op} to {described(found)}"
        )
        if node.op == "not":
            return BoolType()
        return FloatType() if kind(found) == "float" else IntType()

    def _binaryop(self, node: ast.BinaryOp, context: Context) -> DataType:
        left, right = self.type_of(node.left, context), self.type_of(node.right, context)
        kinds = {kind(left), kind(right)}
        if node.op == "+" and kinds == {"string"}:
            return StrType()
        wanted = {"integer", "float"} if node.op in {"+", "-", "*", "/", "%"} else {"integer"}
        message = f"can't apply operator {node.op} to {described(left)} and {described(right)}"
        hint = (
            "turn the integer into a string: .to_s"
            if node.op == "+" and kinds == {"integer", "string"}
            else ""
        )
        for each in (left, right):
            self._check_kind(node, each, wanted, message, hint)
        return FloatType() if "float" in kinds else IntType()

    def _check_kind(
        self, node: Expression, found: DataType, wanted: set[str], message: str, hint: str = ""
    ) -> None:
        if kind(found) not in wanted | {"any"}:
            raise SpecError(node.location, message, hint)

    def _compare(self, node: ast.Compare, context: Context) -> DataType:
        left, right = self.type_of(node.left, context), self.type_of(node.right, context)
        self.check_comparable(left, right, node, ordered=node.op not in {"==", "!="})
        return BoolType()

    def check_comparable(
        self, left: DataType, right: DataType, node: Expression, *, ordered: bool = False
    ) -> None:
        """Refuse to compare what has nothing in common, or (ordered) no order."""
        one, other = kind(left), kind(right)
        if "any" in {one, other}:
            return
        common = one if combined(left, right) is not None else None
        if common is None or common in {"record", "array", "stream"}:
            hint = "compare its number: .to_i" if {one, other} == {"enum", "integer"} else ""
            raise SpecError(
                node.location, f"can't compare {described(left)} and {described(right)}", hint
            )
        if ordered and common in {"boolean", "enum"}:
            raise SpecError(node.location, f"{described(left)} has no order, only == and !=")

    def _boolop(self, node: ast.BoolOp, context: Context) -> DataType:
        for each in (node.left, node.right):
            found = self.type_of(each, context)
            message = f"unable to use {described(found)} as an argument of '{node.op}'"
            self._check_kind(each, found, {"boolean"}, message, "bits are joined by & and |")
        return BoolType()

    def _ternary(self, node: ast.Ternary, context: Context) -> DataType:
        found = self.type_of(node.condition, context)
        message = f"expected boolean before '?', got {described(found)}"
        self._check_kind(node.condition, found, {"boolean"}, message)
        return self._combined(self.type_of(node.yes, context), self.type_of(node.no, context), node)

    def _combined(self, left: DataType, right: DataType, node: Expression) -> DataType:
        found = combined(left, right)
        if found is None:
            raise SpecError(
                node.location,
                f"can't combine output types: {described(left)} and {described(right)}",
            )
        return found


def _fits(given: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    wanted = tuple("string" if each == "literal" else each for each in wanted)
    return len(given) == len(wanted) and all(
        one in {other, "any"} for one, other in zip(given, wanted, strict=True)
    )


def _is_byte(node: Expression) -> bool:
    return isinstance(node, ast.Literal_) and type(node.value) is int and node.value in BYTE_VALUES


def _named_values(member: ValueInstance, found: DataType) -> DataType:
    if member.enum is None:
        return found
    if kind(found) != "integer":
        raise SpecError(
            member.value.location, f"tried to resolve non-integer {described(found)} to enum"
        )
    return EnumType(member.enum, found if isinstance(found, IntType) else IntType())


def _nearest(name: str, spec: TypeSpec) -> str:
    from difflib import get_close_matches

    names = sorted(each.name for each in (*spec.params, *spec.seq, *spec.instances))
    close = get_close_matches(name, names, 1)
    return f"did you mean '{close[0]}'?" if close else ""


def _string_hint(name: str) -> str:
    return f"a string needs quotes inside the YAML ones: '\"{name}\"'"
