"""Streams of ORC one value at a time: lengths and codes of version 1, and which values are there.

Source: https://orc.apache.org/specification/ORCv1/ ("Run Length Encoding")
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.wire.integers import uleb128_at
from byteloom.wire.kernel import kernel

__all__ = ["first_form_runs", "present_values"]

word: Any = np.int64


@kernel(work=lambda data, out: len(data) + len(out))
def first_form_runs(data: np.ndarray, out: np.ndarray) -> int:
    """Fill *out* with the values of a stream of version 1; return how many there were."""
    source, at, end, row = data.ctypes.data, 0, len(data), 0
    while row < len(out) and at < end:
        head = word(data[at])
        if head < 128:
            if at + 1 >= end:
                return row
            step = word(data[at + 1])
            step -= 256 if step > 127 else 0
            value, at = uleb128_at(source, at + 2, end)
            if at < 0:
                return row
            for i in range(min(head + 3, len(out) - row)):
                out[row + i] = value + i * step
            row = min(row + head + 3, len(out))
            continue
        at += 1
        for _ in range(min(256 - head, len(out) - row)):
            value, at = uleb128_at(source, at, end)
            if at < 0:
                return row
            out[row] = value
            row += 1
    return row


@kernel(work=lambda data, out: len(data) + len(out))
def present_values(data: np.ndarray, out: np.ndarray) -> int:
    """Fill *out* with which values are there, a bit each in runs of bytes; return how many."""
    at, row = 0, 0
    while row < len(out) and at + 1 < len(data):
        head = word(data[at])
        is_run = head < 128
        count = head + 3 if is_run else 256 - head
        at += 1
        for i in range(count):
            place = at if is_run else at + i
            if place >= len(data):
                return row
            bits = word(data[place])
            for bit in range(8):
                if row < len(out):
                    out[row] = bits >> (7 - bit) & 1
                    row += 1
        at += 1 if is_run else count
    return row
