"""Block codecs accept one payload of exactly the size in the header.

Payloads are given to the codecs themselves: no writer makes these.
"""

from __future__ import annotations

import bz2
import gzip
from typing import TYPE_CHECKING

import cramjam
import lzallright
import pytest

from byteloom.errors import FormatError, Truncated, Unsupported
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


def snappy(data: bytes) -> bytes:
    """Return a chunk after its size."""
    stored = bytes(cramjam.snappy.compress_raw(data))
    return u32(len(stored)) + stored


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


@pytest.mark.parametrize(
    ("data", "size", "kind", "said"),
    [
        (u32(4) + snappy(b"abcd"), 3, FormatError, "len_group: found 4, wanted at most 3"),
        (
            u32(2) + snappy(b"ab") + u32(2) + snappy(b"cd"),
            3,
            FormatError,
            "len_group: found 2, wanted at most 1",
        ),
        (
            u32(4) + snappy(b"abcd"),
            5,
            FormatError,
            "payload: found 4 bytes in SNAPPY, wanted 5 bytes",
        ),
        (
            u32(4) + snappy(b"abc") + snappy(b""),
            4,
            FormatError,
            "chunk: found a chunk of 0 bytes, wanted chunks that fill their group",
        ),
        (
            u32(4) + u32(0),
            4,
            FormatError,
            "chunk.len_chunk at byte 0 (0x0): found 0, wanted at least 1",
        ),
        (
            u32(4) + u32(5) + b"abcd",
            4,
            Truncated,
            "chunk.data at byte 4 (0x4): found 4 bytes left, wanted 5 bytes",
        ),
        (
            u32(4) + b"\0\0\0",
            4,
            Truncated,
            "chunk.len_chunk at byte 0 (0x0): found 3 bytes left, wanted 4 bytes",
        ),
        (
            b"\0\0\0",
            4,
            Truncated,
            "framing.len_group at byte 0 (0x0): found 3 bytes left, wanted 4 bytes",
        ),
    ],
)
def test_sizes_are_those_of_what_is_there(
    data: bytes, size: int, kind: type[FormatError], said: str
) -> None:
    """Sizes of groups, chunks and the whole that do not match the bytes are refused."""
    with pytest.raises(kind) as error:
        filled("SNAPPY", data, size)
    assert str(error.value) == said


def test_a_chunk_may_be_as_long_as_what_is_left() -> None:
    """A chunk may extend to the last byte of the payload."""
    data = u32(4) + snappy(b"ab") + snappy(b"cd") + u32(2) + snappy(b"ef")
    assert filled("SNAPPY", data, 6) == b"abcdef"


def test_other_codecs_are_listed() -> None:
    """The error for LZMA, for which HBase publishes no module, lists the known codecs."""
    wanted = "wanted one of GZ, BZIP2, SNAPPY, LZ4, ZSTD, BROTLI, LZO$"
    with pytest.raises(Unsupported, match=f"^compression_codec: found LZMA, {wanted}"):
        filled("LZMA", b"", 0)
