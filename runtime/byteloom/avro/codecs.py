"""The codecs of Avro's blocks, which decompress up to a given size.

Source: Apache Avro specification, "Required Codecs" and "Optional Codecs".
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from byteloom.avro.deflate import undo_deflate
from byteloom.codecs.compression import zstd_frames
from byteloom.errors import ChecksumMismatch, Truncated
from byteloom.late import cramjam

if TYPE_CHECKING:
    from bz2 import BZ2Decompressor
    from lzma import LZMADecompressor

__all__ = ["UNDO"]


def _undo_zstandard(data: memoryview, most: int) -> bytes:
    """Decompress Zstandard frames."""
    return zstd_frames(data, most)


def _undo_snappy(data: memoryview, most: int) -> bytes:
    """Decompress raw Snappy, and check the CRC-32 that follows it."""
    raw, stored = data[:-4], int.from_bytes(data[-4:], "big")
    if cramjam.snappy.decompress_raw_len(raw) > most:
        return b"\0" * (most + 1)
    content = bytes(cramjam.snappy.decompress_raw(raw))
    if zlib.crc32(content) != stored:
        raise ChecksumMismatch("crc", None, f"{zlib.crc32(content):#x}", f"{stored:#x}")
    return content


def _undo_bzip2(data: memoryview, most: int) -> bytes:
    """Decompress bzip2."""
    import bz2

    return _whole(bz2.BZ2Decompressor(), data, most)


def _undo_xz(data: memoryview, most: int) -> bytes:
    """Decompress XZ."""
    import lzma

    return _whole(lzma.LZMADecompressor(memlimit=1 << 30), data, most)


def _whole(stream: BZ2Decompressor | LZMADecompressor, data: memoryview, most: int) -> bytes:
    """Return the content of a complete stream, cut one byte after *most*."""
    content = stream.decompress(data, max_length=most + 1)
    if not stream.eof and len(content) <= most:
        raise Truncated("", None, "a stream that does not end", "data of its codec")
    return content


UNDO: Final[dict[str, Callable[[memoryview, int], bytes | memoryview]]] = {
    "null": lambda data, _: data,
    "deflate": undo_deflate,
    "zstandard": _undo_zstandard,
    "snappy": _undo_snappy,
    "bzip2": _undo_bzip2,
    "xz": _undo_xz,
}
"""The function that decompresses a block, by codec; it stops one byte after its bound."""
