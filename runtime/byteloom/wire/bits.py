"""The layout of bit fields that together fill whole bytes, like `struct.Struct` for numbers."""

from __future__ import annotations

from typing import Literal

__all__ = ["Bits"]


class Bits:
    """Adjacent fields of *widths* bits, which together fill `size` bytes.

    order   "big": the first takes the highest bits of the first byte; "little": the lowest
    places  for each field the shift of its lowest bit, and a mask of its width
    """

    __slots__ = ("order", "places", "size", "widths")

    def __init__(self, order: Literal["little", "big"], *widths: int) -> None:
        """Lay the fields out."""
        self.order, self.widths = order, widths
        total, before = sum(widths), 0
        self.size = total // 8
        self.places = list[tuple[int, int]]()
        for width in widths:
            shift = before if order == "little" else total - before - width
            self.places.append((shift, (1 << width) - 1))
            before += width
