"""Expressions that replace properties of a record: what the property calculates."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from byteloom.wire.inlining.sources import value_of

if TYPE_CHECKING:
    from types import FunctionType

__all__ = ["Properties"]

_MOST_LEVELS: Final = 4
"""How deeply replaced properties may be nested in one another."""

_MOST_NODES: Final = 60
"""Nodes that the expression of a replaced property may have."""


class Properties(ast.NodeTransformer):
    """Replaces properties of the record whose method is printed."""

    def __init__(self, cls: type, method: FunctionType) -> None:
        """Begin with a *method* of *cls*, whose local names no replaced property may use."""
        self._cls, self._levels = cls, 0
        self._locals = {*method.__code__.co_varnames} - {"self"}

    def in_place(self, node: ast.Attribute) -> ast.expr | None:
        """Return the expression of a property of the record, if it is short; otherwise None."""
        value = self._short(node)
        if value is None:
            return None
        self._levels += 1
        text = ast.unparse(self.visit(value))
        self._levels -= 1
        return ast.Name(f"({text})")

    def _short(self, node: ast.Attribute) -> ast.expr | None:
        if not isinstance(node.value, ast.Name) or node.value.id != "self":
            return None
        value = value_of(self._cls, node.attr) if self._levels < _MOST_LEVELS else None
        inside = [] if value is None else [*ast.walk(value)]
        names = {each.id for each in inside if isinstance(each, ast.Name)}
        scopes = any(isinstance(each, ast.Lambda | ast.comprehension) for each in inside)
        is_short = len(inside) < _MOST_NODES and not scopes
        return value if is_short and self._locals.isdisjoint(names) else None
