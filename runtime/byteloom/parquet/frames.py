"""Zstandard frames of many pages, decompressed in one call of the library's own function.

The function is in the package ``zstandard``, in the part that exports the library's functions.
Pages are decompressed one by one where that is missing, or where loops are not compiled.

Source: Zstandard, ``zstd.h``, ``ZSTD_decompressDCtx``.
"""

from __future__ import annotations

from ctypes import CDLL, c_void_p, cast
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from byteloom.kernels.compressed_blocks import decompress_frames
from byteloom.late import zstandard

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Bytes = NDArray[np.uint8]

__all__ = ["frames_decompressed"]


def frames_decompressed(data: Bytes, ranges: Numbers, out: Bytes) -> bool | None:
    """Decompress frames into their places; return whether all fill them, None if it cannot do so.

    data, out  what the frames are in, and what they are decompressed into
    ranges     int64[frame, 4]: begin and end in *data*, begin and end in *out*
    """
    library = _library()
    if library is None or not decompress_frames.is_worth_it(len(ranges)):
        return None
    return _decompressed(library, data, ranges, out)


def _decompressed(library: CDLL, data: Bytes, ranges: Numbers, out: Bytes) -> bool:
    """Decompress frames with a working memory of this call's own."""
    context = library.ZSTD_createDCtx()
    if not context:  # memory is short, and the library would end the process
        return False
    function = cast(library.ZSTD_decompressDCtx, c_void_p).value
    try:
        return bool(decompress_frames(function, context, data, ranges, out) == len(ranges))
    finally:
        library.ZSTD_freeDCtx(context)


@cache
def _library() -> CDLL | None:
    """Return the library; None if its functions cannot be found, or a trial call does not work."""
    try:
        found = find_spec("zstandard._cffi")
        if found is None or found.origin is None:
            return None
        library = CDLL(found.origin)
        library.ZSTD_createDCtx.restype = c_void_p
        library.ZSTD_freeDCtx.argtypes = [c_void_p]
        content = b"byteloom" * 40
        frame, out = zstandard.compress(content), np.zeros(len(content), np.uint8)
        ranges = np.array([[0, len(frame), 0, len(out)]])
        works = _decompressed(library, np.frombuffer(frame, np.uint8), ranges, out)
    except (ImportError, AttributeError, OSError):
        return None
    return library if works and out.tobytes() == content else None
