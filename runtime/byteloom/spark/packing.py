"""Pack many pieces into few and large partitions, one for each task.

A task of Python costs Spark some 10 milliseconds, however little it reads.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final, TypeVar

__all__ = ["packed", "part_size"]

_T = TypeVar("_T")

OPENING: Final = 1 << 20
"""Number of bytes whose reading costs as much as opening a file."""


_SMALLEST, _LARGEST = 32 << 20, 256 << 20
_PARTS: Final = 3
"""Partitions per processor of this machine, if there is enough to read."""


def part_size(total: int, asked: int | None = None) -> int:
    """Return how many bytes a partition should have.

    Args:
        total: Bytes to read in all.
        asked: The user's choice; None for a third of each processor's share on this machine,
            from 32 to 256 MiB.
    """
    if asked is not None:
        return asked
    # Rounded up: a size that is a byte too small leaves a rest, which makes one task too many.
    parts = _PARTS * (os.cpu_count() or 1)
    return min(max(-(-total // parts), _SMALLEST), _LARGEST)


def packed(pieces: Sequence[tuple[_T, int]], size: int) -> list[list[_T]]:
    """Return the pieces in groups of about *size* bytes, in their order.

    Args:
        pieces: Each with its size in bytes.
    """
    groups: list[list[_T]] = []
    left = 0
    for piece, needed in pieces:
        cost = max(needed, OPENING)
        if not groups or cost > left:
            groups.append([])
            left = size
        groups[-1].append(piece)
        left -= cost
    return groups
