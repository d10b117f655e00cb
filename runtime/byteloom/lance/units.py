"""Units of the layout MiniBlock: chunks are a multiple of them, and their parts begin at one.

Source: https://lance.org/format/file/encoding/#mini-block-page-layout
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom_generated.lance.chunks import Unit

if TYPE_CHECKING:
    import numpy as np

__all__ = ["UNIT", "whole_units"]

UNIT: Final = Unit.SIZE
"""Bytes of a unit."""


def whole_units(sizes: np.ndarray) -> np.ndarray:
    """Return the bytes of as many units as *sizes* take, or the first unit that begins there."""
    found: np.ndarray = -(-sizes // UNIT) * UNIT
    return found
