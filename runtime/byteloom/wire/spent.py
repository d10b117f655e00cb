"""What one read has cost so far, of what its limits allow.

All windows, views and streams of a read share one account: a file cannot spend a limit once in
every part of it.  What takes no bytes of the file counts against an allowance for the whole file.
"""

from __future__ import annotations

import zlib
from typing import Final

from byteloom.limits import FREE_EXPANSION, Limits

__all__ = ["Spent", "inflate"]

_FED: Final = 1 << 16
"""Bytes decompressed at a time: what is left of them is copied."""

_STEP: Final = 1 << 20
"""Bytes made at a time: as many again are needed for a moment."""


class Spent:
    """How deep and how much one read has gone.

    depth    records inside records
    objects  records
    empty    elements that took no bytes, and are not paid for, which may still come
    room     bytes that decompression may still make
    """

    __slots__ = ("depth", "empty", "objects", "room")

    def __init__(self, size: int, limits: Limits) -> None:
        """Begin a read of *size* bytes."""
        self.depth = 0
        self.objects = 0
        self.empty = limits.empty_elements + size
        self.room = FREE_EXPANSION + limits.expansion * size


def inflate(raw: bytes, most: int) -> bytes | None:
    """Return *raw* decompressed by zlib; None for more than *most* bytes, which are not kept.

    errors  zlib.error: no zlib stream; EOFError: one that ends too early
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
