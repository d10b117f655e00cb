"""Expressions spelled as trees, as paths name the cases of a switch.

The official compiler's messages say ``/seq/0/type/cases/IntNum(42)`` whether the spec has ``42`` or
``0x2a``; paths here have the same elements. What people read has the key as the spec has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom_codegen import expressions as ast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom_codegen.expressions import Expression

__all__ = ["spelled"]

_OPERATORS: Final = {
    "+": "Add", "-": "Sub", "*": "Mult", "/": "Div", "%": "Mod",
    "&": "BitAnd", "|": "BitOr", "^": "BitXor", "<<": "LShift", ">>": "RShift",
    "==": "Eq", "!=": "NotEq", "<": "Lt", "<=": "LtE", ">": "Gt", ">=": "GtE",
    "and": "And", "or": "Or",
}  # fmt: skip
_UNARY: Final = {"-": "Minus", "~": "Invert", "not": "Not"}


def spelled(node: Expression) -> str:
    """Return the tree of *node* in one line."""
    match node:
        case ast.Literal_(value=bool() as value):
            return f"Bool({str(value).lower()})"
        case ast.Literal_(value=int() as value):
            return f"IntNum({value})"
        case ast.Literal_(value=float() as value):
            return f"FloatNum({value})"
        case ast.Literal_(value=value):
            return f"Str({value})"
        case ast.Name(id=name):
            return f"Name(identifier({name}))"
        case ast.EnumLabel(names=(*path, enum), label=label):
            owner = f"typeId(false,List({', '.join(path)}),false)"
            return f"EnumByLabel(identifier({enum}),identifier({label}),{owner})"
        case ast.Array(elements=elements):
            return f"List({_listed(elements)})"
        case ast.FString(parts=parts):
            texts = [f"Str({each})" if isinstance(each, str) else spelled(each) for each in parts]
            return f"InterpolatedStr(List({', '.join(texts)}))"
        case ast.UnaryOp(op=op, operand=operand):
            return f"UnaryOp({_UNARY[op]},{spelled(operand)})"
        case ast.BinaryOp(op=op, left=left, right=right):
            return f"BinOp({spelled(left)},{_OPERATORS[op]},{spelled(right)})"
        case ast.Compare(op=op, left=left, right=right):
            return f"Compare({spelled(left)},{_OPERATORS[op]},{spelled(right)})"
        case ast.BoolOp(op=op):
            return f"BoolOp({_OPERATORS[op]},{_listed(_chained(node))})"
        case ast.Attribute(value=value, name=name):
            return f"Attribute({spelled(value)},identifier({name}))"
        case ast.Call(value=value, method=name, args=args):
            return f"Call(Attribute({spelled(value)},identifier({name})),{_listed(args)})"
        case ast.Index(value=value, index=index):
            return f"Subscript({spelled(value)},{spelled(index)})"
        case ast.Cast(value=value, name=name):
            return f"CastToType({spelled(value)},{_type(name)})"
        case ast.SizeOf(bits=bits, name=ast.TypeName() as name):
            return f"{'Bit' if bits else 'Byte'}SizeOfType({_type(name)})"
        case ast.SizeOf(operand=value):
            own = "identifier(_sizeof)"
            return f"Attribute({spelled(value)},{own})" if value else f"Name({own})"
        case ast.Ternary(condition=condition, yes=yes, no=no):
            return f"IfExp({spelled(condition)},{spelled(yes)},{spelled(no)})"
    raise TypeError(node)


def _listed(nodes: Sequence[Expression]) -> str:
    return f"List({', '.join(map(spelled, nodes))})"


def _chained(node: ast.BoolOp) -> list[Expression]:
    """Return the operands of operators of one kind in a row."""
    found = [node.right]
    while isinstance(node.left, ast.BoolOp) and node.left.op == node.op:
        node = node.left
        found.append(node.right)
    return [node.left, *reversed(found)]


def _type(name: ast.TypeName) -> str:
    absolute = not name.names[0]
    path = ", ".join(name.names[absolute:])
    return f"typeId({str(absolute).lower()},List({path}),{str(name.array).lower()})"
