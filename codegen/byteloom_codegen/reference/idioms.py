"""What common combinations of operations mean, and the words for methods of values.

The language has no operator for some things that formats often need, so specs spell them out.  Of
these, masks and shifts with constants are the bits that they select; bit 0 is the lowest bit of a
number, as in the hexadecimal mask beside it.  A part of a phrase that is looser than its place
allows is put in parentheses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import BitsType, BytesType, ContentsType, IntType, IoType, StrType
from byteloom_codegen.python.sizes import literal
from byteloom_codegen.reference.prose import code, in_words, joined, listed
from byteloom_codegen.unparse import unparse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.model import DataType
    from byteloom_codegen.reference.prose import Words

__all__ = [
    "AND",
    "ATOM",
    "COMPARE",
    "LOOSE",
    "OF",
    "OR",
    "PRODUCT",
    "SUM",
    "TERNARY",
    "Selected",
    "about",
    "bits_of_mask",
    "called",
    "left_in_stream",
    "padded",
    "selected",
]


ATOM: Final = 9
OF: Final = 8
"""``x of y``."""
PRODUCT: Final = 7
SUM: Final = 6
LOOSE: Final = 5
"""Operations whose words continue after the last operand: ``shifted left by 3 bits``."""
COMPARE: Final = 4
AND: Final = 3
OR: Final = 2
TERNARY: Final = 1


def left_in_stream(node: ast.BinaryOp) -> Expression | None:
    """Return the stream if *node* is ``size - pos``, what is left of it; otherwise None."""
    match node:
        case ast.BinaryOp(
            op="-",
            left=ast.Attribute(name="size", value=one),
            right=ast.Attribute(name="pos", value=other),
        ) if isinstance(one.type, IoType) and unparse(one) == unparse(other):
            return one
    return None


def padded(node: ast.BinaryOp) -> tuple[Expression, Expression] | None:
    """Return the value and the unit if *node* is the padding of one to a multiple of the other."""
    match node:
        case ast.BinaryOp(op="%", left=ast.UnaryOp(op="-", operand=value), right=unit):
            return value, unit
        case ast.BinaryOp(
            op="%",
            left=ast.BinaryOp(
                op="-", left=whole, right=ast.BinaryOp(op="%", left=value, right=unit)
            ),
            right=last,
        ) if unparse(whole) == unparse(unit) == unparse(last):
            return value, unit
    return None


def about(of: DataType, name: str) -> str:
    """Return the words before a value for what the language knows about values of the type *of*."""
    unit = "element"
    if isinstance(of, BytesType | ContentsType):
        unit = "byte"
    elif isinstance(of, StrType):
        unit = "character"
    match name:
        case "length" | "size":
            return f"the number of {unit}s in "
        case "first" | "last":
            return f"the {name} {unit} of "
        case "min" | "max":
            return f"the {'smallest' if name == 'min' else 'largest'} {unit} of "
        case "reverse":
            return "the reversed text of "
        case "to_s" if isinstance(of, IntType | BitsType):
            return "the decimal digits of "
    return f"the {name} of "


def called(node: ast.Call, of: Words, args: Sequence[Words]) -> Words:
    """Return in words what the method of *node* gives.

    of    the words for the value that it is a method of
    args  those for its arguments
    """
    match node.method, args:
        case "to_i", [base]:
            return in_words("the number that ", of, " spells in base ", base)
        case "to_s", [_]:
            return in_words("the text that ", of, f" is in {_encoding(node)}")
        case "to_b", [_]:
            return in_words("the bytes of ", of, f" in {_encoding(node)}")
        case "substring", [first, last]:
            return in_words(
                "the characters of ", of, " from ", first, " up to, not including, ", last
            )
        case "index_of", [wanted]:
            return in_words("the position of the first ", wanted, " in ", of, " (-1 if none)")
    return in_words(code(node.method), " of ", of, tuple(joined(args, ", ")))


def _encoding(node: ast.Call) -> str:
    """Return the encoding that is the first argument of *node*, a literal text."""
    (first, *_) = node.args
    return str(first.value) if isinstance(first, ast.Literal_) else unparse(first)


_HIGHEST = 63


@dataclass(frozen=True, slots=True)
class Selected:
    """Some bits of a number.

    of       the number
    mask     has a 1 for each of the bits
    shifted  whether the bits are moved down, so that the lowest of them counts 1
    """

    of: Expression
    mask: int
    shifted: bool

    @property
    def lowest(self) -> int:
        """The number of the lowest bit."""
        return (self.mask & -self.mask).bit_length() - 1

    @property
    def is_one(self) -> bool:
        """Whether it is one bit alone."""
        return self.mask & (self.mask - 1) == 0

    @property
    def is_run(self) -> bool:
        """Whether no bit is missing between the lowest and the highest."""
        return _is_run(self.mask)

    @property
    def full(self) -> int:
        """The value if all of the bits are set."""
        return self.mask >> self.lowest if self.shifted else self.mask

    @property
    def bits(self) -> str:
        """Which bits, and their mask."""
        return bits_of_mask(self.mask)


def bits_of_mask(mask: int) -> str:
    """Return the bits of *mask* by their numbers: ``bits 4 to 7 (0xf0)``."""
    numbers = [bit for bit in range(mask.bit_length()) if mask >> bit & 1]
    if len(numbers) == 1:
        return f"bit {numbers[0]} ({mask:#x})"
    names = [str(bit) for bit in numbers]
    few = 2
    span = f"{names[0]} to {names[-1]}" if _is_run(mask) and len(names) > few else listed(names)
    return f"bits {span} ({mask:#x})"


def selected(node: Expression) -> Selected | None:
    """Return the bits that *node* selects, if it is a mask with or without a shift, or None."""
    match node:
        case ast.Cast(value=value):
            return selected(value)
        case ast.BinaryOp(op="&", left=left, right=right):
            return _masked(left, right) or _masked(right, left)
        case ast.BinaryOp(op=">>", left=left, right=right):
            inner, shift = _unshifted(left), literal(right)
            if inner is not None and shift == inner.lowest and inner.is_run:
                return Selected(inner.of, inner.mask, shifted=True)
    return None


def _unshifted(node: Expression) -> Selected | None:
    found = selected(node)
    return None if found is None or (found.shifted and found.lowest) else found


def _masked(value: Expression, mask: Expression) -> Selected | None:
    bits = literal(mask)
    if bits is None or bits <= 0:
        return None
    if isinstance(value, ast.BinaryOp) and value.op == ">>":
        shift = literal(value.right)
        if shift is not None and 0 <= shift <= _HIGHEST and _is_run(bits) and bits & 1:
            return Selected(value.left, bits << shift, shifted=True)
    return Selected(value, bits, shifted=bool(bits & 1) and _is_run(bits))


def _is_run(mask: int) -> bool:
    run = mask // (mask & -mask)
    return run & (run + 1) == 0
