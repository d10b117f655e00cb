"""Divide work into groups of similar weight, one for each task.

A task costs some ten milliseconds, whatever it does: few large groups are faster than many small
ones, and several per core end at about the same time.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heapreplace
from typing import Final, TypeVar

__all__ = ["GROUPS_PER_CORE", "balanced"]

_T = TypeVar("_T")

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
