"""The codecs of Avro's blocks, which decompress up to a given size into a buffer that grows.

The rules:

- Some writers put each record into its own block, and calling through Python costs more than
  inflating it.  So ISA-L's own function is called from a compiled loop, if the package ``isal``
  exports it and a trial call works.
- Bytes after the end of a deflate stream in its block are ignored: fastavro leaves part of a
  checksum there.

Source: Apache Avro specification, "Required Codecs" and "Optional Codecs"; ISA-L,
``include/igzip_lib.h``.
"""

from __future__ import annotations

import ctypes
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np
from isal import isal_zlib

from byteloom.codecs.compression import zstd_frames
from byteloom.errors import ChecksumMismatch, FormatError, Truncated
from byteloom.kernels.compressed_blocks import STATE, inflate_blocks
from byteloom.late import cramjam

if TYPE_CHECKING:
    from bz2 import BZ2Decompressor
    from lzma import LZMADecompressor

    from numpy.typing import NDArray

__all__ = ["UNDO", "Content", "inflate_deflate", "undo_deflate", "wrong_block"]


class Content:
    """Bytes, one block after the other.

    data  the buffer, which may be longer than its content
    size  bytes of its content
    """

    def __init__(self, room: int = 0) -> None:
        """Begin empty, with *room* bytes reserved; unused ones take no memory."""
        self.data: NDArray[np.uint8] = np.empty(room, np.uint8)
        self.size = 0

    @property
    def held(self) -> NDArray[np.uint8]:
        """The bytes added so far."""
        return self.data[: self.size]

    def reserve(self, room: int) -> None:
        """Make room for *room* bytes in total."""
        if len(self.data) < room:
            longer = np.empty(room, np.uint8)
            longer[: self.size] = self.held
            self.data = longer

    def append(self, part: bytes | memoryview | NDArray[np.uint8]) -> None:
        """Add *part*."""
        end = self.size + len(part)
        if end > len(self.data):
            self.reserve(2 * end)
        self.data[self.size : end] = np.frombuffer(part, np.uint8)
        self.size = end


_MOST: Final = 1032
"""Most bytes that one byte of deflate can decompress to."""

_END_INPUT, _OVERFLOW = 1, 2
_LONGEST: Final = 1 << 31
_GUESS: Final = 5
_SLACK: Final = 1 << 16


def wrong_block(codec: str, start: int) -> FormatError:
    """Return the error for a block that does not decompress."""
    return FormatError("avro.block", start, f"no {codec}", "data of its codec")


def undo_deflate(data: memoryview, most: int) -> bytes:
    """Return the content of raw deflate; it is cut one byte after *most*."""
    if len(data) * _MOST <= most:
        with suppress(Exception):  # an error of the library; the code below finds out what is wrong
            whole: bytes = isal_zlib.decompress(data, wbits=-zlib.MAX_WBITS)
            return whole
    stream = isal_zlib.decompressobj(wbits=-zlib.MAX_WBITS)
    content: bytes = stream.decompress(data, max_length=most + 1)
    if not stream.eof and len(content) <= most:
        raise Truncated("", None, "a stream that does not end", "whole deflate data")
    return content


def inflate_deflate(
    data: NDArray[np.uint8], table: NDArray[np.int64], content: Content, allowance: int
) -> NDArray[np.int64] | None:
    """Inflate blocks into *content*; return where each ends, or None if ISA-L cannot be called.

    It stops before the first block that does not fit.

    table      int64[block, 3]: records, start and size in *data*
    allowance  most bytes of all their content
    """
    function = _function()
    if function is None or not len(table) or table[:, 2].max() >= _LONGEST:
        return None
    state, ends = _state(), np.zeros(len(table), np.int64)
    most = content.size + allowance
    content.reserve(min(content.size + _GUESS * int(table[:, 2].sum()) + _SLACK, most))
    block = 0
    while True:
        room = content.data[: min(len(content.data), most)]
        block, code = inflate_blocks(function, state, data, table, block, room, content.size, ends)
        content.size = int(ends[block - 1]) if block else content.size
        if code == 0:
            return ends
        start = int(table[block, 1])
        if code == _END_INPUT:
            raise Truncated("avro.block", start, "a stream that does not end", "whole deflate data")
        if code != _OVERFLOW:
            raise wrong_block("deflate", start)
        if len(room) >= most:
            return ends[:block]
        content.reserve(min(2 * len(content.data) + _SLACK, most))


@cache
def _library() -> ctypes.CDLL | None:
    """Return the ISA-L library inside the package ``isal``; None if there is none."""
    try:
        return ctypes.CDLL(isal_zlib.__file__)
    except (OSError, AttributeError, TypeError):
        return None


@cache
def _function() -> int | None:
    """Return the address of ``isal_inflate_stateless``, if a trial call works."""
    library = _library()
    if library is None or not hasattr(library, "isal_inflate_stateless"):
        return None
    address = ctypes.cast(library.isal_inflate_stateless, ctypes.c_void_p).value or 0
    sample = b"byteloom" * 40
    packed = np.frombuffer(zlib.compress(sample, wbits=-zlib.MAX_WBITS), np.uint8)
    table, ends = np.array([[1, 0, len(packed)]], np.int64), np.zeros(1, np.int64)
    content = np.zeros(2 * len(sample), np.uint8)
    answer = inflate_blocks(address, _state(), packed, table, 0, content, 0, ends)
    works = answer == (1, 0) and content[: ends[0]].tobytes() == sample
    return address if works else None


def _state() -> NDArray[np.uint8]:
    """Return the decompression state of this thread."""
    state = np.zeros(STATE, np.uint8)
    library = _library()
    if library is not None:
        library.isal_inflate_init(ctypes.c_void_p(state.ctypes.data))
    return state


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
