"""The ranges of integers, and of the results of arithmetic with them."""

from __future__ import annotations

from typing import Final, TypeAlias

__all__ = ["HIGHEST", "LOWEST", "WIDEST", "Range", "range_of", "range_of_integers"]

Range: TypeAlias = tuple[int, int]
"""The least and the greatest value."""

_WORD_BITS: Final = 63

LOWEST: Final = -(1 << _WORD_BITS)
HIGHEST: Final = (1 << _WORD_BITS) - 1
WIDEST: Final = (1 << 64) - 1
"""The greatest integer of 64 bits without a sign."""


def range_of_integers(bits: int, *, signed: bool) -> Range:
    """Return the range of integers of a number of bits."""
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)


def range_of(op: str, left: Range, right: Range) -> Range:
    """Return the range of ``left op right``.

    errors  ValueError where the operation itself may fail
    """
    corners = [(a, b) for a in left for b in right]
    match op:
        case "+":
            return left[0] + right[0], left[1] + right[1]
        case "-":
            return left[0] - right[1], left[1] - right[0]
        case "*":
            return min(a * b for a, b in corners), max(a * b for a, b in corners)
        case "/" | "%" if right[0] <= 0:
            raise ValueError("divides by what may be 0 or less")
        case "/":
            return min(a // b for a, b in corners), max(a // b for a, b in corners)
        case "%":
            return 0, right[1] - 1
        case "<<" | ">>" if right[0] < 0 or right[1] >= _WORD_BITS:
            raise ValueError("shifts by what may be 63 bits or more")
        case "<<":
            return min(a << b for a, b in corners), max(a << b for a, b in corners)
        case ">>":
            return min(a >> b for a, b in corners), max(a >> b for a, b in corners)
    return _range_of_bits(op, left, right)


def _range_of_bits(op: str, left: Range, right: Range) -> Range:
    """Return the range of ``&``, ``|`` or ``^``."""
    if op == "&" and max(left[0], right[0]) >= 0:
        return 0, min(high for low, high in (left, right) if low >= 0)
    bits = max(each.bit_length() for each in (*left, *right))
    least = 0 if min(left[0], right[0]) >= 0 else -(1 << bits)
    return least, (1 << bits) - 1
