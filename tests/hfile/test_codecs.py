"""What block codecs accept: one payload of just the size that the header promises."""

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
    """A size in Hadoop's framing."""
    return value.to_bytes(4, "big")


def framed(codec: str, *groups: list[bytes]) -> bytes:
    """Groups of chunks."""
    out = b""
    for group in groups:
        out += u32(sum(map(len, group)))
        for part in group:
            chunk = CHUNKED[codec](part)
            out += u32(len(chunk)) + chunk
    return out


def filled(codec: str, data: bytes, size: int) -> bytes:
    """What becomes of *data* in *size* bytes."""
    out = bytearray(size)
    fill(codec, data, memoryview(out))
    return bytes(out)


@pytest.mark.parametrize("codec", CHUNKED)
def test_groups_of_chunks_are_put_together(codec: str) -> None:
    """One chunk, several chunks, several groups, and the empty group after them."""
    half = len(CONTENT) // 2
    parts = [CONTENT[:half], CONTENT[half:]]
    for groups in ([[CONTENT]], [parts], [[part] for part in parts], [parts, []]):
        assert filled(codec, framed(codec, *groups), len(CONTENT)) == CONTENT


@pytest.mark.parametrize("codec", CHUNKED)
def test_no_content_is_the_empty_group(codec: str) -> None:
    """Four zeros, and nothing comes out."""
    assert filled(codec, bytes(4), 0) == b""


@pytest.mark.parametrize("codec", WHOLE)
def test_a_whole_stream_is_read(codec: str) -> None:
    """What GZ and BZIP2 always are, and ZSTD where its magic begins the payload."""
    assert filled(codec, WHOLE[codec](CONTENT), len(CONTENT)) == CONTENT


@pytest.mark.parametrize("codec", [*CHUNKED, "GZ", "BZIP2"])
@pytest.mark.parametrize("more", [-1, 1])
def test_another_size_than_promised_is_refused(codec: str, more: int) -> None:
    """Neither a byte too many nor a byte too few."""
    data = framed(codec, [CONTENT]) if codec in CHUNKED else WHOLE[codec](CONTENT)
    with pytest.raises(FormatError, match=r"^(len_group|payload): found "):
        filled(codec, data, len(CONTENT) + more)


@pytest.mark.parametrize("codec", [*CHUNKED, "GZ", "BZIP2"])
def test_every_prefix_is_refused(codec: str) -> None:
    """A payload that ends early never passes for a whole one."""
    data = framed(codec, [CONTENT]) if codec in CHUNKED else WHOLE[codec](CONTENT)
    for size in range(len(data)):
        try:
            found = filled(codec, data[:size], len(CONTENT))
        except FormatError:
            continue
        assert found == CONTENT  # all content was there: only an end mark was cut off


def test_a_chunk_longer_than_the_payload_is_refused_before_it_is_read() -> None:
    """The length is compared with the bytes there are."""
    with pytest.raises(FormatError, match=r"^chunk\.data at byte 4 .* wanted 2147483648 bytes"):
        filled("SNAPPY", u32(8) + u32(1 << 31) + b"abc", 8)


def test_lzma_is_refused_by_name() -> None:
    """No module of HBase writes it, so that nobody knows its framing."""
    with pytest.raises(Unsupported, match="LZMA"):
        filled("LZMA", b"", 0)
