"""Conditions of KSY in words: when an expression is true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import BitsType, IoType
from byteloom_codegen.nodes import alternatives
from byteloom_codegen.python.sizes import literal
from byteloom_codegen.reference.idioms import AND, ATOM, COMPARE, LOOSE, OF, OR, TERNARY, selected
from byteloom_codegen.reference.prose import Words, code, in_words, joined
from byteloom_codegen.unparse import unparse

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.reference.idioms import Selected

    Value: TypeAlias = Callable[[Expression, int], Words]

__all__ = ["Truths", "same_compared"]

_COMPARED: Final = {
    "==": "is", "!=": "is not", "<": "is less than", "<=": "is at most", ">": "is greater than",
    ">=": "is at least",
}  # fmt: skip
_OPPOSITE: Final = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


class Truths:
    """Puts conditions in words."""

    def __init__(self, value: Value) -> None:
        """Keep *value*, which puts an expression in words that bind as tightly as asked."""
        self._value = value

    def truth(self, node: Expression, least: int = TERNARY) -> Words:
        """Return when *node* is true, in parentheses where it binds less tightly than *least*."""
        words, bound = self._true(node)
        return in_words("(", words, ")") if bound < least else words

    def _true(self, node: Expression) -> tuple[Words, int]:
        match node:
            case ast.BoolOp(op="or") if choice := self._one_of(node):
                return choice, COMPARE
            case ast.BoolOp(op="and") if span := self._between(node):
                return span, COMPARE
            case ast.BoolOp(op=op, left=left, right=right):
                bound = AND if op == "and" else OR
                # beside the other of the two words each side has parentheses
                sides = (self.truth(each, _side(each, op)) for each in (left, right))
                return tuple(joined(sides, f" {op} ")), bound
            case ast.UnaryOp(op="not", operand=operand):
                return self._false(operand)
            case ast.Compare():
                return self._compared(node.op, node.left, node.right), COMPARE
            case ast.Literal_(value=bool() as value):
                return in_words("always" if value else "never"), ATOM
            case ast.Attribute(name="eof", value=value) if isinstance(value.type, IoType):
                return in_words(self._value(value, OF), " is at its end"), COMPARE
        return in_words(self._value(node, OF), " is set" if _is_bit(node) else " is true"), COMPARE

    def _one_of(self, node: ast.BoolOp) -> Words:
        """Return words for one value compared with several; nothing for anything else."""
        compared = same_compared(node)
        if not compared:
            return ()
        *others, last = (self._value(side.right, LOOSE) for side in compared)
        words = in_words(self._value(compared[0].left, LOOSE), " is ", tuple(joined(others, ", ")))
        return in_words(words, " or ", last)

    def _between(self, node: ast.BoolOp) -> Words:
        """Return words for one value compared with a smallest and a largest; else nothing."""
        match node.left, node.right:
            case ast.Compare(op=">=", left=one, right=least), ast.Compare(
                op="<=", left=other, right=most
            ) if unparse(one) == unparse(other):
                words = in_words(self._value(one, LOOSE), " is from ", self._value(least, LOOSE))
                return in_words(words, " to ", self._value(most, LOOSE))
        return ()

    def _false(self, node: Expression) -> tuple[Words, int]:
        match node:
            case ast.Compare(op=op, left=left, right=right):
                return self._compared(_OPPOSITE[op], left, right), COMPARE
            case ast.UnaryOp(op="not", operand=operand):
                return self._true(operand)
            case ast.BoolOp():
                return in_words("not (", self.truth(node), ")"), COMPARE
            case ast.Attribute(name="eof", value=value) if isinstance(value.type, IoType):
                return in_words(self._value(value, OF), " is not at its end"), COMPARE
        words = " is not set" if _is_bit(node) else " is false"
        return in_words(self._value(node, OF), words), COMPARE

    def _compared(self, op: str, left: Expression, right: Expression) -> Words:
        known = literal(right)
        bits = selected(left)
        if bits is not None and known is not None and op in {"==", "!="}:
            found = self._bits_compared(bits, known, is_equal=op == "==")
            if found:
                return found
        if isinstance(right, ast.Literal_) and isinstance(right.value, bool) and op == "==":
            return self.truth(left) if right.value else self._false(left)[0]
        return in_words(self._value(left, LOOSE), f" {_COMPARED[op]} ", self._value(right, LOOSE))

    def _bits_compared(self, bits: Selected, value: int, *, is_equal: bool) -> Words:
        """Return words for bits compared with a number; nothing if there are no shorter ones."""
        of = self._value(bits.of, OF)
        if bits.is_one and value in {0, bits.full}:
            is_set = is_equal == (value != 0)
            return in_words(f"{bits.bits} of ", of, " is set" if is_set else " is clear")
        if value == 0:
            if is_equal:
                return in_words(f"{bits.bits} of ", of, " are all clear")
            return in_words(f"any of {bits.bits} of ", of, " is set")
        if value == bits.full:
            verb = " are all set" if is_equal else " are not all set"
            return in_words(f"{bits.bits} of ", of, verb)
        if bits.is_run and value & ~bits.full == 0:
            number = value if bits.shifted else value >> bits.lowest
            verb = " are " if is_equal else " are not "
            return in_words(f"{bits.bits} of ", of, verb, code(str(number)))
        return ()


def same_compared(node: ast.BoolOp) -> list[ast.Compare]:
    """Return the comparisons that *node* joins with ``or`` if all are of one value; else none."""
    sides = list(alternatives(node))
    compared = [side for side in sides if isinstance(side, ast.Compare) and side.op == "=="]
    values = {unparse(side.left) for side in compared}
    bits = selected(compared[0].left) if compared else None
    if len(compared) != len(sides) or len(values) != 1 or (bits and not bits.shifted):
        return []
    return compared


def _side(node: Expression, op: str) -> int:
    """Return how tightly a side of *op* has to bind to need no parentheses."""
    return (
        AND
        if isinstance(node, ast.BoolOp) and node.op == op == "and"
        else (OR if isinstance(node, ast.BoolOp) and node.op == op else COMPARE)
    )


def _is_bit(node: Expression) -> bool:
    """Whether *node* is a field of one bit."""
    target = getattr(node, "target", None)
    return isinstance(getattr(target, "type", None), BitsType)
