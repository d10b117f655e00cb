"""Ranges of a file: which to fetch in one request, and which one of several readers reads.

A request to an object store costs as much as a megabyte of transfer.  Ranges close to each
other therefore become one request, and the bytes between them are thrown away; large requests stay
apart, so that they can be fetched in parallel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

__all__ = ["DEFAULT_GAP", "Merged", "Span", "begins_in", "merged"]

DEFAULT_GAP: Final = 1 << 20
"""Unneeded bytes worth reading to save a request: 10 ms at 100 MB/s."""

LARGE: Final = 16 << 20
"""Bytes of a request from which on it gains nothing from being larger."""


class Merged(NamedTuple):
    """A request that serves several ranges.

    offset   offset of its first byte
    length   number of its bytes
    members  the indices of the ranges inside it
    """

    offset: int
    length: int
    members: list[int]


def merged(ranges: Sequence[tuple[int, int]], gap: int = DEFAULT_GAP) -> list[Merged]:
    """Join ranges of (offset, length) that are at most *gap* bytes apart, in order of offset."""
    requests: list[Merged] = []
    for index in sorted(range(len(ranges)), key=ranges.__getitem__):
        offset, length = ranges[index]
        if requests and _belongs(requests[-1], offset, length, gap):
            last = requests[-1]
            end = max(last.offset + last.length, offset + length)
            last.members.append(index)
            requests[-1] = last._replace(length=end - last.offset)
        else:
            requests.append(Merged(offset, length, [index]))
    return requests


def _belongs(request: Merged, offset: int, length: int, gap: int) -> bool:
    end = request.offset + request.length
    inside = offset + length <= end
    return inside or (offset - end <= gap and offset + length - request.offset <= LARGE)


Span: TypeAlias = "tuple[int, int] | None"
"""Bytes of a file from one offset up to another; None for all of it."""


def begins_in(span: Span, place: int) -> bool:
    """Return whether a block, stripe or row group that begins at *place* belongs to a span."""
    return span is None or span[0] <= place < span[1]
