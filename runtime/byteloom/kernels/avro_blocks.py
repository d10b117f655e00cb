"""Find the blocks of an Avro container file.

Source: Apache Avro specification, "Object Container Files".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.wire.integers import zigzag_at
from byteloom.wire.kernel import kernel

if TYPE_CHECKING:
    import numpy as np

__all__ = ["BYTES", "CUT", "FULL", "SYNC_SIZE", "WRONG", "walk_blocks"]

WRONG: Final = (
    ("", ""),
    ("a number that ends outside of its block", "a whole number"),
    ("a number of more than 10 bytes", "at most 64 bits"),
    ("bytes that end outside of their block", "bytes inside their block"),
    ("another sync marker", "the file's sync marker"),
)
"""For each code what was found and what was wanted."""

CUT, LONG, BYTES, SYNC = range(1, 5)
FULL: Final = -1

_LONGEST: Final = 10
"""Bytes of a number."""

SYNC_SIZE: Final = 16
"""Bytes of a sync marker."""


@kernel(work=lambda data, *_: 32 + len(data) // 32)
def walk_blocks(
    data: np.ndarray, at: int, sync: np.ndarray, table: np.ndarray
) -> tuple[int, int, int]:
    """Fill *table* with count, start and size of each block from *at* on.

    Returns the number of blocks, a code and a place; the code is `FULL` if the table is too short,
    and the place then where to go on.
    """
    base, end = data.ctypes.data, len(data)
    blocks = 0
    while at < end:
        if blocks == len(table):
            return blocks, FULL, at
        count, after = zigzag_at(base, at, end)
        if after < 0:
            return blocks, CUT if end - at < _LONGEST else LONG, at
        size, start = zigzag_at(base, after, end)
        if start < 0:
            return blocks, CUT if end - after < _LONGEST else LONG, after
        if count < 0 or size < 0 or size > end - start - SYNC_SIZE:
            return blocks, BYTES, at
        for i in range(SYNC_SIZE):
            if data[start + size + i] != sync[i]:
                return blocks, SYNC, start + size
        table[blocks, 0] = count
        table[blocks, 1] = start
        table[blocks, 2] = size
        blocks += 1
        at = start + size + SYNC_SIZE
    return blocks, 0, at
