"""Numbers as expressions over the bytes they are stored in, and the ranges of integers.

Every expression gives the number itself, sign and all, both in Python and in a machine word: the
byte with the sign is made a signed number before it is moved to its place.  The result of
arithmetic with numbers of known ranges has a known range.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_codegen.model import BitsType, Endian

__all__ = [
    "HIGHEST",
    "LOWEST",
    "WIDEST",
    "Range",
    "bits_source",
    "byte",
    "integer_source",
    "range_of",
    "range_of_integers",
]


def byte(at: int, base: str = "at") -> str:
    """Return the source of byte *at*, counted from the place *base*."""
    return f"data[{base} + {at}]" if at else f"data[{base}]"


def integer_source(at: int, width: int, endian: Endian | None, *, signed: bool) -> str:
    """Return the integer of *width* bytes at byte *at*; words of eight bytes are always signed."""
    places = [at + index for index in range(width)]
    lowest_first = places[::-1] if endian == "be" else places
    parts = []
    for index, place in enumerate(lowest_first):
        part = byte(place)
        if index == width - 1 and (signed or width == 8):  # noqa: PLR2004  (bytes of a word)
            part = f"({part} ^ 0x80) - 0x80"
            part = f"({part})" if width > 1 else part
        parts.append(f"{part} << {8 * index}" if index else part)
    return " | ".join(parts)


def bits_source(first: int, type_: BitsType, load: Callable[[int], str] = byte) -> str:
    """Return the bits of *type_* that begin *first* bits after the place ``at``.

    load  returns the source of a byte after that place
    """
    parts, taken = [], 0
    while taken < type_.width:
        place, inside = divmod(first + taken, 8)
        here = min(8 - inside, type_.width - taken)
        below = inside if type_.endian == "le" else 8 - inside - here
        above = taken if type_.endian == "le" else type_.width - taken - here
        parts.append(_piece(load(place), below, here, above))
        taken += here
    return " | ".join(parts)


def _piece(source: str, below: int, width: int, above: int) -> str:
    """Return *width* bits of a byte, from bit *below* on, shifted left by *above*."""
    piece = f"{source} >> {below}" if below else source
    if below + width < 8:  # noqa: PLR2004  (bits of a byte)
        piece = f"{piece} & {(1 << width) - 1}"
        return f"({piece}) << {above}" if above else piece
    if above:
        return f"({piece}) << {above}" if below else f"{piece} << {above}"
    return piece


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
