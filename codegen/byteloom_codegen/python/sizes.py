"""How many bytes values take, as far as the spec alone says.

A size is a pair (least, most) in bits; *most* is None where the file decides.  The size of padding
up to a multiple follows from what is before it, as a length does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

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
    Instance,
    IntType,
    OpaqueType,
    StrType,
    SwitchType,
    TypeSpec,
    UserType,
    is_bits,
)

__all__ = [
    "Size",
    "field_size",
    "fixed_bytes",
    "least_bytes",
    "literal",
    "padding_size",
    "type_size",
    "value_size",
]


@dataclass(frozen=True, slots=True)
class Size:
    """The bits that a value takes: at least *least*, at most *most* (None: the file decides)."""

    least: int
    most: int | None

    def __add__(self, other: Size) -> Size:
        """Return the size of both, one after the other."""
        most = None if self.most is None or other.most is None else self.most + other.most
        return Size(self.least + other.least, most)

    def times(self, count: int | None) -> Size:
        """Return the size of *count* of these; None for a count that the file decides."""
        if count is None:
            return Size(0, 0 if self.most == 0 else None)
        return Size(self.least * count, None if self.most is None else self.most * count)


_Seen: TypeAlias = frozenset[int]


def literal(node: ast.Expression | None) -> int | None:
    """Return the number that *node* spells, or None."""
    if isinstance(node, ast.Literal_) and isinstance(node.value, int):
        return node.value
    return node.value if isinstance(node, ast.SizeOf) else None


def type_size(spec: TypeSpec, seen: _Seen = frozenset()) -> Size:
    """Return the size of a record's ``seq``."""
    if id(spec) in seen:
        return Size(0, None)
    inner = seen | {id(spec)}
    total = Size(0, 0)
    for each in spec.seq:
        if not is_bits(each.type) and total.most is not None and total.most % 8:
            joins = isinstance(each.type, UserType | SwitchType)  # it may begin inside a byte
            least = total.least if joins else (total.least + 7) // 8 * 8
            total = Size(least, (total.most + 7) // 8 * 8)
        total += field_size(each, inner)
    if any(isinstance(each, Instance) and each.pos is None for each in spec.instances):
        total = Size(total.least, None)
    return total


def field_size(each: Field, seen: _Seen = frozenset()) -> Size:
    """Return the size of a field, its repetition and condition counted in."""
    size = value_size(each.type, seen)
    if each.repeat:
        if each.repeat.kind == "until":  # one element ends it
            size = Size(size.least, None)
        else:
            count = literal(each.repeat.expression) if each.repeat.kind == "expr" else None
            size = size.times(count)
    if each.condition is not None:
        size = Size(0, 0 if size.most == 0 else None)
    return size


def value_size(type_: DataType, seen: _Seen = frozenset()) -> Size:
    """Return the size of one value."""
    match type_:
        case IntType(width=int(width)) | FloatType(width=int(width)):
            return Size(8 * width, 8 * width)
        case BitsType(width=width):
            return Size(width, width)
        case EnumType(base=base):
            return value_size(base, seen)
        case ContentsType(contents=contents):
            return Size(8 * len(contents), 8 * len(contents))
        case (
            BytesType(delimiting=Delimiting() as delimiting)
            | StrType(delimiting=Delimiting() as delimiting)
        ):
            return _delimited(delimiting)
        case (
            UserType(delimiting=Delimiting() as delimiting)
            | OpaqueType(delimiting=Delimiting() as delimiting)
        ):
            return _delimited(delimiting)
        case UserType(type=spec):
            return type_size(spec, seen)
        case SwitchType(cases=cases):
            sizes = [value_size(case.type, seen) for case in cases]
            if all(case.on is not None for case in cases):
                sizes.append(Size(0, 0))
            least, mosts = min(size.least for size in sizes), {size.most for size in sizes}
            return Size(least, mosts.pop() if len(mosts) == 1 and least == sizes[0].most else None)
    return Size(0, None)


def _delimited(delimiting: Delimiting) -> Size:
    size = literal(delimiting.size)
    if size is not None:
        return Size(8 * size, 8 * size)
    found = (
        delimiting.terminator is not None and delimiting.size is None and not delimiting.size_eos
    )
    if found and delimiting.terminator and delimiting.consume and delimiting.eos_error:
        return Size(8 * len(delimiting.terminator), None)
    return Size(0, None)


def least_bytes(size: Size) -> int:
    """Return the least number of whole bytes that *size* takes."""
    return (size.least + 7) // 8


def fixed_bytes(size: Size) -> int | None:
    """Return the bytes that *size* takes always, or None."""
    return None if size.most is None or size.most != size.least else (size.most + 7) // 8


def padding_size(field: Field) -> ast.Expression | None:
    """Return the size of *field* where it is padding, as ``(-_io.pos) % 4`` is; else None."""
    if isinstance(field, Instance) or field.repeat or field.condition or field.valid:
        return None
    match field.type:
        case BytesType(
            process=None,
            delimiting=Delimiting(
                size=ast.BinaryOp(op="%", right=ast.Literal_(value=int())) as size,
                terminator=None,
                pad_right=None,
            ),
        ):
            return size
    return None
