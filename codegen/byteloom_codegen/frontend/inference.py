"""Types of expressions.

`TypeInference.type_of` fills in `type` of a node and of all below it, and what names refer to.
Calculated members are typed when they are first asked for, so that their order in the spec does not
matter.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any, cast

from byteloom_codegen import expressions as ast
from byteloom_codegen.errors import SpecError
from byteloom_codegen.frontend.kinds import described, evaluated, kind
from byteloom_codegen.frontend.names import (
    Context,
    enum_of,
    member_named,
    own_name,
    special_name,
)
from byteloom_codegen.frontend.operators import (
    METHODS,
    common,
    method_result,
    operation,
)
from byteloom_codegen.frontend.sizes import bits_of, bits_of_record
from byteloom_codegen.frontend.type_names import number_type, pure_type
from byteloom_codegen.joints import deepest_first, operands
from byteloom_codegen.model import (
    AnyType,
    ArrayType,
    BoolType,
    BytesType,
    DataType,
    EnumType,
    Field,
    FloatType,
    IntType,
    Member,
    OpaqueType,
    StrType,
    TypeSpec,
    UserType,
    ValueInstance,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from byteloom_codegen.errors import Problems
    from byteloom_codegen.expressions import Expression, Node
    from byteloom_codegen.frontend.names import Parents
    from byteloom_codegen.frontend.type_names import Scope

__all__ = ["AlreadyReportedError", "TypeInference"]

BYTE_VALUES = range(256)
MAX_LEVELS = 32
"""The most arrays in each other: as many brackets as their Python type has."""


class AlreadyReportedError(Exception):
    """The type depends on a part of the spec whose own error has been reported."""


@dataclass(slots=True)
class TypeInference:
    """Types the expressions of all files together.

    scopes      each type's scope
    problems    where warnings are noted
    broken      members whose type could not be determined
    pending     calculated members that are not typed yet
    references  the nodes that name each member
    joints      those whose types are known
    casts       what is cast, with its place, and not typed yet
    """

    scopes: dict[TypeSpec, Scope]
    parents: Parents
    problems: Problems
    broken: set[Member] = field(default_factory=set)
    pending: dict[ValueInstance, Scope] = field(default_factory=dict)
    references: dict[Member, list[Expression]] = field(default_factory=dict)
    joints: set[Node] = field(default_factory=set)
    casts: list[tuple[Expression, Context]] = field(default_factory=list)
    _running: list[ValueInstance] = field(default_factory=list)

    def type_of(self, node: Expression, context: Context) -> DataType:
        """Type *node* and return its type as expressions see it; a `SpecError` if it has none."""
        if node.joints is not None:
            return self._type_of_joint(node, context)
        return self._visited(node, context)

    def _type_of_joint(self, node: Expression, context: Context) -> DataType:
        """Type what is below *node* first, unless it was."""
        if node not in self.joints:
            for each in deepest_first(node):
                self._visited(cast("Expression", each), context)
                self.joints.add(each)
        return evaluated(node.type)

    def _visited(self, node: Expression, context: Context) -> DataType:
        visit: Callable[[Any, Context], DataType] = getattr(
            self, f"_{type(node).__name__.strip('_').lower()}"
        )
        node.type = visit(node, context)
        return evaluated(node.type)

    def type_of_member(self, member: Member, asking: Expression | None = None) -> DataType:
        """Return the type of a member as a whole, typed now if it was not yet."""
        if asking is not None:
            self.references.setdefault(member, []).append(asking)
        if isinstance(member, ValueInstance) and member in self.pending:
            self._type_instance(member, asking)
        if member in self.broken:
            raise AlreadyReportedError
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
            scope = self.pending[member]
            found = self.type_of(member.value, Context(scope))
            member.type = _named_values(member, found, scope)
        except (SpecError, AlreadyReportedError):
            self.broken.add(member)
            raise
        finally:
            self._running.pop()
            self.pending.pop(member, None)
        while self.casts and not self._running:
            self._loosely(*self.casts.pop())

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
            element = common(element, self.type_of(each, context), each)
        found = ArrayType(element)
        if _levels(found) > MAX_LEVELS:
            raise SpecError(node.location, f"arrays nested more than {MAX_LEVELS} deep")
        return found

    def _enumlabel(self, node: ast.EnumLabel, context: Context) -> DataType:
        node.enum = enum_of(node, context.scope)
        return EnumType(node.enum, IntType())

    def _name(self, node: ast.Name, context: Context) -> DataType:
        special = special_name(node, context)
        return special or self._of_record(node, node.id, context.scope.type)

    def _of_record(self, node: ast.Name | ast.Attribute, name: str, spec: TypeSpec) -> DataType:
        own = own_name(name, spec, self.parents)
        if own is not None:
            return own
        node.target = member_named(name, spec, node)
        return self.type_of_member(node.target, node)

    # Attributes and methods

    def _attribute(self, node: ast.Attribute, context: Context) -> DataType:
        of = self.type_of(node.value, context)
        if isinstance(of, UserType):
            return self._of_record(node, node.name, of.type)
        if isinstance(of, OpaqueType) and node.name not in METHODS["record"]:
            message = f"nothing is known about {described(of)}, so not '{node.name}' either"
            raise SpecError(node.location, message, "cast it")
        return method_result(node, of, node.name, [], [])

    def _call(self, node: ast.Call, context: Context) -> DataType:
        of = self.type_of(node.value, context)
        given = [self.type_of(each, context) for each in node.args]
        return method_result(node, of, node.method, node.args, given)

    def _index(self, node: ast.Index, context: Context) -> DataType:
        of, index = self.type_of(node.value, context), self.type_of(node.index, context)
        if kind(of) not in {"array", "bytes"}:
            raise SpecError(
                node.location, f"only arrays and bytes have elements, not {described(of)}"
            )
        if kind(index) != "integer":
            raise SpecError(
                node.index.location, f"expected integer as an index, got {described(index)}"
            )
        return of.element if isinstance(of, ArrayType) else IntType(signed=False, width=1)

    def _cast(self, node: ast.Cast, context: Context) -> DataType:
        node.to = pure_type(node.name, context.scope)
        if isinstance(node.value, ast.Array) and not node.value.elements:
            node.value.type = node.to
        elif self._running:  # what is cast may be an instance that is being typed
            self.casts.append((node.value, context))
        else:
            self._loosely(node.value, context)
        return node.to

    def _loosely(self, node: Expression, context: Context) -> DataType:
        """Type what is cast, whose mistakes about types are warned of.

        The official compiler does not ask for the type of what is cast.  So a member that the
        type lacks is found if the record is of another type than the spec says.
        """
        match node:
            case ast.UnaryOp(op="not") | ast.BoolOp() | ast.Ternary():
                parts = [self._loosely(each, context) for each in _operands(node)]
                try:
                    node.type = operation(node, parts)
                except SpecError as error:
                    self._warn(error)
                    node.type = AnyType()
            case ast.Array(elements=[_, *_]) if not all(map(_is_byte, node.elements)):
                parts = [self._loosely(each, context) for each in node.elements]
                node.type = self._mixed(node, parts)
            case ast.UnaryOp() if kind(of := self._loosely(node.operand, context)) == "boolean":
                message = f"unable to apply unary operator {node.op} to {described(of)}"
                self._warn(SpecError(node.location, message))
                node.type = IntType()
            case ast.Name() | ast.Attribute() if missing := self._missing(node, context):
                self._warn(missing)
                node.late, node.type = True, AnyType()
            case _:
                return self.type_of(node, context)
        return node.type

    def _mixed(self, node: ast.Array, parts: Sequence[DataType]) -> DataType:
        """Return the type of an array that is cast, whose elements may have several types."""
        try:
            return ArrayType(reduce(lambda some, each: common(some, each, node), parts))
        except SpecError as error:
            self._warn(error)
            return ArrayType(AnyType())

    def _missing(self, node: ast.Name | ast.Attribute, context: Context) -> SpecError | None:
        """Return the error for a member that no type in the spec is known to have."""
        name = node.id if isinstance(node, ast.Name) else node.name
        of: DataType = UserType(context.scope.type)
        if isinstance(node, ast.Attribute):
            of = self.type_of(node.value, context)
        if name.startswith("_") or not isinstance(of, UserType | OpaqueType):
            return None
        if isinstance(of, UserType) and of.type.member(name) is not None:
            return None
        known = of.type.name if isinstance(of, UserType) else "::".join(of.name)
        return SpecError(node.location, f"unable to access '{name}' in {known} context")

    def _warn(self, mistake: SpecError) -> None:
        self.problems.warn(mistake.location, f"{mistake.message}, before it is cast")

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

    def _operation(self, node: ast.Operation, context: Context) -> DataType:
        return operation(node, [self.type_of(each, context) for each in _operands(node)])

    _unaryop = _binaryop = _compare = _boolop = _ternary = _operation


def _operands(node: ast.Operation) -> list[Expression]:
    return cast("list[Expression]", operands(node))


def _levels(found: DataType) -> int:
    levels = 0
    while isinstance(found, ArrayType):
        levels += 1
        found = found.element
    return levels


def _is_byte(node: Expression) -> bool:
    return isinstance(node, ast.Literal_) and type(node.value) is int and node.value in BYTE_VALUES


def _named_values(member: ValueInstance, found: DataType, scope: Scope) -> DataType:
    if member.enum is None:
        return found
    if kind(found) != "integer":
        at = scope.unit.keyed_at[member]["enum"]
        raise SpecError(at, f"tried to resolve non-integer {described(found)} to enum")
    return EnumType(member.enum, found if isinstance(found, IntType) else IntType())
