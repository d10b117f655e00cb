"""Sizes known from the spec alone, in bits; None where they depend on the file.

Bits are packed; everything else starts at a whole byte.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import (
    BitsType,
    BytesType,
    ContentsType,
    DataType,
    Delimiting,
    EnumType,
    Field,
    FloatType,
    IntType,
    OpaqueType,
    StrType,
    SwitchType,
    TypeSpec,
    UserType,
    is_bits,
)

if TYPE_CHECKING:
    from byteloom_codegen.expressions import Expression

__all__ = ["bits_of", "bits_of_record", "constant"]

BYTE = 8


def bits_of(type_: DataType) -> int | None:
    """Return the size of one value of *type_*."""
    return _Measure().value(type_)


def bits_of_record(spec: TypeSpec) -> int | None:
    """Return the size of the sequence of *spec*, up to a whole byte."""
    return _Measure().record(spec)


class _Measure:
    """Measures each record once; a record inside itself has no size."""

    def __init__(self) -> None:
        self.known: dict[TypeSpec, int | None] = {}

    def value(self, type_: DataType) -> int | None:
        match type_:
            case IntType(width=int(width)) | FloatType(width=int(width)):
                return width * BYTE
            case BitsType(width=width):
                return width
            case ContentsType(contents=contents):
                return len(contents) * BYTE
            case (
                BytesType(delimiting=Delimiting(size=size))
                | StrType(delimiting=Delimiting(size=size))
            ):
                return _bytes(size)
            case (
                UserType(delimiting=Delimiting(size=size))
                | OpaqueType(delimiting=Delimiting(size=size))
            ):
                return _bytes(size)
            case UserType(type=spec, delimiting=None):
                return self.record(spec)
            case EnumType(base=base):
                return self.value(base)
            case SwitchType(cases=cases) if any(case.on is None for case in cases):
                sizes = {self.value(case.type) for case in cases}
                return sizes.pop() if len(sizes) == 1 else None
        return None

    def record(self, spec: TypeSpec) -> int | None:
        if spec not in self.known:
            self.known[spec] = None
            self.known[spec] = self._sum(spec)
        return self.known[spec]

    def _sum(self, spec: TypeSpec) -> int | None:
        bits = 0
        for member in spec.seq:
            size = self._field(member)
            if size is None:
                return None
            # A field that may be absent has a fixed size only if that is zero.
            if member.condition is not None and (size or bits % BYTE):
                return None
            bits = size + (bits if is_bits(member.type) else _whole(bits))
        return _whole(bits)

    def _field(self, member: Field) -> int | None:
        one = self.value(member.type)
        if member.repeat is None or one is None:
            return one
        count = constant(member.repeat.expression) if member.repeat.kind == "expr" else None
        return None if count is None else one * count


def constant(node: Expression | None) -> int | None:
    """Return the value of *node* if it is a constant integer and not deep; otherwise None."""
    match node:
        case ast.Node(joints=tuple()):
            return None
        case ast.Literal_(value=bool()):
            return None
        case ast.Literal_(value=int() as value):
            return value
        case ast.UnaryOp(op="-", operand=operand):
            return _calculated("-", 0, constant(operand))
        case ast.BinaryOp(op="+" | "-" | "*" as op, left=left, right=right):
            return _calculated(op, constant(left), constant(right))
        case ast.SizeOf():
            return getattr(node, "value", None)
    return None


def _calculated(op: str, left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return None
    return {"+": left + right, "-": left - right, "*": left * right}[op]


def _bytes(size: Expression | None) -> int | None:
    value = constant(size)
    return None if value is None else value * BYTE


def _whole(bits: int) -> int:
    return -(-bits // BYTE) * BYTE
