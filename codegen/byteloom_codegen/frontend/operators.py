"""The types that operators return, and the types of operands that they refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom_codegen import expressions as ast
from byteloom_codegen.errors import SpecError
from byteloom_codegen.frontend.kinds import combined, described, kind
from byteloom_codegen.model import BoolType, DataType, FloatType, IntType, StrType

if TYPE_CHECKING:
    from byteloom_codegen.expressions import Expression

__all__ = ["check_comparable", "common", "operation"]

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
