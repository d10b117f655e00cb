"""The range of the results of integer arithmetic."""

from __future__ import annotations

from typing import Final, TypeAlias

__all__ = ["Range", "range_of"]

Range: TypeAlias = tuple[int, int]
"""The least and the greatest value."""

_WORD_BITS: Final = 63


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
