"""The bytes of a report's file, and of its decompressed parts."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.cli.printing.report import Report

__all__ = ["reading"]

_KEPT: Final = 2
"""How many decompressed parts are cached: people look at neighbours one after the other."""


def reading(report: Report) -> Callable[[int, int, int], bytes]:
    """Return a function that fetches bytes of *report* by part number, offset and size.

    Part 0 is the file; the others are the decoded parts in their order.
    """

    @lru_cache(_KEPT)
    def decoded(number: int) -> bytes:
        return report.decoded[number - 1].load()

    def read(number: int, offset: int, size: int) -> bytes:
        if number == 0:
            return report.source.read(offset, size)
        return decoded(number)[offset : offset + size]

    return read
