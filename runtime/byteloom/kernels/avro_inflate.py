"""Inflate many small deflate blocks in one call, with ISA-L's function called from a compiled loop.

The function is the one inside the package ``isal``, called by its address; a call through Python
takes longer than inflating a block of one manifest entry.

    struct inflate_state {              offset
        uint8_t *next_out;                   0
        uint32_t avail_out, total_out;       8, 12
        uint8_t *next_in;                   16
        uint64_t read_in;                   24
        uint32_t avail_in;                  32
        ...

Source: ISA-L, ``include/igzip_lib.h``, ``isal_inflate_stateless``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.native.kernel import kernel
from byteloom.native.loads import call, le32, put_le64

if TYPE_CHECKING:
    import numpy as np

__all__ = ["STATE", "inflate_blocks"]

STATE: Final = 1 << 18
"""Bytes allocated for the state, which takes about 90,000."""

_OVERFLOW: Final = 2


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
