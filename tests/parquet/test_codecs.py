"""Pages decompress into memory of the size that their headers state, and into no other."""

from __future__ import annotations

import gzip
from time import process_time

import pyarrow as pa
import pytest

from byteloom.parquet.codecs import COMPRESSED, decoder
from byteloom_generated.parquet.footers import CODECS

CONTENT = bytes(range(256)) * 9 + b"the end"
NAMES = {each.number: each.name.lower() for each in CODECS if each.number in COMPRESSED}
GZIP = next(number for number, name in NAMES.items() if name == "gzip")


def filled(codec: int, data: bytes, size: int) -> bytes | None:
    """Return what a page decompresses to; None if it is refused, or has another size."""
    out = bytearray(size)
    try:
        written = decoder(codec)(memoryview(data), memoryview(out))
    except Exception:  # noqa: BLE001  each library raises errors of its own
        return None
    return bytes(out) if written == size else None


@pytest.mark.parametrize("codec", NAMES, ids=NAMES.__getitem__)
def test_sizes(codec: int) -> None:
    """A page fills memory of its content's size, but none that is one byte larger or smaller."""
    page = pa.Codec(NAMES[codec]).compress(CONTENT, asbytes=True)
    size = len(CONTENT)
    assert [filled(codec, page, each) for each in (size - 1, size, size + 1)] == [
        None,
        CONTENT,
        None,
    ]


@pytest.mark.parametrize("codec", NAMES, ids=NAMES.__getitem__)
def test_every_prefix_is_refused(codec: int) -> None:
    """A page of which any number of last bytes is missing is refused."""
    page = pa.Codec(NAMES[codec]).compress(CONTENT, asbytes=True)
    assert not any(filled(codec, page[:end], len(CONTENT)) for end in range(len(page)))


def test_members_of_gzip() -> None:
    """A page of several members is their content; other bytes after them are refused."""
    page = gzip.compress(CONTENT[:100]) + gzip.compress(CONTENT[100:])
    assert filled(GZIP, page, len(CONTENT)) == CONTENT
    assert filled(GZIP, page + b"\0", len(CONTENT)) is None
    assert filled(GZIP, page, len(CONTENT) - 1) is None


def test_many_members_of_gzip_take_no_longer_for_each() -> None:
    """A page of very many empty members, is read in time that grows with its size alone."""
    page = gzip.compress(b"") * 80_000 + gzip.compress(CONTENT)
    begun = process_time()
    assert filled(GZIP, page, len(CONTENT)) == CONTENT
    assert process_time() - begun < 5
