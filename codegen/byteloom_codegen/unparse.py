"""KSY expressions as KSY text: for people to read, and to compare two expressions by.

The text parses back to the same tree.  Parentheses come out only where the tree needs them, numbers
are decimal unless masks are wanted in hexadecimal, strings are double-quoted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom_codegen import expressions as ast
from byteloom_codegen.python.translate import (
    AND,
    BIT_AND,
    BIT_OR,
    BIT_XOR,
    COMPARE,
    NOT,
    OR,
    POSTFIX,
    PRODUCT,
    SHIFT,
    SUM,
    TERNARY,
    UNARY,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from byteloom_codegen.model import Member

__all__ = ["unparse"]

_BINDS: Final = {
    "|": BIT_OR, "^": BIT_XOR, "&": BIT_AND, "<<": SHIFT, ">>": SHIFT, "+": SUM, "-": SUM,
    "*": PRODUCT, "/": PRODUCT, "%": PRODUCT, "and": AND, "or": OR,
}  # fmt: skip

_ESCAPES: Final = {"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r", "\t": r"\t", "\0": r"\u0000"}

_ATOM: Final = POSTFIX + 1
_TWO_DIGITS: Final = 10


def _own_name(written: str, target: Member | None) -> str:
    del target
    return written


def unparse(
    node: ast.Expression,
    name: Callable[[str, Member | None], str] = _own_name,
    *,
    masks_in_hex: bool = False,
) -> str:
    """Return *node* as KSY text.

    name          what to print for a name, given as written and with the member it leads to
    masks_in_hex  whether numbers of two digits and more beside ``&``, ``|`` and ``^`` are printed
                  in hexadecimal
    """
    return _Unparser(name, masks_in_hex=masks_in_hex).text(node)


class _Unparser:
    """Prints nodes; every method returns a text and how tightly it binds."""

    def __init__(self, name: Callable[[str, Member | None], str], *, masks_in_hex: bool) -> None:
        self.name = name
        self.masks_in_hex = masks_in_hex

    def text(self, node: ast.Expression, least: int = TERNARY) -> str:
        """Return *node*, in parentheses where it binds less tightly than *least*."""
        text, binds = self._bound(node)
        return f"({text})" if binds < least else text

    def _bound(self, node: ast.Expression) -> tuple[str, int]:
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
                return f"{self.text(left, BIT_OR)} {op} {self.text(right, BIT_OR)}", COMPARE
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

    def _side(self, node: ast.Expression, op: str, least: int) -> str:
        """Return a side of *op* as text: a mask of two digits in hexadecimal if that is wanted."""
        if self.masks_in_hex and op in "&|^" and isinstance(node, ast.Literal_):
            value = node.value
            if isinstance(value, int) and not isinstance(value, bool) and value >= _TWO_DIGITS:
                return f"{value:#x}"
        return self.text(node, least)

    def _postfix(self, node: ast.Expression) -> str:
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
