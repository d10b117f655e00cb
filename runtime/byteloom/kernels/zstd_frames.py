"""Decompress many Zstandard frames in one call, with the library's function called from a loop.

The function is the one inside the package ``zstandard``, called by its address.  A call through
Python takes a microsecond, and gives up the lock of the interpreter and asks for it again: two
threads that decompress small pages would mostly wait for each other.

Source: Zstandard, ``zstd.h``, ``ZSTD_decompressDCtx``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.native.kernel import kernel
from byteloom.native.loads import call_copy

if TYPE_CHECKING:
    import numpy as np

__all__ = ["decompress_frames"]


@kernel(work=lambda *args: 64 * len(args[3]))
def decompress_frames(
    function: int, context: int, data: np.ndarray, ranges: np.ndarray, out: np.ndarray
) -> int:
    """Decompress frames into their places; return how many have the size of their place, in order.

    function  the address of ``ZSTD_decompressDCtx``
    context   the address of a ``ZSTD_DCtx``, which no other thread uses
    ranges    int64[frame, 4]: begin and end in *data*, begin and end in *out*
    """
    for frame in range(len(ranges)):
        begin, end, first, last = ranges[frame]
        if not (0 <= begin <= end <= len(data) and 0 <= first <= last <= len(out)):
            return frame
        target = out.ctypes.data + first, last - first
        size = call_copy(function, context, target, (data.ctypes.data + begin, end - begin))
        if size != last - first:
            return frame
    return len(ranges)
