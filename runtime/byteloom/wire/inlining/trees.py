"""Questions about the syntax tree of a `read` method."""

from __future__ import annotations

import ast
from typing import Final, TypeVar

__all__ = ["PLACES", "asks", "attribute_of", "is_usual", "literal", "method_of", "needs_place"]

_T = TypeVar("_T")

PLACES: Final = {
    "pos": "_at - r._start",
    "offset": "_at + r._origin",
    "left": "_max(_end - _at, 0)",
    "size": "_end - r._start",
    "eof": "_at >= _end",
}
"""Expressions for the properties of a reader that give its position, by the names of the
properties.
"""

_SIMPLE: Final = (ast.Expr, ast.Assign, ast.AnnAssign, ast.Break, ast.Return)
_CHOICES: Final = (ast.IfExp, ast.BoolOp, ast.Lambda, ast.GeneratorExp, ast.ListComp)


def method_of(node: ast.AST) -> str | None:
    """Return the method of the reader that *node* calls; None if it calls none."""
    function = node.func if isinstance(node, ast.Call) else None
    return attribute_of(function) if isinstance(function, ast.Attribute) else None


def attribute_of(node: ast.AST) -> str | None:
    """Return the attribute of the reader that *node* is; None if it is something else."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.attr if node.value.id == "r" else None
    return None


def literal(node: ast.AST, kind: type[_T]) -> _T | None:
    """Return the value of *node*, if it is a constant of this *kind*; otherwise None."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, kind) else None


def asks(node: ast.AST) -> bool:
    """Whether *node* calls a method of the reader."""
    return any(method_of(each) for each in ast.walk(node))


def needs_place(node: ast.AST) -> bool:
    """Whether *node* depends on where the reader is."""
    return any(attribute_of(each) in PLACES for each in ast.walk(node))


def is_usual(node: ast.FunctionDef) -> bool:
    """Whether a method has only statements that `Statements` can print."""
    named = known = 0
    for each in ast.walk(node):
        named += isinstance(each, ast.Name) and each.id == "r"
        known += method_of(each) is not None or attribute_of(each) in PLACES
        known += isinstance(each, ast.Assign) and ast.unparse(each) == "self._io = r"
    return named == known and all(map(_is_usual, node.body))


def _is_usual(node: ast.stmt) -> bool:
    if isinstance(node, ast.If):
        return not asks(node.test) and all(map(_is_usual, [*node.body, *node.orelse]))
    if isinstance(node, ast.For):
        inner = any(map(asks, ast.iter_child_nodes(node.iter)))
        return not (inner or node.orelse) and all(map(_is_usual, node.body))
    if isinstance(node, ast.Raise):
        return True
    value = getattr(node, "value", None)
    if isinstance(value, ast.IfExp) and isinstance(node, ast.Assign) and not asks(value.test):
        return _is_plain(value.body) and _is_plain(value.orelse)
    return isinstance(node, _SIMPLE) and (value is None or _is_plain(value))


def _is_plain(node: ast.expr) -> bool:
    """Whether *node* makes all its calls of the reader's methods, one after another."""
    return not any(isinstance(each, _CHOICES) and asks(each) for each in ast.walk(node))
