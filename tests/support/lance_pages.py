"""Encodings of pages of version 2.0, in few words."""

from __future__ import annotations

import numpy as np
from tests.support.lance_files import StoredPage

from byteloom_generated.lance import encodings20 as e

__all__ = [
    "all_nulls",
    "binary",
    "bitmap",
    "ends",
    "flat",
    "no_nulls",
    "page",
    "some_nulls",
]

URL = "/lance.encodings.ArrayEncoding"


def flat(bits: int, index: int = 0, scheme: str | None = None) -> e.ArrayEncoding:
    """Values of a given number of bits in a buffer."""
    compression = None if scheme is None else e.Compression(scheme=scheme)
    buffer = e.Buffer(buffer_index=index)
    return e.ArrayEncoding(flat=e.Flat(bits_per_value=bits, buffer=buffer, compression=compression))


def no_nulls(values: e.ArrayEncoding) -> e.ArrayEncoding:
    """Values of which none is null."""
    return e.ArrayEncoding(nullable=e.Nullable(no_nulls=e.Nullable.NoNull(values=values)))


def some_nulls(validity: e.ArrayEncoding, values: e.ArrayEncoding) -> e.ArrayEncoding:
    """Values after a bitmap."""
    some = e.Nullable.SomeNull(validity=validity, values=values)
    return e.ArrayEncoding(nullable=e.Nullable(some_nulls=some))


def all_nulls() -> e.ArrayEncoding:
    """An encoding of nothing but nulls."""
    return e.ArrayEncoding(nullable=e.Nullable(all_nulls=e.Nullable.AllNull()))


def binary(size: int, index: int = 0) -> e.ArrayEncoding:
    """Text of a given number of bytes in all: ends in one buffer, bytes in the next."""
    found = e.Binary(
        indices=no_nulls(flat(64, index)), bytes=flat(8, index + 1), null_adjustment=size + 1
    )
    return e.ArrayEncoding(binary=found)


def ends(*values: int) -> bytes:
    """Unsigned 64-bit integers."""
    return np.array(values, "<u8").tobytes()


def bitmap(*bits: int) -> bytes:
    """Bits, the lowest of a byte first."""
    return np.packbits(np.array(bits, np.uint8), bitorder="little").tobytes()


def page(rows: int, encoding: e.ArrayEncoding, *buffers: bytes) -> StoredPage:
    """A page of a given number of rows."""
    return StoredPage(rows, URL, encoding, list(buffers))
