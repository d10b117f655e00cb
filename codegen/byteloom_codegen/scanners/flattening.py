"""Long chains of operators as trees that are not deep, for loops that numba compiles.

``a + b - c + ...`` is printed in groups of two, and so are the other operators whose order does not
matter.  In a difference, all added terms are one group and all subtracted ones another.  What
scanners calculate with are integers of known ranges, so that grouping does not change the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from byteloom_codegen import expressions as ast
from byteloom_codegen.joints import operands
from byteloom_codegen.scanners.refusals import NotScannableError

if TYPE_CHECKING:
    from collections.abc import Sequence


__all__ = ["check_depth", "flattened"]

MAX_DEEP: Final = 200
"""The most operators each in an operand of the next, after chains are grouped."""

_SUM: Final = {"+", "-"}
_ASSOCIATIVE: Final = {"+", "-", "*", "&", "|", "^", "and", "or"}
_Chain: TypeAlias = ast.BinaryOp | ast.BoolOp


def flattened(node: ast.Expression) -> ast.Expression:
    """Return a deep expression with its outermost chain in groups of two, or refuse it."""
    if isinstance(node, ast.BinaryOp | ast.BoolOp) and node.op in _ASSOCIATIVE:
        node = _grouped(node)
    check_depth(node)
    return node


def check_depth(node: ast.Expression) -> None:
    """Refuse an expression that is too deep for a loop, even in groups."""
    waiting: list[tuple[ast.Node, int]] = [(node, 0)]
    while waiting:
        each, depth = waiting.pop()
        if depth > MAX_DEEP:
            reason = f"scanners take {MAX_DEEP} operators in each other at most"
            raise NotScannableError(node.location, reason)
        waiting += [(part, depth + 1) for part in _operands(each)]


def _operands(node: ast.Node) -> Sequence[ast.Node]:
    """Return the operands of *node*: of a chain all its terms, as many as it has."""
    if not isinstance(node, ast.BinaryOp | ast.BoolOp) or node.op not in _ASSOCIATIVE:
        return operands(node)
    added, taken = _terms(node)
    return [*added, *taken]


def _terms(node: _Chain) -> tuple[list[ast.Expression], list[ast.Expression]]:
    """Return what a chain joins from left to right, and what it subtracts."""
    links, first = [node], node.left
    while isinstance(first, ast.BinaryOp | ast.BoolOp) and _continues(first.op, node.op):
        links.append(first)
        first = first.left
    links.reverse()
    taken = [each.right for each in links if each.op == "-"]
    return [first, *(each.right for each in links if each.op != "-")], taken


def _continues(before: str, op: str) -> bool:
    """Whether the operator *op* continues a chain of *before*."""
    return op == before or {before, op} == _SUM


def _grouped(node: _Chain) -> ast.Expression:
    added, taken = _terms(node)
    if not taken:
        return _in_pairs(node, added)
    return _pair(node, "-", _in_pairs(node, added), _in_pairs(node, taken))


def _in_pairs(like: _Chain, parts: list[ast.Expression]) -> ast.Expression:
    op = "+" if like.op == "-" else like.op
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2], strict=False)
        rest = parts[-1:] if len(parts) % 2 else []
        parts = [*(_pair(like, op, left, right) for left, right in pairs), *rest]
    return parts[0]


def _pair(like: _Chain, op: str, left: ast.Expression, right: ast.Expression) -> _Chain:
    found: _Chain
    match op:
        case "and" | "or":
            found = ast.BoolOp(location=like.location, op=op, left=left, right=right)
        case "+" | "-" | "*" | "&" | "|" | "^":
            found = ast.BinaryOp(location=like.location, op=op, left=left, right=right)
        case _:
            raise TypeError(op)
    found.type = like.type
    return found
