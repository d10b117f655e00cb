"""Bounds on the sums of an ORC stream of lengths, computed without decoding its runs.

- For a run of small values only the header is read: its width bounds each value.
- Sums are kept for blocks of runs, of at least 2 to the 9, 10, ... values: that many adjacent
  values are in at most two such blocks.
- A stream comes in parts; a run that is incomplete in one part is left for the next.

Source: https://orc.apache.org/specification/ORCv1/ ("Run Length Encoding")
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.kernels.orc_runs import bits_at, equal_steps_at, patches_at, steps_at, width_of
from byteloom.native.integers import uleb128_at
from byteloom.native.kernel import kernel

__all__ = ["FIRST", "HEAD", "LEVELS", "LOWEST", "MOST", "add_runs"]

word: Any = np.int64

VALUES, TOTAL, LARGEST, LOWEST = range(4)
HEAD = 4
"""Words of a state: values so far, their sum, the largest, and a number below 0 if one of them is,
as in no sound stream; then four for each size of blocks: sum and values of the one that is under
way, the sum of the one before, the largest sum of two."""

FIRST, LEVELS = 9, 9
_SMALL = 8
"""Values up to this many bits are not decoded one by one."""

MOST = 1 << 40
"""Larger values count as this one: a run of them exceeds any limit, and no sum overflows."""


@kernel
def _add(state: np.ndarray, count: int, largest: int, total: int) -> None:
    """Add a run to all sums."""
    state[VALUES] += count
    state[TOTAL] = min(state[TOTAL] + total, MOST << 20)
    state[LARGEST] = max(state[LARGEST], largest)
    for level in range(LEVELS):
        at = HEAD + 4 * level
        state[at] += total
        state[at + 1] += count
        state[at + 3] = max(state[at + 3], state[at] + state[at + 2])
        if state[at + 1] >= 1 << (FIRST + level):
            state[at + 2] = state[at]
            state[at], state[at + 1] = 0, 0


@kernel
def _capped(value: int) -> int:
    """Return a value, limited to `MOST`; values of 64 bits appear as negative."""
    return MOST if value < 0 or value > MOST else value


@kernel
def _first_form(data: np.ndarray, at: int, state: np.ndarray) -> int:
    """Add a run of version 1; return the offset after it, -1 if it is incomplete."""
    source, end, head = data.ctypes.data, len(data), word(data[at])
    if head < 128:
        count, step, base, at = equal_steps_at(data, at)
        if at < 0:
            return -1
        base = _capped(base)
        largest = _capped(base + max(step, 0) * (count - 1))
        state[LOWEST] = min(state[LOWEST], base + step * (count - 1))
        _add(state, count, largest, largest * count)
        return at
    at += 1
    largest, total, count = word(0), word(0), 256 - head
    for _ in range(count):
        value, at = uleb128_at(source, at, end)
        if at < 0:
            return -1
        value = _capped(value)
        largest, total = max(largest, value), total + value
    _add(state, count, largest, total)
    return at


@kernel
def _steps(data: np.ndarray, at: int, count: int, width: int, state: np.ndarray) -> int:
    """Add a run of differences, from its first value; return its end, -1 if it is incomplete."""
    value, step, at, end = steps_at(data, at, count, width)
    if end < 0:
        return -1
    value = _capped(value)
    total = value * count
    if step < 0:
        equal = min(count - 1, 1) if width else count - 1
        lowest = value + max(step, -MOST) * equal
        for i in range(count - 2 if width else 0):
            lowest -= _capped(bits_at(data, at, i * width, width))
        state[LOWEST] = min(state[LOWEST], lowest)
    else:
        step = _capped(step)
        total = value
        for i in range(count - 1):
            if i > 0 and width:
                step = _capped(bits_at(data, at, (i - 1) * width, width))
            value = _capped(value + step)
            total += value
    _add(state, count, value, total)
    return end


@kernel
def _packed(data: np.ndarray, at: int, count: int, width: int) -> tuple[int, int]:
    """Return the largest of packed values, and their sum; upper bounds for small values."""
    largest, total = word(1 << min(width, _SMALL)) - 1, word(0)
    if width <= _SMALL:
        return largest, largest * count
    largest = word(0)
    for i in range(count):
        value = _capped(bits_at(data, at, i * width, width))
        largest, total = max(largest, value), total + value
    return largest, total


@kernel
def _patched(data: np.ndarray, at: int, count: int, width: int, state: np.ndarray) -> int:
    """Add a run of values, some with patches; return its end, -1 if it is incomplete."""
    if at + 2 > len(data):
        return -1
    base_size, patch, gap, patches, entry = patches_at(data, at)
    first = at + 2 + base_size
    behind = first + ((count * width + 7) >> 3)
    if behind + ((patches * entry + 7) >> 3) > len(data):
        return -1
    highest, whole = word(0), word(0)
    base = _capped(bits_at(data, at + 2, 1, 8 * base_size - 1))
    if data[at + 2] & 0x80:
        # The base is the lowest of the values.
        state[LOWEST], base = min(state[LOWEST], -base), word(0)
    largest, total = _packed(data, first, count, width)
    for i in range(patches):
        low = i * entry + entry - patch
        high = _capped(bits_at(data, behind, low, patch))
        high = word(MOST) if high > word(MOST) >> width else high << width
        # A gap of 0 means another patch of the same value.
        whole = high if bits_at(data, behind, low - gap, gap) else whole | high
        highest, total = max(highest, whole), total + high
    _add(state, count, _capped(largest + highest + base), total + base * count)
    return behind + ((patches * entry + 7) >> 3)


@kernel
def _second_form(data: np.ndarray, at: int, state: np.ndarray) -> int:
    """Add a run of version 2; return the offset after it, -1 if it is incomplete."""
    end, head = len(data), word(data[at])
    if head < 64:
        size, count = (head >> 3 & 7) + 1, (head & 7) + 3
        if at + 1 + size > end:
            return -1
        largest = _capped(bits_at(data, at + 1, 0, 8 * size))
        _add(state, count, largest, largest * count)
        return at + 1 + size
    if at + 2 > end:
        return -1
    code, count = head >> 1 & 31, ((head & 1) << 8 | word(data[at + 1])) + 1
    width = width_of(code)
    at += 2
    if head >= 192:
        return _steps(data, at, count, width if code else 0, state)
    if head >= 128:
        return _patched(data, at, count, width, state)
    if at + ((count * width + 7) >> 3) > end:
        return -1
    largest, total = _packed(data, at, count, width)
    _add(state, count, largest, total)
    return at + ((count * width + 7) >> 3)


@kernel
def add_runs(data: np.ndarray, version: int, most: int, state: np.ndarray) -> int:
    """Add the runs of a part of a stream to *state*, until it has *most* values.

    version  1 or 2
    return   the offset of the first run that is incomplete, or not wanted
    """
    at = 0
    while at < len(data) and state[VALUES] < most:
        behind = _first_form(data, at, state) if version == 1 else _second_form(data, at, state)
        if behind < 0:
            break
        at = behind
    return at
