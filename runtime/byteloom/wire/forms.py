"""The single values of a `struct` layout."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from struct import Struct

__all__ = ["forms"]


@lru_cache(maxsize=1024)
def forms(layout: Struct) -> tuple[str, ...]:
    """Return the form of each value of *layout*, with its order: `<H`, `<16s`."""
    order = layout.format[0]
    return tuple(order + each for each in re.findall(r"\d*[a-z]", layout.format[1:], re.IGNORECASE))
