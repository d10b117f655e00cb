"""The layouts of adjacent fields of fixed sizes: numbers and bytes, and bits in whole bytes."""

from __future__ import annotations

import re
from functools import lru_cache
from struct import Struct, calcsize
from typing import Final, Literal

__all__ = ["WIDTHS", "Bits", "FieldRun", "forms"]

WIDTHS: Final = {order + each: calcsize(order + each) for order in "<>" for each in "bBhHiIqQfd"}
"""The bytes of a single number, by its form."""


class FieldRun(Struct):
    """A `struct` layout, with the name of the field that each value belongs to."""

    __slots__ = ("names",)

    names: tuple[str, ...]

    def __init__(self, form: str, *names: str) -> None:
        """Lay the fields *names* out as *form*, which has one letter for each."""
        super().__init__(form)
        self.names = names


@lru_cache(maxsize=1024)
def forms(layout: Struct) -> tuple[str, ...]:
    """Return the form of each value of *layout*, with its order: `<H`, `<16s`."""
    order = layout.format[0]
    return tuple(order + each for each in re.findall(r"\d*[a-z]", layout.format[1:], re.IGNORECASE))


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
