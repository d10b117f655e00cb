"""Text out of a dictionary, for columns of codes.

Source: Apache Arrow columnar format, "Dictionary-encoded Layout".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.wire.kernel import kernel
from byteloom.wire.loads import copy_run

__all__ = ["expand", "measure"]

word: Any = np.int64


@kernel
def measure(codes: np.ndarray, offsets: np.ndarray, out: np.ndarray) -> int:
    """Put into *out* where the text of each code will begin; return where the last ends.

    codes    each of an entry
    offsets  where the text of each entry begins, and where the last ends
    """
    filled = word(0)
    for row in range(len(codes)):
        out[row] = filled
        entry = codes[row]
        filled += word(offsets[entry + 1]) - word(offsets[entry])
    out[len(codes)] = filled
    return filled


@kernel
def expand(
    codes: np.ndarray,
    offsets: np.ndarray,
    data: np.ndarray,
    out_offsets: np.ndarray,
    out: np.ndarray,
) -> None:
    """Put the text of each code into *out*, where *out_offsets*, as measured, say."""
    source, target = data.ctypes.data, out.ctypes.data
    for row in range(len(codes)):
        start = word(out_offsets[row])
        size = word(out_offsets[row + 1]) - start
        copy_run(source + word(offsets[codes[row]]), target + start, size)
