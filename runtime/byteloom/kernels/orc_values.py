"""Decode runs of ORC in windows: lengths and codes of both versions, and streams of presence bits.

- Runs are decoded whole, until there are as many values as wanted: *out* has room for a run
  beyond that.  The rest of the last run belongs to the next window.
- A run that is incomplete is left for a call with more bytes.

Source: https://orc.apache.org/specification/ORCv1/ ("Run Length Encoding")
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.kernels.orc_runs import equal_steps_at, run_at
from byteloom.native.integers import uleb128_at
from byteloom.native.kernel import kernel

__all__ = ["AT", "LONGEST", "PRESENT", "ROW", "whole_runs"]

word: Any = np.int64

PRESENT = 0
"""Used instead of a version: a presence bit for each value, in runs of bytes."""

LONGEST = 130 * 8
"""The most values of a run."""

AT, ROW = range(2)
"""Words of a state: the offset of the next run, and the number of values in *out*."""


@kernel
def _present_run(data: np.ndarray, at: int, out: np.ndarray, row: int) -> tuple[int, int]:
    """Decode the bits of a run of bytes to *out*; return its end and row, -1 if incomplete."""
    head = word(data[at])
    is_run = head < 128
    count = head + 3 if is_run else 256 - head
    end = at + 1 + (1 if is_run else count)
    if end > len(data):
        return -1, row
    for i in range(count):
        bits = word(data[at + 1 if is_run else at + 1 + i])
        for bit in range(8):
            out[row + bit] = bits >> (7 - bit) & 1
        row += 8
    return end, row


@kernel
def _first_form_run(data: np.ndarray, at: int, out: np.ndarray, row: int) -> tuple[int, int]:
    """Decode the values of a run of version 1 to *out*; return as `_present_run` does."""
    source, end, head = data.ctypes.data, len(data), word(data[at])
    if head < 128:
        count, step, value, at = equal_steps_at(data, at)
        if at < 0:
            return -1, row
        for i in range(count):
            out[row + i] = value + i * step
        return at, row + count
    at += 1
    for i in range(256 - head):
        value, at = uleb128_at(source, at, end)
        if at < 0:
            return -1, row
        out[row + i] = value
    return at, row + 256 - head


@kernel(work=lambda *call: call[2])
def whole_runs(
    data: np.ndarray, version: int, wanted: int, out: np.ndarray, state: np.ndarray
) -> bool:
    """Decode the runs from ``state[AT]`` on to *out*, until it has *wanted* values.

    version  of the runs, 1 or 2, or PRESENT
    out      has room for LONGEST more than wanted
    return   False for a damaged run
    """
    at, row = state[AT], state[ROW]
    while row < wanted and at < len(data):
        if version == PRESENT:
            end, row = _present_run(data, at, out, row)
        elif version == 1:
            end, row = _first_form_run(data, at, out, row)
        else:
            end, behind = run_at(data, at, out, row)
            if end == -2:
                return False
            row = behind if end >= 0 else row
        if end < 0:
            break
        at = end
    state[AT], state[ROW] = at, row
    return True
