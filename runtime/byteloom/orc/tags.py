"""Check the tags of unions in an ORC stripe before the library reads them.

A tag says which type inside the union has the value.  The library counts the values of each without
comparing the tag with their number, in memory that may be something else's.

Source: https://orc.apache.org/specification/ORCv1/ ("Union Columns", "Byte Run Length Encoding")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError
from byteloom.orc.run_parts import take_parts

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["check_tags"]

_RUN: Final = 128
"""Heads below are of runs of one byte, of this number less, and 3 more."""


def check_tags(parts: Iterable[bytes], inner: int, most: int, where: str, offset: int) -> None:
    """Refuse a stream of at most *most* tags if one of them is of no type inside the union.

    inner        how many types are inside
    where        the name of the column in errors
    offset       offset of the stream in the file
    FormatError  such a tag
    """
    seen = 0

    def take(data: bytes) -> tuple[int, bool]:
        nonlocal seen
        at = 0
        while seen < most and at + 1 < len(data):
            head = data[at]
            count = head + 3 if head < _RUN else 256 - head
            end = at + 2 if head < _RUN else at + 1 + count
            if end > len(data):
                break
            if (tag := max(data[at + 1 : end])) >= inner:
                raise FormatError(where, offset, f"a tag of {tag}", f"tags below {inner}")
            seen, at = seen + count, end
        return at, seen >= most

    take_parts(parts, take)
