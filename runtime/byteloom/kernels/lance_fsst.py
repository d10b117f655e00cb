"""FSST: text in which frequent pieces are replaced by codes of a byte.

Source: https://www.vldb.org/pvldb/vol13/p2649-boncz.pdf
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.wire.kernel import kernel
from byteloom.wire.loads import byte, put_byte, put_le64

__all__ = ["ESCAPE", "expand"]

word: Any = np.int64

ESCAPE = 255
"""The code before a byte that is not part of a symbol."""


@kernel
def expand(
    data: np.ndarray,
    offsets: np.ndarray,
    symbols: np.ndarray,
    lengths: np.ndarray,
    ends: np.ndarray,
    out: np.ndarray,
) -> int:
    """Decode values; return -1, or the first whose codes are damaged.

    data     the codes, those of a value between two of *offsets*
    symbols  for each code its bytes, the first one lowest
    lengths  for each code how many bytes, 1 to 8; 0 where there is no such code
    ends     where each value ends in *out*, after a first 0; changed
    out      with room for 8 bytes for each of *data*, and 8 more; changed
    """
    source, target = data.ctypes.data, out.ctypes.data
    to = word(0)
    ends[0] = 0
    for row in range(len(offsets) - 1):
        at, end = word(offsets[row]), word(offsets[row + 1])
        while at < end:
            code = byte(source, at)
            at += 1
            if code != ESCAPE:
                size = word(lengths[code])
                if size == 0:
                    return row
                put_le64(target, to, word(symbols[code]))
                to += size
            else:
                if at == end:
                    return row
                put_byte(target, to, byte(source, at))
                at += 1
                to += 1
        ends[row + 1] = to
    return -1
