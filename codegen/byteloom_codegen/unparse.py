"""KSY expressions as KSY text: for people to read, and to compare two expressions by.

The text parses back to the same tree.  Parentheses come out only where the tree needs them, numbers
are decimal but for the masks of explicit text, strings are double-quoted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom_codegen import expressions as ast
from byteloom_codegen.joints import kept
from byteloom_codegen.precedence import (
    AND,
    BINARY,
    BIT_OR,
    COMPARE,
    NOT,
    OR,
    POSTFIX,
    TERNARY,
    UNARY,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from byteloom_codegen.model import Member

__all__ = ["unparse"]

_BINDS: Final = BINARY | {"and": AND, "or": OR}

_ESCAPES: Final = {"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r", "\t": r"\t", "\0": r"\u0000"}

_ATOM: Final = POSTFIX + 1
_MASKS: Final = frozenset("&|^")
_ARITHMETIC: Final = frozenset({"+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">="})
"""Operators that every language groups alike; it is those of bits that differ."""
_JOINING: Final = frozenset({"and", "or"})
_TWO_DIGITS: Final = 10


def _own_name(written: str, target: Member | None) -> str:
    del target
    return written


def unparse(
    node: ast.Expression,
    name: Callable[[str, Member | None], str] = _own_name,
    *,
    explicit: bool = False,
) -> str:
    """Return *node* as KSY text.

    name      what to print for a name, given as written and with the member it leads to
    explicit  whether it is for readers who do not know the language: masks of two digits and more
              are printed in hexadecimal, and parentheses stand around operations that other
              languages would group otherwise
    """
    return _Unparser(name, explicit=explicit).text(node)


class _Unparser:
    """Prints nodes; every method returns a text and how tightly it binds."""

    def __init__(self, name: Callable[[str, Member | None], str], *, explicit: bool) -> None:
        self.name = name
        self.explicit = explicit
        self.known: dict[int, tuple[str, int]] = {}

    def text(self, node: ast.Expression, least: int = TERNARY) -> str:
        """Return *node*, in parentheses where it binds less tightly than *least*."""
        text, binds = self._bound(node)
        return f"({text})" if binds < least else text

    def _bound(self, node: ast.Node) -> tuple[str, int]:
        return kept(self.known, node, self._printed)

    def _printed(self, node: ast.Node) -> tuple[str, int]:
        match node:
            case ast.Ternary(condition=condition, yes=yes, no=no):
                return f"{self.text(condition, OR)} ? {self.text(yes)} : {self.text(no)}", TERNARY
            case (
                ast.BoolOp(op=op, left=left, right=right)
                | ast.BinaryOp(op=op, left=left, right=right)
            ):
                binds = _BINDS[op]
                sides = self._side(left, op, binds), self._side(right, op, binds + 1)
                return f"{sides[0]} {op} {sides[1]}", binds
            case ast.Compare(op=op, left=left, right=right):
                sides = self._side(left, op, BIT_OR), self._side(right, op, BIT_OR, left)
                return f"{sides[0]} {op} {sides[1]}", COMPARE
            case ast.UnaryOp(op="not", operand=operand):
                return f"not {self.text(operand, NOT)}", NOT
            case ast.UnaryOp(op=op, operand=operand):
                return f"{op}{self.text(operand, UNARY)}", UNARY
            case ast.Literal_(value=value):
                return _literal(value), _ATOM
            case ast.Array(elements=elements):
                return f"[{self._list(elements)}]", _ATOM
            case ast.FString(parts=parts):
                return self._f_string(parts), _ATOM
            case ast.EnumLabel(names=names, label=label):
                return "::".join((*names, label)), _ATOM
            case ast.Name(id=written, target=target):
                return self.name(written, target), _ATOM
            case _:
                return self._postfix(node), POSTFIX

    def _side(
        self, node: ast.Expression, op: str, least: int, other: ast.Expression | None = None
    ) -> str:
        """Return a side of *op* as text; an explicit one as every reader groups it.

        other  what it is compared with: bits are compared with a number in hexadecimal
        """
        if not self.explicit:
            return self.text(node, least)
        is_mask = op in _MASKS or (isinstance(other, ast.BinaryOp) and other.op in _MASKS)
        if is_mask and isinstance(node, ast.Literal_):
            value = node.value
            if isinstance(value, int) and not isinstance(value, bool) and value >= _TWO_DIGITS:
                return f"{value:#x}"
        inner = node.op if isinstance(node, ast.BinaryOp | ast.BoolOp | ast.Compare) else op
        is_clear = {inner, op} <= _ARITHMETIC or (op in _JOINING and inner not in _JOINING)
        return self.text(node, least if inner == op or is_clear else _ATOM)

    def _postfix(self, node: ast.Node) -> str:
        match node:
            case ast.Attribute(value=value, name=written, target=target):
                return f"{self.text(value, POSTFIX)}.{self.name(written, target)}"
            case ast.Call(value=value, method=method, args=args):
                return f"{self.text(value, POSTFIX)}.{method}({self._list(args)})"
            case ast.Index(value=value, index=index):
                return f"{self.text(value, POSTFIX)}[{self.text(index)}]"
            case ast.Cast(value=value, name=name):
                return f"{self.text(value, POSTFIX)}.as<{name}>"
            case ast.SizeOf(name=ast.TypeName() as name, bits=bits):
                return f"{'bitsizeof' if bits else 'sizeof'}<{name}>"
            case ast.SizeOf(operand=operand):
                return "_sizeof" if operand is None else f"{self.text(operand, POSTFIX)}._sizeof"
        raise TypeError(node)

    def _list(self, nodes: Sequence[ast.Expression]) -> str:
        return ", ".join(map(self.text, nodes))

    def _f_string(self, parts: Sequence[str | ast.Expression]) -> str:
        inside = (
            _escaped(each).replace("{", r"\u007b")
            if isinstance(each, str)
            else f"{{{self.text(each)}}}"
            for each in parts
        )
        return f'f"{"".join(inside)}"'


def _literal(value: float | str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{_escaped(value)}"' if isinstance(value, str) else repr(value)


def _escaped(text: str) -> str:
    return "".join(
        _ESCAPES.get(each) or (each if each.isprintable() else _unicode(each)) for each in text
    )


def _unicode(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) <= 0xFFFF else char  # noqa: PLR2004
