"""Divide work among tasks: in order, as sources do, or into groups of similar weight, as jobs do.

A task of Python costs Spark some 10 milliseconds, however little it reads: few large groups are
faster than many small ones, and several per core end at about the same time.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from heapq import heapify, heapreplace
from typing import Final, TypeVar

__all__ = ["GROUPS_PER_CORE", "balanced", "packed", "part_size"]

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


GROUPS_PER_CORE: Final = 4


def balanced(items: Sequence[_T], weights: Sequence[int], count: int) -> list[list[_T]]:
    """Return *items* in at most *count* groups of similar weight, none of them empty.

    The heaviest item that is left goes into the lightest group; groups come heaviest first, and
    keep the order of the items.
    """
    number = min(count, len(items))
    groups: list[list[int]] = [[] for _ in range(number)]
    heap = [(0, at) for at in range(number)]
    heapify(heap)
    for item in sorted(range(len(items)), key=lambda each: -weights[each]):
        weight, at = heap[0]
        groups[at].append(item)
        heapreplace(
            heap, (weight + weights[item] + 1, at)
        )  # at least 1, so that items without weight are spread too
    heaviest = sorted(heap, reverse=True)
    return [[items[each] for each in sorted(groups[at])] for _, at in heaviest]
