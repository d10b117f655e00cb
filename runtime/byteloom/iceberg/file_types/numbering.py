"""Ids for fields of files that carry none, and sizes of decimals.

Source: Iceberg table spec, "Appendix A".
"""

from __future__ import annotations

from typing import Any

__all__ = ["Numbering", "decimal_size"]


class Numbering:
    """Gives fields without an id an unused one, counting from 1."""

    def __init__(self, taken: set[int]) -> None:
        """Begin with the ids that are *taken*."""
        self._taken = taken
        self._last = 0

    def id_of(self, stored: Any) -> int:
        """Return the id that a file stores, or else the next unused one."""
        if type(stored) is int:
            return stored
        self._last += 1
        while self._last in self._taken:
            self._last += 1
        return self._last


def decimal_size(precision: int) -> int:
    """Return the fewest bytes for any decimal of that many digits, sign included."""
    most: int = 10**precision - 1
    return most.bit_length() // 8 + 1
