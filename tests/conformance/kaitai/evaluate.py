"""KSY expressions evaluated against objects: what an assertion says, with no code generated for it.

Values are looked at as they are: an integer is an ``int``, null is ``None``, an enum's label is an
`EnumValue` until it is compared.  Casts say nothing at run time, but that numbers are bytes.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from byteloom_codegen import expressions as ast

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["EnumValue", "Evaluator", "Record"]

_BINARY: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "%": operator.mod, "&": operator.and_,
    "|": operator.or_, "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift,
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge,
}  # fmt: skip


_UNARY: Final[dict[str, Callable[[Any], Any]]] = {
    "-": operator.neg,
    "~": operator.inv,
    "not": operator.not_,
}


class Record(Protocol):
    """How a form of generated code lets its records be looked at."""

    def is_record(self, value: object) -> bool:
        """Whether *value* is a record."""

    def is_stream(self, value: object) -> bool:
        """Whether *value* is a stream."""

    def member(self, record: Any, name: str) -> Any:
        """Return the member *name* of a record; None where an optional one is not there."""

    def stream(self, stream: Any, name: str) -> Any:
        """Return ``pos``, ``size`` or ``eof`` of a stream."""


@dataclass(frozen=True, slots=True)
class EnumValue:
    """A label as written: ``top::enum::label``."""

    names: tuple[str, ...]
    label: str


@dataclass(frozen=True, slots=True)
class Evaluator:
    """Evaluates expressions in the scope of *root*."""

    form: Record
    root: Any

    def __call__(self, node: ast.Expression) -> Any:
        """Return the value of *node*."""
        match node:
            case ast.Literal_(value=value):
                return value
            case ast.Array(elements=elements):
                return [self(each) for each in elements]
            case ast.EnumLabel(names=names, label=label):
                return EnumValue(names, label)
            case ast.Name(id=name):
                return None if name == "null" else self.form.member(self.root, name)
        return self._of_value(node)

    def _of_value(self, node: ast.Expression) -> Any:
        match node:
            case ast.Cast(value=value, name=name):
                plain = self(value)
                is_bytes = name.names == ("bytes",) and not name.array and isinstance(plain, list)
                return bytes(plain) if is_bytes else plain
            case ast.Attribute(value=value, name=name):
                return self._attribute(self(value), name, [])
            case ast.Call(value=value, method=name, args=args):
                return self._attribute(self(value), name, [self(arg) for arg in args])
            case ast.Index(value=value, index=index):
                return self(value)[self(index)]
        return self._operator(node)

    def _operator(self, node: ast.Expression) -> Any:
        match node:
            case ast.UnaryOp(op=op, operand=operand):
                return _UNARY[op](self(operand))
            case ast.BinaryOp(op="/", left=left, right=right):
                a, b = self(left), self(right)
                return a / b if isinstance(a, float) or isinstance(b, float) else a // b
            case (
                ast.BinaryOp(op=op, left=left, right=right)
                | ast.Compare(op=op, left=left, right=right)
            ):
                return _BINARY[op](self(left), self(right))
            case ast.BoolOp(op="and", left=left, right=right):
                return self(left) and self(right)
            case ast.BoolOp(left=left, right=right):
                return self(left) or self(right)
            case ast.Ternary(condition=condition, yes=yes, no=no):
                return self(yes) if self(condition) else self(no)
        raise NotImplementedError(f"no {type(node).__name__} in assertions")

    def _attribute(self, value: Any, name: str, args: list[Any]) -> Any:
        if self.form.is_record(value):
            return self.form.member(value, name)
        if self.form.is_stream(value):
            return self.form.stream(value, name)
        return _METHODS[name](value, *args)


_METHODS: Final[dict[str, Callable[..., Any]]] = {
    "first": lambda value: value[0],
    "last": lambda value: value[-1],
    "length": len,
    "max": max,
    "min": min,
    "reverse": lambda value: value[::-1],
    "size": len,
    "substring": lambda value, start, stop: value[start:stop],
    "to_b": lambda value, encoding: value.encode(encoding),
    "to_i": int,
    "to_s": lambda value, *encoding: value.decode(*encoding) if encoding else str(value),
}
"""What the language itself knows to do with plain values."""
