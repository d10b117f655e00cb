"""Find the longest entry of a dictionary of text in a Parquet file.

Source: https://parquet.apache.org/docs/file-format/data-pages/encodings/, "Plain".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.native.kernel import kernel

__all__ = ["longest_text"]

word: Any = np.int64


@kernel(work=lambda data: len(data) // 4)
def longest_text(data: np.ndarray) -> int:
    """Return the size of the longest text; each follows its length, of four bytes."""
    at, longest = 0, word(0)
    while at + 4 <= len(data):
        size = (
            word(data[at])
            | word(data[at + 1]) << 8
            | word(data[at + 2]) << 16
            | word(data[at + 3]) << 24
        )
        longest = max(longest, size)
        at += 4 + size
    return longest
