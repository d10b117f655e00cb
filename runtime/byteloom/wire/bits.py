"""The layout of bits that fill whole bytes together, as `struct.Struct` has that of numbers."""

from __future__ import annotations

from typing import Literal

__all__ = ["Bits"]


class Bits:
    """Fields of *widths* bits, one after another, which fill `size` bytes.

    order   "big": the first takes the highest bits of the first byte; "little": the lowest
    places  for each field how far its bits are from the lowest of all, and as many ones
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
