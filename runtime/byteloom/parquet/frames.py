"""Zstandard frames of many pages, decompressed in one call of the library's own function.

The function is in the package ``zstandard``, in its part for cffi; pages are decompressed one by
one where that is missing, or where loops are not compiled.

Source: Zstandard, ``zstd.h``, ``ZSTD_decompressDCtx``.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

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
    from byteloom.kernels.zstd_frames import decompress_frames

    library = _library()
    if library is None or not decompress_frames.is_worth_it(len(ranges)):
        return None
    return _decompressed(library, data, ranges, out)


def _decompressed(library: Any, data: Bytes, ranges: Numbers, out: Bytes) -> bool:
    """Decompress frames with a working memory of this call's own."""
    from byteloom.kernels.zstd_frames import decompress_frames

    functions, address = library.lib, library.ffi.cast
    context = library.ffi.gc(functions.ZSTD_createDCtx(), functions.ZSTD_freeDCtx)
    function = library.ffi.addressof(functions, "ZSTD_decompressDCtx")
    numbers = (int(address("intptr_t", each)) for each in (function, context))
    # The library has none if memory is short, and would end the process.
    return bool(context) and bool(decompress_frames(*numbers, data, ranges, out) == len(ranges))


@cache
def _library() -> Any:
    """Return what calls the library; None if a trial call does not work."""
    import zstandard

    try:
        from zstandard import backend_cffi

        content = b"byteloom" * 40
        frame, out = zstandard.compress(content), np.zeros(len(content), np.uint8)
        ranges = np.array([[0, len(frame), 0, len(out)]])
        works = _decompressed(backend_cffi, np.frombuffer(frame, np.uint8), ranges, out)
        works &= out.tobytes() == content
    except (ImportError, AttributeError):
        return None
    return backend_cffi if works else None
