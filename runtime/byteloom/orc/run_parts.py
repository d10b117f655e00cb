"""Runs of a stream that comes in parts: a run may begin in one and end in the next.

Source: https://orc.apache.org/specification/ORCv1/ ("Run Length Encoding")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["take_parts"]


def take_parts(parts: Iterable[bytes], take: Callable[[bytes], tuple[int, bool]]) -> bool:
    """Give each part to *take*, after what was left of those before; return if a run is cut off.

    parts  the bytes of the stream, decompressed
    take   returns how many bytes it has taken, and whether it wants no more
    """
    rest = b""
    for part in parts:
        data = rest + part
        taken, is_done = take(data)
        if is_done:
            return False
        rest = data[taken:]
    return bool(rest)
