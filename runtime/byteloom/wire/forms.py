"""The layout of adjacent fields of fixed sizes, and the single values of one."""

from __future__ import annotations

import re
from functools import lru_cache
from struct import Struct, calcsize
from typing import Final

__all__ = ["WIDTHS", "FieldRun", "forms"]

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
