"""The bytes of a report's file, and of its parts that are compressed there."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.cli.report import Report

__all__ = ["reading"]

_KEPT: Final = 2
"""Decompressed parts that are kept: whoever looks at one looks at its neighbours too."""


def reading(report: Report) -> Callable[[int, int, int], bytes]:
    """Return what fetches bytes of *report*: by the number of the part, the offset, the size.

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
