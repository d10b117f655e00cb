"""Long expressions in words, a line for each part.

Words in one line are hard to follow from some length on.  What has parts of one kind (a sum, a
chain of choices, conditions that are joined) is then a heading and a line for each part; a part
that is long itself is divided in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import StrType
from byteloom_codegen.reference.idioms import LOOSE, PRODUCT, TERNARY, left_in_stream
from byteloom_codegen.reference.prose import NEW_LINE, Words, in_words, joined, plain
from byteloom_codegen.reference.truths import same_compared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from byteloom_codegen.expressions import Expression

    Said: TypeAlias = Callable[[Expression, int], Words]

__all__ = ["LONG", "Outlines"]

LONG: Final = 160
"""The most letters of one line; more are hard to follow."""

_MOST: Final = 48
"""Lines that an outline may have."""

_BULLETS: Final = ("• ", "◦ ", "▪ ")
"""What a line begins with, by how deep its part is."""


class _Part(NamedTuple):
    """A part of an expression.

    head      words before it on its line
    is_truth  whether it is asked when the part is true, and not for its value
    least     how tightly its words have to belong together after the head
    """

    head: Words
    node: Expression
    is_truth: bool = False
    least: int = TERNARY


@dataclass(frozen=True, slots=True)
class Outlines:
    """Puts expressions in words.

    value  puts the value of an expression in words that bind so tightly, in one line
    truth  says when it is true, in the same way
    """

    value: Said
    truth: Said

    def of(self, node: Expression, *, is_truth: bool) -> Words:
        """Return *node* in words, in lines where one would be too long.

        Empty if even its parts are too long to be followed, or too many.
        """
        lines = list(self._lines(_Part((), node, is_truth), 0))
        if len(lines) > _MOST or any(len(plain(line)) > 2 * LONG for line in lines):
            return ()
        return tuple(joined(lines, NEW_LINE))

    def _lines(self, part: _Part, depth: int) -> Iterator[Words]:
        """Yield the line of *part*, and those of its own parts."""
        words = (self.truth if part.is_truth else self.value)(part.node, part.least)
        found = () if len(plain(words)) <= LONG or depth == len(_BULLETS) else self._divided(part)
        if not found:
            yield in_words(part.head, words)
            return
        head, parts = found
        yield in_words(part.head, head)
        for each in parts:
            first, *others = self._lines(each, depth + 1)
            yield in_words(_BULLETS[depth], first)
            yield from others

    def _divided(self, part: _Part) -> tuple[Words, list[_Part]] | tuple[()]:
        """Return the heading and the parts of *part*; nothing if it has none."""
        whether = "" if part.is_truth else "whether "
        match part.node:
            case ast.Cast(value=value):
                return self._divided(part._replace(node=value))
            case ast.BoolOp(op="or") as node if compared := same_compared(node):
                head = in_words(whether, self.value(compared[0].left, LOOSE), " is one of these:")
                return head, [_Part((), each.right) for each in compared]
            case ast.BoolOp(op=op) as node:
                parts = [_Part((), each, is_truth=True) for each in _chain(node, {op})]
                return in_words(f"{whether}{_JOINED[op]}:"), parts
            case ast.UnaryOp(op="not", operand=ast.BoolOp(op=op) as node):
                parts = [_Part((), each, is_truth=True) for each in _chain(node, {op})]
                return in_words(f"{whether}{_NOT_JOINED[op]}:"), parts
            case ast.Ternary() as node:
                end = " is true:" if part.is_truth else ":"
                head = in_words("the first of these that applies", end)
                return head, list(self._choices(node, is_truth=part.is_truth))
            case ast.BinaryOp(op="+" | "-") as node if not isinstance(node.type, StrType):
                return in_words("the sum of:"), list(_terms(node))
            case ast.BinaryOp(op="+" | "|" | "^" as op) as node:
                return in_words(_WHOLE[op]), [_Part((), each) for each in _chain(node, {op})]
        return ()

    def _choices(self, node: Expression, *, is_truth: bool) -> Iterator[_Part]:
        while isinstance(node, ast.Ternary):
            head = in_words("if ", self.truth(node.condition, TERNARY), ": ")
            yield _Part(head, node.yes, is_truth)
            node = node.no
        yield _Part(in_words("otherwise: "), node, is_truth)


_JOINED: Final = {"and": "all of these are true", "or": "at least one of these is true"}
_NOT_JOINED: Final = {"and": "not all of these are true", "or": "none of these is true"}
_WHOLE: Final = {
    "+": "these texts one after the other:",
    "|": "all of these joined by bitwise-or:",
    "^": "all of these joined by bitwise-xor:",
}


def _chain(node: Expression, ops: set[str]) -> list[Expression]:
    """Return what *ops* join in *node*, from left to right."""
    found: list[Expression] = []
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, ast.BoolOp | ast.BinaryOp) and each.op in ops:
            waiting += [each.right, each.left]
        else:
            found.append(each)
    return found


def _terms(node: Expression) -> Iterator[_Part]:
    """Yield the terms of a sum, those that are subtracted as such."""
    terms: list[_Part] = []
    while isinstance(node, ast.BinaryOp) and node.op in {"+", "-"} and not left_in_stream(node):
        minus = _Part(in_words("minus "), node.right, least=PRODUCT)
        terms.append(minus if node.op == "-" else _Part((), node.right))
        node = node.left
    yield _Part((), node)
    yield from reversed(terms)
