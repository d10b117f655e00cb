"""Numbers as expressions over the bytes they are stored in.

Every expression gives the number itself, sign and all, both in Python and in a machine word: the
byte with the sign is made a signed number before it is moved to its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_codegen.model import BitsType, Endian

__all__ = ["bits_source", "byte", "integer_source"]


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
