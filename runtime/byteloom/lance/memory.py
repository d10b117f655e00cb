"""Memory for decoded values.

The system gives a large array of NumPy's new pages of memory each time, and clearing these takes
longer than filling them; Arrow's memory pool keeps what was freed for the next one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.arrow.texts import arrow_memory

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

__all__ = ["empty"]

_LARGE: Final = 1 << 17
"""Bytes of an array that is worth a call of Arrow's; NumPy's smaller ones cost nothing extra."""


def empty(count: int, dtype: DTypeLike) -> np.ndarray[Any, Any]:
    """Return an uninitialised array of *count* items."""
    kind = np.dtype(dtype)
    if count * kind.itemsize < _LARGE:
        return np.empty(count, kind)
    return arrow_memory(count, kind)[1]
