"""The language's own operators, methods and attributes: what they return, and what they refuse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from byteloom_codegen import expressions as ast
from byteloom_codegen.errors import SpecError
from byteloom_codegen.expressions import Literal_
from byteloom_codegen.frontend.kinds import combined, described, kind
from byteloom_codegen.model import (
    ArrayType,
    BoolType,
    BytesType,
    DataType,
    FloatType,
    IntType,
    IoType,
    StrType,
    StructType,
)

if TYPE_CHECKING:
    from byteloom_codegen.expressions import Expression

__all__ = ["METHODS", "Method", "check_comparable", "common", "method_result", "operation"]


_NUMBERS = {"integer", "float"}


def operation(node: ast.Operation, found: list[DataType]) -> DataType:
    """Return the type of an operation on operands of the types *found*, or refuse it."""
    match node:
        case ast.UnaryOp():
            return _unary(node, *found)
        case ast.BinaryOp():
            return _binary(node, *found)
        case ast.Compare():
            ordered = node.op not in {"==", "!="}
            check_comparable(found[0], found[1], node, ordered=ordered)
            if ordered and kind(found[0]) == "enum":
                message = f"unable to apply operator {node.op} to enums"
                raise SpecError(node.location, message, "compare their numbers: .to_i")
            return BoolType()
        case ast.BoolOp():
            for each, type_ in zip((node.left, node.right), found, strict=True):
                _check_boolean(each, type_, f"as an argument of '{node.op}'")
            return BoolType()
    _check_boolean(node.condition, found[0], "before '?'")
    return common(found[1], found[2], node)


def _unary(node: ast.UnaryOp, operand: DataType) -> DataType:
    """Return the type of ``-x``, ``~x`` or ``not x``."""
    wanted = {"-": _NUMBERS, "~": {"integer"}, "not": {"boolean"}}[node.op]
    if kind(operand) not in wanted:
        message = f"unable to apply unary operator {node.op} to {described(operand)}"
        raise SpecError(node.location, message)
    if node.op == "not":
        return BoolType()
    return FloatType() if kind(operand) == "float" else IntType()


def _binary(node: ast.BinaryOp, left: DataType, right: DataType) -> DataType:
    """Return the type of arithmetic, of bit operators, and of joined strings."""
    kinds = {kind(left), kind(right)}
    if node.op == "+" and kinds == {"string"}:
        return StrType()
    if not kinds <= (_NUMBERS if node.op in {"+", "-", "*", "/", "%"} else {"integer"}):
        message = f"can't apply operator {node.op} to {described(left)} and {described(right)}"
        joins = node.op == "+" and kinds == {"integer", "string"}
        hint = "turn the integer into a string: .to_s" if joins else ""
        raise SpecError(node.location, message, hint)
    return FloatType() if "float" in kinds else IntType()


def check_comparable(
    left: DataType, right: DataType, node: Expression, *, ordered: bool = False
) -> None:
    """Refuse to compare values of unrelated types or, if *ordered*, values without an order."""
    kinds = {kind(left), kind(right)}
    if combined(left, right) is None or kinds & {"record", "array", "stream", "any"}:
        message = f"can't compare {described(left)} and {described(right)}"
        hint = "compare its number: .to_i" if kinds == {"enum", "integer"} else ""
        raise SpecError(node.location, message, hint)
    if ordered and kinds == {"boolean"}:
        raise SpecError(node.location, f"{described(left)} has no order, only == and !=")


def _check_boolean(node: Expression, found: DataType, use: str) -> None:
    """Refuse anything but a truth value; *use* says in the error what it is for."""
    if kind(found) != "boolean":
        raise SpecError(node.location, f"unable to use {described(found)} {use}, expected boolean")


def common(left: DataType, right: DataType, node: Expression) -> DataType:
    """Return the type that covers both, or refuse."""
    found = combined(left, right)
    if found is None:
        message = f"can't combine output types: {described(left)} and {described(right)}"
        raise SpecError(node.location, message)
    return found


_INT: Final = IntType()


@dataclass(frozen=True, slots=True)
class Method:
    """One method.

    result   its type; None for the element of the array
    args     lists of the argument kinds it takes: () for no arguments, "literal" for a literal text
    """

    result: DataType | None
    args: tuple[tuple[str, ...], ...] = ((),)

    def wanted(self) -> str:
        """Return what a message says about the arguments."""
        return " or ".join(f"({', '.join(_value_kinds(each))})" for each in self.args)


METHODS: Final[dict[str, dict[str, Method]]] = {
    "integer": {"to_s": Method(StrType())},
    "float": {"to_i": Method(_INT)},
    "boolean": {"to_i": Method(_INT)},
    "enum": {"to_i": Method(_INT)},
    "string": {
        "length": Method(_INT),
        "reverse": Method(StrType()),
        "to_i": Method(_INT, ((), ("integer",))),
        "to_b": Method(BytesType(), (("literal",),)),
        "substring": Method(StrType(), (("integer", "integer"),)),
    },
    "bytes": {
        "length": Method(_INT),
        "size": Method(_INT),
        "first": Method(IntType(signed=False, width=1)),
        "last": Method(IntType(signed=False, width=1)),
        "min": Method(IntType(signed=False, width=1)),
        "max": Method(IntType(signed=False, width=1)),
        "to_s": Method(StrType(), (("literal",),)),
        "index_of": Method(_INT, (("integer",),)),
    },
    "array": {
        "first": Method(None),
        "last": Method(None),
        "size": Method(_INT),
        "min": Method(None),
        "max": Method(None),
    },
    "stream": {"size": Method(_INT), "pos": Method(_INT), "eof": Method(BoolType())},
    "record": {
        "_io": Method(IoType()),
        "_parent": Method(StructType()),
        "_root": Method(StructType()),
    },
}


def method_result(
    node: Expression, of: DataType, name: str, args: list[Expression], given: list[DataType]
) -> DataType:
    """Return the type of ``of.name(args)``; *given* are the types of *args*."""
    known = METHODS.get(kind(of), {})
    if name not in known:
        hint = f"{described(of)} has {', '.join(sorted(known))}" if known else ""
        message = f"don't know how to call method '{name}' of {described(of)}"
        raise SpecError(node.location, message, hint)
    method, kinds = known[name], tuple(kind(each) for each in given)
    if kinds not in {tuple(_value_kinds(wanted)) for wanted in method.args}:
        message = f"wrong arguments to method call `{name}` on {described(of)}"
        expected = f"expected {method.wanted()}, got ({', '.join(kinds)})"
        raise SpecError(node.location, f"{message}: {expected}")
    for each, wanted in zip(args, method.args[-1], strict=False):
        if wanted == "literal" and not isinstance(each, Literal_):
            raise SpecError(each.location, f"{name}: expected string literal as the encoding")
    if method.result is None and isinstance(of, ArrayType):
        return of.element
    return method.result or IntType()


def _value_kinds(wanted: tuple[str, ...]) -> list[str]:
    return ["string" if each == "literal" else each for each in wanted]
