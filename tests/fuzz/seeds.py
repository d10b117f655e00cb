"""A sound input that fuzzing begins with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.fuzz.mutations import damaged_bytes

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

__all__ = ["Seed", "nothing"]


def nothing(_: bytes) -> int:
    """Return no finding: for what has no check of its own beside reading."""
    return 0


@dataclass(frozen=True)
class Seed:
    """A sound input.

    name     for reports
    data     its bytes
    read     returns how many rows bytes in place of *data* give
    check    returns how many findings there are on such bytes
    damages  ways of damaging it that keep its outside whole; plain damage to bytes is always one
    counts   whether fewer rows than *data* gives contradict something, which reading or checking
             has to notice
    denies   whether something else contradicts bytes in place of *data*: then reading or checking
             has to notice rows that are fewer or more
    """

    name: str
    data: bytes
    read: Callable[[bytes], int]
    check: Callable[[bytes], int] = nothing
    damages: tuple[Callable[[Random, bytes], bytes], ...] = ()
    counts: bool = False
    denies: Callable[[bytes], bool] | None = None

    def damaged(self, chance: Random) -> bytes:
        """Return its bytes with some damage."""
        if self.damages and chance.random() < 0.6:
            return chance.choice(self.damages)(chance, self.data)
        return damaged_bytes(chance, self.data)
