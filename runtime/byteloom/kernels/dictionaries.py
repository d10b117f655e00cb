"""Decode columns of dictionary codes to text.

Source: Apache Arrow columnar format, "Dictionary-encoded Layout".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.native.kernel import kernel
from byteloom.native.loads import copy_run

__all__ = ["expand", "measure"]

word: Any = np.int64


@kernel
def measure(codes: np.ndarray, offsets: np.ndarray, out: np.ndarray) -> int:
    """Put the offset of each code's text in the result into *out*; return the end of the last.

    codes    the entry of each row
    offsets  the offset of each entry's text, and the end of the last
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
    """Put the text of each code into *out*, at *out_offsets*, which `measure` has computed."""
    source, target = data.ctypes.data, out.ctypes.data
    for row in range(len(codes)):
        start = word(out_offsets[row])
        size = word(out_offsets[row + 1]) - start
        copy_run(source + word(offsets[codes[row]]), target + start, size)
