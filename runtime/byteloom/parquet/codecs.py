"""The codecs of Parquet's pages, each as a function that fills given memory.

The rules:

- A function returns how many bytes it has written.  It returns a negative number for content that
  states another size than the memory has, and raises its library's own error for damage.
- No more is written or allocated than the memory holds, whatever a page claims.
- Zstandard frames of many pages are decompressed in one call of the library's own function, which
  the package ``zstandard`` exports; one by one where that is missing, or loops are not compiled.

Source: https://parquet.apache.org/docs/file-format/data-pages/compression/; Zstandard, ``zstd.h``,
``ZSTD_decompressDCtx``.
"""

from __future__ import annotations

import ctypes
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from byteloom.kernels.compressed_blocks import decompress_frames
from byteloom.kernels.parquet_structs import numbers
from byteloom.late import cramjam, isal_zlib, zstandard
from byteloom_generated.parquet.footers import CODECS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Bytes = NDArray[np.uint8]
    Decoder = Callable[[memoryview, memoryview], int]

__all__ = ["COMPRESSED", "UNCOMPRESSED", "are_filled", "decoder", "frames_decompressed"]


def frames_decompressed(data: Bytes, ranges: Numbers, out: Bytes) -> bool | None:
    """Decompress frames into their places; return whether all fill them, None if it cannot do so.

    data, out  what the frames are in, and what they are decompressed into
    ranges     int64[frame, 4]: begin and end in *data*, begin and end in *out*
    """
    library = _library()
    if library is None or not decompress_frames.is_worth_it(len(ranges)):
        return None
    return _decompressed(library, data, ranges, out)


def _decompressed(library: ctypes.CDLL, data: Bytes, ranges: Numbers, out: Bytes) -> bool:
    """Decompress frames with a working memory of this call's own."""
    context = library.ZSTD_createDCtx()
    if not context:  # memory is short, and the library would end the process
        return False
    function = ctypes.cast(library.ZSTD_decompressDCtx, ctypes.c_void_p).value
    try:
        return bool(decompress_frames(function, context, data, ranges, out) == len(ranges))
    finally:
        library.ZSTD_freeDCtx(context)


@cache
def _library() -> ctypes.CDLL | None:
    """Return the library; None if its functions cannot be found, or a trial call does not work."""
    try:
        found = find_spec("zstandard._cffi")
        if found is None or found.origin is None:
            return None
        library = ctypes.CDLL(found.origin)
        library.ZSTD_createDCtx.restype = ctypes.c_void_p
        library.ZSTD_freeDCtx.argtypes = [ctypes.c_void_p]
        content = b"byteloom" * 40
        frame, out = zstandard.compress(content), np.zeros(len(content), np.uint8)
        ranges = np.array([[0, len(frame), 0, len(out)]])
        works = _decompressed(library, np.frombuffer(frame, np.uint8), ranges, out)
    except (ImportError, AttributeError, OSError):
        return None
    return library if works and out.tobytes() == content else None


(UNCOMPRESSED,) = numbers(CODECS, "UNCOMPRESSED")
_SNAPPY, _GZIP, _BROTLI, _ZSTD, _LZ4 = numbers(
    CODECS, "SNAPPY", "GZIP", "BROTLI", "ZSTD", "LZ4_RAW"
)
COMPRESSED: Final = frozenset({_SNAPPY, _GZIP, _BROTLI, _ZSTD, _LZ4})
"""Numbers of the codecs that `decoder` knows."""

_UNKNOWN: Final = -1
"""Zstandard's value for a frame of unknown size."""

_GZIP_WINDOW: Final = 31
"""The largest window, in a member of gzip, as zlib writes the two in one number."""


def decoder(codec: int) -> Decoder:
    """Return a function that decompresses its first argument into its second.

    codec  a number in `COMPRESSED`

    The function must not be called by two threads at the same time.
    """
    if codec == _ZSTD:
        return _zstd()
    if codec == _GZIP:
        return _gzip

    found: Mapping[int, Decoder] = {
        _SNAPPY: cramjam.snappy.decompress_raw_into,
        _BROTLI: cramjam.brotli.decompress_into,
        _LZ4: cramjam.lz4.decompress_block_into,
    }
    return found[codec]


def are_filled(codecs: Numbers, data: Bytes, ranges: Numbers, out: Bytes) -> bool:
    """Decompress pages into their places; return whether each fills its place.

    codecs     int64[page]: numbers in `COMPRESSED`
    data, out  what the pages are in, and what they are decompressed into
    ranges     int64[page, 4]: begin and end in *data*, begin and end in *out*
    """
    return all(
        _are_filled(codec, data, ranges[codecs == codec], out)
        for codec in np.unique(codecs).tolist()
    )


def _are_filled(codec: int, data: Bytes, ranges: Numbers, out: Bytes) -> bool:
    """Decompress pages of one codec."""
    if codec == _ZSTD:
        found = frames_decompressed(data, ranges, out)
        if found is not None:
            return found
    decode, view, room = decoder(codec), memoryview(cast("Any", data)), memoryview(cast("Any", out))
    try:
        return all(
            decode(view[begin:end], room[first:last]) == last - first
            for begin, end, first, last in ranges.tolist()
        )
    except Exception:  # noqa: BLE001  each library raises errors of its own
        return False


def _gzip(data: memoryview, out: memoryview) -> int:
    """Decompress a page of gzip: one member, as all writers make, or several."""
    member = isal_zlib.decompressobj(_GZIP_WINDOW)
    content = member.decompress(data, len(out) + 1)
    if member.unused_data:
        # In one call: going on here would copy the rest of the page once for each member.
        return int(cramjam.gzip.decompress_into(data, out))
    if not member.eof or len(content) > len(out):
        return -1
    out[: len(content)] = content
    return len(content)


def _zstd() -> Decoder:
    """Return a decoder of frames that keeps its working memory from one call to the next."""
    inflate = zstandard.ZstdDecompressor().decompress

    def decode(data: memoryview, out: memoryview) -> int:
        # A frame that states its size gets that much room, whatever its page header says.
        if zstandard.frame_content_size(data) not in {len(out), _UNKNOWN}:
            return -1
        # Decompress into recently used memory, and copy to the final place.
        content = inflate(data, max_output_size=len(out), allow_extra_data=False)
        out[: len(content)] = content
        return len(content)

    return decode
