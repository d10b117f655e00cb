"""Block codecs accept one payload of exactly the size in the header."""

from __future__ import annotations

import bz2
import gzip
from typing import TYPE_CHECKING

import cramjam
import lzallright
import pytest

from byteloom.errors import FormatError, Unsupported
from byteloom.hfile.codecs import fill

if TYPE_CHECKING:
    from collections.abc import Callable

CONTENT = b"one row, another row, and the same row again; " * 40
CHUNKED: dict[str, Callable[[bytes], bytes]] = {
    "SNAPPY": lambda data: bytes(cramjam.snappy.compress_raw(data)),
    "LZ4": lambda data: bytes(cramjam.lz4.compress_block(data, store_size=False)),
    "ZSTD": lambda data: bytes(cramjam.zstd.compress(data)),
    "BROTLI": lambda data: bytes(cramjam.brotli.compress(data)),
    "LZO": lambda data: bytes(lzallright.LZOCompressor().compress(data)),
}
WHOLE: dict[str, Callable[[bytes], bytes]] = {
    "GZ": gzip.compress,
    "BZIP2": bz2.compress,
    "ZSTD": CHUNKED["ZSTD"],
}


def u32(value: int) -> bytes:
    """Return a size in Hadoop's framing."""
    return value.to_bytes(4, "big")


def framed(codec: str, *groups: list[bytes]) -> bytes:
    """Return groups of chunks in Hadoop's framing."""
    out = b""
    for group in groups:
        out += u32(sum(map(len, group)))
        for part in group:
            chunk = CHUNKED[codec](part)
            out += u32(len(chunk)) + chunk
    return out


def filled(codec: str, data: bytes, size: int) -> bytes:
    """Return what *data* decompresses to in *size* bytes."""
    out = bytearray(size)
    fill(codec, data, memoryview(out))
    return bytes(out)


@pytest.mark.parametrize("codec", CHUNKED)
def test_groups_of_chunks_are_put_together(codec: str) -> None:
    """One chunk, several chunks or several groups decompress to their joined content."""
    half = len(CONTENT) // 2
    parts = [CONTENT[:half], CONTENT[half:]]
    for groups in ([[CONTENT]], [parts], [[part] for part in parts], [parts, []]):
        assert filled(codec, framed(codec, *groups), len(CONTENT)) == CONTENT


@pytest.mark.parametrize("codec", CHUNKED)
def test_no_content_is_the_empty_group(codec: str) -> None:
    """Empty content is a group of length 0, four zero bytes."""
    assert filled(codec, bytes(4), 0) == b""


@pytest.mark.parametrize("codec", WHOLE)
def test_a_whole_stream_is_read(codec: str) -> None:
    """A payload without chunks is read: always for GZ and BZIP2, and for ZSTD with its magic."""
    assert filled(codec, WHOLE[codec](CONTENT), len(CONTENT)) == CONTENT


@pytest.mark.parametrize("codec", [*CHUNKED, "GZ", "BZIP2"])
@pytest.mark.parametrize("more", [-1, 1])
def test_another_size_than_promised_is_refused(codec: str, more: int) -> None:
    """A payload of one byte more or less than the header says is refused."""
    data = framed(codec, [CONTENT]) if codec in CHUNKED else WHOLE[codec](CONTENT)
    with pytest.raises(FormatError, match=r"^(len_group|payload): found "):
        filled(codec, data, len(CONTENT) + more)


@pytest.mark.parametrize(
    ("data", "size", "found"),
    [
        (gzip.compress(CONTENT, mtime=0), len(CONTENT) - 1, "more than {} bytes when decompressed"),
        (
            gzip.compress(CONTENT, mtime=0)[:-9],
            len(CONTENT),
            "a gzip member whose end is missing, after ",
        ),
        (gzip.compress(CONTENT, mtime=0) + b"more", len(CONTENT), "4 bytes after the gzip member"),
    ],
)
def test_what_is_wrong_with_a_gzip_member_is_said(data: bytes, size: int, found: str) -> None:
    """The error about a gzip member says whether it is too long, cut off, or followed by bytes."""
    with pytest.raises(FormatError) as caught:
        filled("GZ", data, size)
    assert str(caught.value).startswith(f"payload: found {found.format(size)}")
    assert caught.value.wanted == f"one gzip member of {size} bytes"


@pytest.mark.parametrize("codec", [*CHUNKED, "GZ", "BZIP2"])
def test_every_prefix_is_refused(codec: str) -> None:
    """A payload that is cut before the end of its content is refused."""
    data = framed(codec, [CONTENT]) if codec in CHUNKED else WHOLE[codec](CONTENT)
    for size in range(len(data)):
        try:
            found = filled(codec, data[:size], len(CONTENT))
        except FormatError:
            continue
        assert found == CONTENT  # all content was there: only an end mark was cut off


def test_a_chunk_longer_than_the_payload_is_refused_before_it_is_read() -> None:
    """A chunk that exceeds the payload is refused before it is read."""
    with pytest.raises(FormatError, match=r"^chunk\.data at byte 4 .* wanted 2147483648 bytes"):
        filled("SNAPPY", u32(8) + u32(1 << 31) + b"abc", 8)


def test_lzma_is_refused_by_name() -> None:
    """LZMA is refused by name, since HBase publishes no module that has its framing."""
    with pytest.raises(Unsupported, match="LZMA"):
        filled("LZMA", b"", 0)
