"""Sizes of the layout MiniBlock.

Chunks are multiples of a unit, and their parts begin at multiples; levels have 16 bits.

Source: https://lance.org/format/file/encoding/#mini-block-page-layout
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom_generated.lance.chunks import Level, Unit

if TYPE_CHECKING:
    import numpy as np

__all__ = ["LEVEL", "LEVEL_BITS", "UNIT", "whole_units"]

UNIT: Final = Unit.SIZE
"""Bytes of a unit."""

LEVEL: Final = Level.SIZE
"""Bytes of a level that is stored unencoded."""

LEVEL_BITS: Final = 8 * LEVEL
"""Bits of such a level."""


def whole_units(sizes: np.ndarray) -> np.ndarray:
    """Return the bytes of as many units as *sizes* take, or the first unit that begins there."""
    found: np.ndarray = -(-sizes // UNIT) * UNIT
    return found
