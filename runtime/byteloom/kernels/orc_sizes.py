"""Bounds on the numbers of an ORC stream and on their sums, computed without keeping them.

- For a run of small lengths only the header is read: its width bounds each value.
- Sums are kept for blocks of runs, of at least 2 to the 9, 10, ... values: that many adjacent
  values are in at most two such blocks.  They are sums of lengths, and mean nothing for numbers
  with a sign.
- A stream comes in parts; a run that is incomplete in one part is left for the next.

Source: https://orc.apache.org/specification/ORCv1/ ("Run Length Encoding")
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.kernels.orc_runs import bits_at, equal_steps_at, patches_at, steps_at, width_of
from byteloom.native.integers import signed, uleb128_at
from byteloom.native.kernel import kernel

__all__ = ["FIRST", "HEAD", "LARGEST", "LEVELS", "LOWEST", "MOST", "TOTAL", "add_runs"]

word: Any = np.int64

VALUES, TOTAL, LARGEST, LOWEST = range(4)
HEAD = 4
"""Words of a state: values so far, their sum, and bounds of them and 0, the highest first; then
four for each size of blocks: sum and values of the one that is under way, the sum of the one
before, the largest sum of two."""

FIRST, LEVELS = 9, 9
_SMALL = 8
"""Lengths up to this many bits are not decoded one by one."""

MOST = 1 << 40
"""Values farther from 0 count as this one: a run exceeds any limit, and no sum overflows."""


@kernel
def _add(state: np.ndarray, count: int, lowest: int, largest: int, total: int) -> None:
    """Add a run to all bounds and sums."""
    state[VALUES] += count
    state[TOTAL] = min(state[TOTAL] + total, MOST << 20)
    state[LARGEST] = max(state[LARGEST], largest)
    state[LOWEST] = min(state[LOWEST], lowest)
    for level in range(LEVELS):
        at = HEAD + 4 * level
        state[at] += total
        state[at + 1] += count
        state[at + 3] = max(state[at + 3], state[at] + state[at + 2])
        if state[at + 1] >= 1 << (FIRST + level):
            state[at + 2] = state[at]
            state[at], state[at + 1] = 0, 0


@kernel
def _near(value: int) -> int:
    """Return a number from -`MOST` to `MOST`."""
    return max(min(value, MOST), -MOST)


@kernel
def _capped(value: int) -> int:
    """Return a number without a sign, limited to `MOST`; one of 64 bits appears as negative."""
    return MOST if value < 0 or value > MOST else value


@kernel
def _number(value: int, is_signed: bool) -> int:
    """Return a stored number, limited to `MOST`."""
    return _near(signed(value)) if is_signed else _capped(value)


@kernel
def _first_form(data: np.ndarray, at: int, is_signed: bool, state: np.ndarray) -> int:
    """Add a run of version 1; return the offset after it, -1 if it is incomplete."""
    source, end, head = data.ctypes.data, len(data), word(data[at])
    if head < 128:
        count, step, base, at = equal_steps_at(data, at)
        if at < 0:
            return -1
        first = _number(base, is_signed)
        last = _near(first + step * (count - 1))
        _add(state, count, min(first, last), max(first, last), max(first, last) * count)
        return at
    at += 1
    lowest, largest, total, count = word(0), word(0), word(0), 256 - head
    for _ in range(count):
        value, at = uleb128_at(source, at, end)
        if at < 0:
            return -1
        value = _number(value, is_signed)
        lowest, largest, total = min(lowest, value), max(largest, value), total + value
    _add(state, count, lowest, largest, total)
    return at


@kernel
def _steps(
    data: np.ndarray, at: int, count: int, width: int, is_signed: bool, state: np.ndarray
) -> int:
    """Add a run of differences, from its first value; return its end, -1 if it is incomplete."""
    first, step, at, end = steps_at(data, at, count, width)
    if end < 0:
        return -1
    first, more = _number(first, is_signed), _near(step)
    last, total = first, first
    for i in range(count - 1):  # all steps have one sign
        if i > 0 and width:
            more = _capped(bits_at(data, at, (i - 1) * width, width))
            more = more if step >= 0 else -more
        last = _near(last + more)
        total += last
    total = total if step >= 0 else first * count
    _add(state, count, min(first, last), max(first, last), total)
    return end


@kernel
def _packed(
    data: np.ndarray, at: int, count: int, width: int, is_signed: bool, is_exact: bool
) -> tuple[int, int, int]:
    """Return the lowest and the largest of packed values, and their sum.

    is_exact  whether small values are decoded, too; otherwise they count as the largest of them
    """
    lowest, largest, total = word(0), word(0), word(0)
    if width <= _SMALL and not is_exact:
        largest = word(1 << width) - 1
        return lowest, largest, largest * count
    for i in range(count):
        value = _number(bits_at(data, at, i * width, width), is_signed)
        lowest, largest, total = min(lowest, value), max(largest, value), total + value
    return lowest, largest, total


@kernel
def _patched(
    data: np.ndarray, at: int, count: int, width: int, is_signed: bool, state: np.ndarray
) -> int:
    """Add a run of values, some with patches; return its end, -1 if it is incomplete.

    The base has a sign in any stream, and is the lowest of the values.
    """
    if at + 2 > len(data):
        return -1
    base_size, patch, gap, patches, entry = patches_at(data, at)
    first = at + 2 + base_size
    behind = first + ((count * width + 7) >> 3)
    if behind + ((patches * entry + 7) >> 3) > len(data):
        return -1
    highest, whole = word(0), word(0)
    base = _capped(bits_at(data, at + 2, 1, 8 * base_size - 1))
    base = -base if data[at + 2] & 0x80 else base
    of_base = False  # what is added to it has no sign
    _, largest, total = _packed(data, first, count, width, of_base, is_signed)
    for i in range(patches):
        low = i * entry + entry - patch
        high = _capped(bits_at(data, behind, low, patch))
        high = word(MOST) if high > word(MOST) >> width else high << width
        # A gap of 0 means another patch of the same value.
        whole = high if bits_at(data, behind, low - gap, gap) else whole | high
        highest, total = max(highest, whole), total + high
    above = base if is_signed else max(base, word(0))
    largest = _near(largest + highest + above)
    _add(state, count, base, largest, total + max(base, word(0)) * count)
    return behind + ((patches * entry + 7) >> 3)


@kernel
def _second_form(data: np.ndarray, at: int, is_signed: bool, state: np.ndarray) -> int:
    """Add a run of version 2; return the offset after it, -1 if it is incomplete."""
    end, head = len(data), word(data[at])
    if head < 64:
        size, count = (head >> 3 & 7) + 1, (head & 7) + 3
        if at + 1 + size > end:
            return -1
        value = _number(bits_at(data, at + 1, 0, 8 * size), is_signed)
        _add(state, count, value, value, value * count)
        return at + 1 + size
    if at + 2 > end:
        return -1
    code, count = head >> 1 & 31, ((head & 1) << 8 | word(data[at + 1])) + 1
    width = width_of(code)
    at += 2
    if head >= 192:
        return _steps(data, at, count, width if code else 0, is_signed, state)
    if head >= 128:
        return _patched(data, at, count, width, is_signed, state)
    if at + ((count * width + 7) >> 3) > end:
        return -1
    lowest, largest, total = _packed(data, at, count, width, is_signed, is_signed)
    _add(state, count, lowest, largest, total)
    return at + ((count * width + 7) >> 3)


@kernel
def add_runs(data: np.ndarray, version: int, is_signed: bool, most: int, state: np.ndarray) -> int:
    """Add the runs of a part of a stream to *state*, until it has *most* values.

    version    1 or 2
    is_signed  whether the lowest bit of a value is its sign
    return     the offset of the first run that is incomplete, or not wanted
    """
    at = 0
    while at < len(data) and state[VALUES] < most:
        if version == 1:
            behind = _first_form(data, at, is_signed, state)
        else:
            behind = _second_form(data, at, is_signed, state)
        if behind < 0:
            break
        at = behind
    return at
