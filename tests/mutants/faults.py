"""What can be wrong in Python source: one small fault at a time, as an edit of the text.

Each fault is a mistake that people make: a limit that is off by one, a guard that is missing or the
wrong way round, the other byte order, the other operator, a forgotten statement.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Fault", "faults"]


class Fault(NamedTuple):
    """A fault as an edit of a file: the characters from *start* to *end* become *text*."""

    kind: str
    line: int
    start: int
    end: int
    text: str

    def applied(self, source: str) -> str:
        """Return *source* with the fault in it."""
        return source[: self.start] + self.text + source[self.end :]


_COMPARISONS: Final[dict[type[ast.cmpop], tuple[str, str, str]]] = {
    ast.Lt: ("boundary", "<", "<="),
    ast.LtE: ("boundary", "<=", "<"),
    ast.Gt: ("boundary", ">", ">="),
    ast.GtE: ("boundary", ">=", ">"),
    ast.Eq: ("comparison", "==", "!="),
    ast.NotEq: ("comparison", "!=", "=="),
    ast.In: ("comparison", "in", "not in"),
    ast.NotIn: ("comparison", "not in", "in"),
    ast.Is: ("comparison", "is", "is not"),
    ast.IsNot: ("comparison", "is not", "is"),
}
_OPERATORS: Final[dict[type[ast.operator | ast.boolop], tuple[str, str]]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "//"),
    ast.FloorDiv: ("//", "*"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
}
_ORDERS: Final = {"little": "big", "big": "little", "<": ">", ">": "<"}
_LEAVING: Final = (ast.Raise, ast.Return, ast.Continue, ast.Break)


def faults(source: str) -> list[Fault]:
    """Return every fault that can be put into *source*, a module, in the order of its text."""
    tree = ast.parse(source)
    text = _Text(source)
    found = [fault for node in _runs(tree) for fault in _of(node, text)]
    return sorted(set(found), key=lambda fault: (fault.start, fault.end, fault.text))


class _Text:
    """The source of a module, and the places of its nodes, in characters."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._lines = source.splitlines(keepends=True)
        self._begins = [0]
        for line in self._lines:
            self._begins.append(self._begins[-1] + len(line))

    def start(self, node: ast.expr | ast.stmt) -> int:
        return self._at(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt) -> int:
        return self._at(node.end_lineno or 0, node.end_col_offset or 0)

    def of(self, node: ast.expr | ast.stmt) -> str:
        return self.source[self.start(node) : self.end(node)]

    def _at(self, line: int, column: int) -> int:
        return self._begins[line - 1] + len(self._lines[line - 1].encode()[:column].decode())

    def between(
        self, kind: str, left: ast.expr, right: ast.expr, change: tuple[str, str]
    ) -> Iterator[Fault]:
        """Replace the operator between two nodes; not where a comment has the same sign."""
        begin, end = self.end(left), self.start(right)
        old, new = change
        if self.source.count(old, begin, end) == 1:
            at = self.source.index(old, begin, end)
            line = self.source.count("\n", 0, at) + 1
            yield Fault(kind, line, at, at + len(old), new)

    def replaced(self, kind: str, node: ast.expr | ast.stmt, text: str) -> Fault:
        """Replace a whole node."""
        return Fault(kind, node.lineno, self.start(node), self.end(node), text)


def _runs(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that do something when they run: no annotations, docstrings or imports.

    Assertions that two lists have the same length are left out as well.
    """
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or _is_idle(child):
                continue
            yield child
            yield from _runs(child)


def _is_idle(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING"
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0]) == "__all__"
    if isinstance(node, ast.keyword):
        return node.arg == "strict"  # of `zip`: it asserts what is true anyway
    return isinstance(node, (ast.Import, ast.ImportFrom, ast.JoinedStr))


def _of(node: ast.AST, text: _Text) -> Iterator[Fault]:  # noqa: C901  (a case per mistake)
    match node:
        case ast.Compare():
            sides = [node.left, *node.comparators]
            for left, operator, right in zip(sides, node.ops, node.comparators, strict=False):
                kind, old, new = _COMPARISONS[type(operator)]
                yield from text.between(kind, left, right, (old, new))
        case ast.BinOp() if type(node.op) in _OPERATORS:
            change = _OPERATORS[type(node.op)]
            yield from text.between("operator", node.left, node.right, change)
        case ast.BoolOp():
            change = _OPERATORS[type(node.op)]
            for left, right in zip(node.values, node.values[1:], strict=False):
                yield from text.between("operator", left, right, change)
        case ast.If():
            condition = text.of(node.test)
            yield text.replaced("negated guard", node.test, f"not ({condition})")
            if isinstance(node.body[0], _LEAVING) and not node.orelse:
                yield text.replaced("dropped guard", node.test, "False")
        case ast.Constant(value=bool()):
            yield text.replaced("comparison", node, str(not node.value))
        case ast.Constant(value=int() as number):
            yield text.replaced("off by one", node, str(number + 1))
        case ast.Constant(value=str() as value) if value[:1] in _ORDERS or value in _ORDERS:
            yield from _other_order(node, value, text)
        case ast.Expr(value=ast.Call()) | ast.AugAssign():
            yield text.replaced("dropped statement", node, "pass")


def _other_order(node: ast.Constant, value: str, text: _Text) -> Iterator[Fault]:
    """The other byte order, of a name (`little`) or of a format (`<u4`)."""
    is_format = len(value) > 1 and value[0] in "<>" and value[1:].isalnum()
    if value in {"little", "big"} or is_format:
        other = _ORDERS[value[0]] + value[1:] if is_format else _ORDERS[value]
        yield text.replaced("byte order", node, repr(other))
