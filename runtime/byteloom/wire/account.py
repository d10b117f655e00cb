"""The cost of one read so far, compared with its limits.

All windows, views and streams of a read share one account: a file cannot use up a limit separately
in each of its parts.  Elements of no bytes count against an allowance for the whole file.
"""

from __future__ import annotations

import zlib
from typing import Final

from byteloom.limits import FREE_EXPANSION, Limits

__all__ = ["Account", "inflate"]

_FED: Final = 1 << 16
"""Bytes that are decompressed at a time; the remaining input is copied each time."""

_STEP: Final = 1 << 20
"""Bytes that are produced at a time, which need as much memory again for a moment."""


class Account:
    """The account of one read.

    depth    the present nesting of records, and the deepest that is allowed
    objects  the number of records, and the most that are allowed
    elements  the most elements that a repeated field may have
    empty    how many more elements of no bytes are allowed
    room     how many more bytes decompression may produce
    """

    __slots__ = ("deepest", "depth", "elements", "empty", "most", "objects", "room")

    def __init__(self, size: int, limits: Limits) -> None:
        """Open the account for a read of *size* bytes."""
        self.depth, self.deepest = 0, limits.nesting
        self.objects, self.most = 0, limits.objects
        self.elements = limits.elements
        self.empty = limits.empty_elements + size
        self.room = FREE_EXPANSION + limits.expansion * size


def inflate(raw: bytes, most: int) -> bytes | None:
    """Decompress *raw* with zlib; return None if the result has more than *most* bytes.

    errors  zlib.error: not a zlib stream; EOFError: it ends too early
    """
    stream, source = zlib.decompressobj(), memoryview(raw)
    parts, size, at, rest = list[bytes](), 0, 0, b""
    while not stream.eof:
        if not rest:
            rest = bytes(source[at : at + _FED])
            at += len(rest)
        part = stream.decompress(rest, min(_STEP, most + 1 - size))
        parts.append(part)
        size += len(part)
        if size > most:
            return None
        rest = stream.unconsumed_tail
        if not part and not rest and at == len(source) and not stream.eof:
            raise EOFError
    return parts[0] if len(parts) == 1 else b"".join(parts)
