"""Chunks of Lance pages for codecs to decode, and the encodings that describe them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from byteloom.lance.column_metadata import Description, Page
from byteloom.lance.pages21.parts import Buffers, Chunks
from byteloom.lance.stored_pages import StoredPage
from byteloom.limits import DEFAULT_LIMITS
from byteloom.storage.sources import BytesSource
from byteloom_generated.lance import encodings21 as e

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.limits import Limits

__all__ = [
    "FIRST",
    "chunks",
    "encoding",
    "flat",
    "ints",
    "page_of",
    "shorts",
    "symbols",
    "texts",
    "variable",
    "words_of",
]

FIRST = 1000
"""Where the first chunk is said to be in its file; others follow every hundred bytes."""


def encoding(**kind: Any) -> e.CompressiveEncoding:
    """An encoding of one kind."""
    return e.CompressiveEncoding(**kind)


def flat(bits: int) -> e.CompressiveEncoding:
    """Values as they are."""
    return encoding(flat=e.Flat(bits_per_value=bits))


def variable(bits: int = 32) -> e.CompressiveEncoding:
    """Values of any length, after offsets of a given number of bits."""
    return encoding(variable=e.Variable(offsets=flat(bits)))


def ints(kind: str, *values: int) -> bytes:
    """Integers of a NumPy type."""
    return np.array(values, kind).tobytes()


def shorts(*values: int) -> bytes:
    """Integers of 16 bits."""
    return ints("<i2", *values)


def texts(*values: bytes) -> bytes:
    """A buffer of a chunk: offsets of 32 bits from its own beginning, and bytes."""
    offsets = 4 * (len(values) + 1) + np.cumsum([0, *map(len, values)])
    return offsets.astype("<u4").tobytes() + b"".join(values)


def symbols(*pieces: bytes, is_coded: bool = True) -> bytes:
    """An FSST table of symbols."""
    head = bytes([len(pieces), 0, 0, is_coded]) + b"TSSF"
    return head + b"".join(each.ljust(8, b"\0") for each in pieces) + bytes(map(len, pieces))


def words_of(*chunks: bytes, logs: Sequence[int] = (0,)) -> bytes:
    """The words of chunks: the size of each, and of all but the last the power of its values."""
    pairs = zip(chunks, logs, strict=True)
    return ints("<u2", *[(len(each) // 8 - 1) << 4 | log for each, log in pairs])


def chunks(
    counts: Sequence[int], *buffers: Sequence[bytes], limits: Limits = DEFAULT_LIMITS
) -> Chunks:
    """Chunks of a given number of values, named ``p``.

    buffers  each of all chunks: the first of every chunk, then the second
    """
    made = tuple(Buffers.of([np.frombuffer(b, np.uint8).copy() for b in each]) for each in buffers)
    places = FIRST + 100 * np.arange(len(counts))
    return Chunks("p", places, np.array(counts, np.int64), made, limits)


def page_of(*buffers: bytes, length: int = 1, limits: Limits = DEFAULT_LIMITS) -> StoredPage:
    """A page named ``p`` of these buffers, described at byte 7."""
    ends = np.cumsum([len(each) for each in buffers]).tolist()
    places = tuple((end - len(each), len(each)) for end, each in zip(ends, buffers, strict=True))
    page = Page("p", 7, length, 0, 0, places, Description("", b""))
    return StoredPage(page, BytesSource(b"".join(buffers)), limits)
