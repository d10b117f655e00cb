"""Decompress many small blocks in one call, with a library's function called from a compiled loop.

- The functions are those inside the packages ``isal`` (deflate) and ``zstandard``, called by their
  addresses.  A call through Python takes longer than inflating a block of one manifest entry, and
  gives up the lock of the interpreter and asks for it again: two threads that decompress small
  pages would mostly wait for each other.
- ISA-L's state begins like this:

      struct inflate_state {              offset
          uint8_t *next_out;                   0
          uint32_t avail_out, total_out;       8, 12
          uint8_t *next_in;                   16
          uint64_t read_in;                   24
          uint32_t avail_in;                  32
          ...

Source: ISA-L, ``include/igzip_lib.h``, ``isal_inflate_stateless``; Zstandard, ``zstd.h``,
``ZSTD_decompressDCtx``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.native.kernel import kernel
from byteloom.native.loads import call, call_copy, le32, put_le64

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "STATE",
    "decompress_frames",
    "inflate_blocks",
]

STATE: Final = 1 << 18
"""Bytes allocated for the state, which takes about 90,000."""


@kernel(work=lambda *args: 16 * len(args[3]))
def inflate_blocks(
    function: int,
    state: np.ndarray,
    data: np.ndarray,
    table: np.ndarray,
    first: int,
    out: np.ndarray,
    filled: int,
    ends: np.ndarray,
) -> tuple[int, int]:
    """Inflate ``data[table[i, 1]:][:table[i, 2]]`` for each i into *out*, from *filled* on.

    Return the block that could not be inflated, or the number of blocks, and the function's result;
    2 asks for a longer *out*.  ``ends[i]`` is set to the end of a block's content.
    """
    struct = state.ctypes.data
    for i in range(first, len(table)):
        put_le64(struct, 0, out.ctypes.data + filled)
        put_le64(struct, 8, min(len(out) - filled, (1 << 32) - 1))
        put_le64(struct, 16, data.ctypes.data + table[i, 1])
        put_le64(struct, 32, table[i, 2])
        code = call(function, struct)
        if code != 0:
            return i, code
        filled += le32(struct, 12)
        ends[i] = filled
    return len(table), 0


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
