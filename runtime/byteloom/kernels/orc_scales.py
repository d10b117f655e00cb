"""The bounds of the numbers of an ORC stream of signed integers.

A stream comes in parts; a run that is incomplete in one part is left for the next.

Source: https://orc.apache.org/specification/ORCv1/ ("Run Length Encoding")
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.kernels.orc_runs import bits_at, equal_steps_at, patches_at, steps_at, width_of
from byteloom.native.integers import signed, zigzag_at
from byteloom.native.kernel import kernel

__all__ = ["FIELDS", "HIGHEST", "LOWEST", "MOST", "VALUES", "add_signed"]

word: Any = np.int64

FIELDS = 3
VALUES, LOWEST, HIGHEST = range(FIELDS)
"""Words of a state: numbers so far, and bounds of them and 0."""

MOST = 1 << 40
"""Numbers farther from 0 count as this one, so that no sum overflows."""


@kernel
def _near(value: int) -> int:
    """Return a number from -`MOST` to `MOST`."""
    return max(min(value, MOST), -MOST)


@kernel
def _unsigned(value: int) -> int:
    """Return a number up to `MOST`; from 2^63 on it appears as negative."""
    return MOST if value < 0 else min(value, MOST)


@kernel
def _add(state: np.ndarray, count: int, one: int, other: int) -> None:
    """Add a run of *count* numbers, which are all between two."""
    state[VALUES] += count
    state[LOWEST] = min(state[LOWEST], _near(one), _near(other))
    state[HIGHEST] = max(state[HIGHEST], _near(one), _near(other))


@kernel
def _first_form(data: np.ndarray, at: int, state: np.ndarray) -> int:
    """Add a run of version 1; return the offset after it, -1 if it is incomplete."""
    source, end, head = data.ctypes.data, len(data), word(data[at])
    if head < 128:
        count, step, first, at = equal_steps_at(data, at)
        if at >= 0:
            _add(state, count, signed(first), _near(signed(first)) + step * (count - 1))
        return at
    at += 1
    lowest, highest = word(0), word(0)
    for _ in range(256 - head):
        value, at = zigzag_at(source, at, end)
        if at < 0:
            return -1
        lowest, highest = min(lowest, value), max(highest, value)
    _add(state, 256 - head, lowest, highest)
    return at


@kernel
def _steps(data: np.ndarray, at: int, count: int, width: int, state: np.ndarray) -> int:
    """Add a run of differences, from its first number; return its end, -1 if it is incomplete."""
    first, step, at, end = steps_at(data, at, count, width)
    if end < 0:
        return -1
    first = signed(first)
    # All steps have one sign.
    last = _near(first) + _near(step) * (min(count - 1, 1) if width else count - 1)
    for i in range(count - 2 if width else 0):
        more = _unsigned(bits_at(data, at, i * width, width))
        last += more if step >= 0 else -more
    _add(state, count, first, last)
    return end


@kernel
def _packed(data: np.ndarray, at: int, count: int, width: int, state: np.ndarray) -> int:
    """Add a run of packed numbers; return its end, -1 if it is incomplete."""
    size = (count * width + 7) >> 3
    if at + size > len(data):
        return -1
    lowest, highest = word(0), word(0)
    for i in range(count):
        value = signed(bits_at(data, at, i * width, width))
        lowest, highest = min(lowest, value), max(highest, value)
    _add(state, count, lowest, highest)
    return at + size


@kernel
def _patched(data: np.ndarray, at: int, count: int, width: int, state: np.ndarray) -> int:
    """Add a run of numbers, some with patches; return its end, -1 if it is incomplete."""
    if at + 2 > len(data):
        return -1
    base_size, patch, _, patches, entry = patches_at(data, at)
    first = at + 2 + base_size
    behind = first + ((count * width + 7) >> 3)
    if behind + ((patches * entry + 7) >> 3) > len(data):
        return -1
    base = _unsigned(bits_at(data, at + 2, 1, 8 * base_size - 1))
    base = -base if data[at + 2] & 0x80 else base
    largest, highest = word(0), word(0)
    for i in range(count):
        largest = max(largest, _unsigned(bits_at(data, first, i * width, width)))
    for i in range(patches):
        high = _unsigned(bits_at(data, behind, i * entry + entry - patch, patch))
        highest |= word(MOST) if high > word(MOST) >> width else high << width
    _add(state, count, base, base + largest + highest)
    return behind + ((patches * entry + 7) >> 3)


@kernel
def _second_form(data: np.ndarray, at: int, state: np.ndarray) -> int:
    """Add a run of version 2; return the offset after it, -1 if it is incomplete."""
    end, head = len(data), word(data[at])
    if head < 64:
        size, count = (head >> 3 & 7) + 1, (head & 7) + 3
        if at + 1 + size > end:
            return -1
        value = signed(bits_at(data, at + 1, 0, 8 * size))
        _add(state, count, value, value)
        return at + 1 + size
    if at + 2 > end:
        return -1
    code, count = head >> 1 & 31, ((head & 1) << 8 | word(data[at + 1])) + 1
    at += 2
    if head >= 192:
        return _steps(data, at, count, width_of(code) if code else 0, state)
    if head >= 128:
        return _patched(data, at, count, width_of(code), state)
    return _packed(data, at, count, width_of(code), state)


@kernel(work=lambda *call: 8 * len(call[0]))
def add_signed(data: np.ndarray, version: int, most: int, state: np.ndarray) -> int:
    """Add the runs of a part of a stream to *state*, until it has *most* numbers.

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
