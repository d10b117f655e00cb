"""Decode FSST: text in which frequent substrings are replaced by one-byte codes.

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
    """Decode values; return -1, or the index of the first with damaged codes.

    data     the codes; those of a value are between two *offsets*
    symbols  for each code its bytes, little-endian
    lengths  for each code the number of bytes, 1 to 8; 0 if there is no such code
    ends     set to 0, and then the end of each value in *out*
    out      with 8 bytes for each byte of *data*, and 8 more; filled in
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
