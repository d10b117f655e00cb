"""Read the integers in cells and their keys, and know the sizes of their fixed parts.

The caller ensures that every byte that is read exists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.native.kernel import kernel
from byteloom.native.loads import be16, be32
from byteloom_generated.hfile.cell import Columns, Key, KeyType

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "FAMILY_MOST",
    "KEY_LEAST",
    "KINDS",
    "MAXIMUM",
    "ROW_MOST",
    "TIME_AND_TYPE",
    "s32",
    "u16",
]

ROW_MOST: Final = Key.MOST["len_row"]
FAMILY_MOST: Final = Columns.MOST["len_family"]
KEY_LEAST: Final = Key.MIN_SIZE + Columns.MIN_SIZE
"""The size of a key without row, family and qualifier."""

TIME_AND_TYPE: Final = Columns.MIN_SIZE - 1
"""The size of the end of a key: timestamp and type."""

KINDS: Final = tuple(int(each) for each in KeyType)
"""The valid types of keys."""
MAXIMUM: Final = int(KeyType.MAXIMUM)


@kernel
def u16(data: np.ndarray, at: int) -> int:
    """Return two bytes, the highest first."""
    return be16(data.ctypes.data, at)


@kernel
def s32(data: np.ndarray, at: int) -> int:
    """Return four bytes as a signed integer, the highest first."""
    return be32(data.ctypes.data, at)
