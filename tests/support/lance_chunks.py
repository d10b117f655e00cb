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

__all__ = ["FIRST", "chunks", "encoding", "flat", "ints", "page_of", "variable"]

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
