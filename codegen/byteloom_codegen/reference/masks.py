"""Masks and shifts with constants, as the bits that they select.

Bit 0 is the lowest bit of a number, as in the hexadecimal mask beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from byteloom_codegen import expressions as ast
from byteloom_codegen.python.sizes import literal
from byteloom_codegen.reference.prose import listed

if TYPE_CHECKING:
    from byteloom_codegen.expressions import Expression

__all__ = ["Selected", "bits_of_mask", "selected"]

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
