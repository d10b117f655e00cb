"""Pack pieces of files into groups of similar size, as Java's planner does.

Source: Iceberg Java, ``BinPacking`` (behaviour: first fit among the last bins, largest closed).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from byteloom.native.kernel import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["pack"]


@kernel
def pack(weights: NDArray[np.int64], target: int, lookback: int, groups: NDArray[np.int64]) -> int:
    """Assign each piece to a group, numbered as groups are closed; return the number of groups.

    weights   int64[piece]
    target    the greatest weight of a group, except a group of one piece
    lookback  the number of groups that may be open at a time, 1 or more
    groups    int64[piece], filled in
    """
    held = np.zeros(lookback + 1, np.int64)  # the weight of each open bin, the oldest first
    names = np.zeros(lookback + 1, np.int64)  # its number, in the order of opening
    closed = np.full(len(weights) + 1, -1, np.int64)  # the group that a bin became
    is_open, opened, done = 0, 0, 0
    for piece in range(len(weights)):
        weight = weights[piece]
        found = -1
        for place in range(is_open):
            if held[place] + weight <= target:
                found = place
                break
        if found >= 0:
            held[found] += weight
            groups[piece] = names[found]
            continue
        held[is_open], names[is_open] = weight, opened
        groups[piece] = opened
        opened, is_open = opened + 1, is_open + 1
        if is_open > lookback:
            largest = 0
            for place in range(1, is_open):
                if held[place] > held[largest]:
                    largest = place
            closed[names[largest]] = done
            done += 1
            for place in range(largest, is_open - 1):
                held[place], names[place] = held[place + 1], names[place + 1]
            is_open -= 1
    for place in range(is_open):
        closed[names[place]] = done
        done += 1
    for piece in range(len(weights)):
        groups[piece] = closed[groups[piece]]
    return done
