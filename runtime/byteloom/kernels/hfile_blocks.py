"""Headers of the blocks of an HFile that lie one behind the other, to one row of numbers each.

What is not as it should be ends the loop, for the caller to say what is wrong with it.

Source: specs/hfile/block.ksy
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.wire.kernel import kernel
from byteloom.wire.loads import be32, be64, byte
from byteloom_generated.hfile.block import Block

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["headers"]

_HEADER: Final = Block.SIZE


@kernel(work=lambda data, *_: 32 + len(data) // 64)
def headers(
    data: NDArray[np.uint8],
    offset: int,
    magics: NDArray[np.int64],
    is_plain: bool,
    most: int,
    table: NDArray[np.int64],
) -> int:
    """Fill *table* with the blocks that *data* begins with; return how many there are.

    offset    of *data*, in the file
    magics    of each type, as a number
    is_plain  nothing is compressed
    most      bytes that a payload may take, decompressed
    table     of each block: offset, type, size, decompressed size, previous offset, where in *data*
              the payload begins, its size, type of checksums, bytes that share one
    """
    base, end = data.ctypes.data, len(data)
    at = n = 0
    while n < len(table) and end - at >= _HEADER:
        magic, kind = be64(base, at), -1
        for each in range(len(magics)):
            if magics[each] == magic:
                kind = each
        on_disk, size = be32(base, at + 8), be32(base, at + 12)
        checksums, step, stored = byte(base, at + 24), be32(base, at + 25), be32(base, at + 29)
        if kind < 0 or on_disk < 0 or on_disk > end - at - _HEADER or not 0 <= size <= most:
            break
        stored -= _HEADER
        if checksums > 2 or step < 1 or stored < 0 or (is_plain and stored != size):
            break
        room = on_disk - stored
        if room != 4 * ((stored + _HEADER + step - 1) // step) and (checksums or room):
            break
        row = table[n]
        row[0], row[1], row[2], row[3] = offset + at, kind, _HEADER + on_disk, size
        row[4], row[5], row[6] = be64(base, at + 16), at + _HEADER, stored
        row[7], row[8] = checksums, step
        at += _HEADER + on_disk
        n += 1
    return n
