"""Roaring bitmaps of 64-bit integers, from untrusted bytes.

- Each bitmap of 32 bits is checked and read by `byteloom.codecs.roaring`.
- Upper halves ascend and end at 2147483646: Java keeps one bitmap for each in an array.
- Java writes a bitmap for every upper half from zero on, most of them empty; these are skipped
  thousands at a time, and never kept.

Source: https://github.com/RoaringBitmap/RoaringFormatSpec
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import numpy as np
from pyroaring import BitMap

from byteloom.codecs.roaring import NO_RUNS, Bytes, bitmap_at
from byteloom.errors import FormatError, LimitExceeded, Truncated, count_of_bytes, count_of_elements
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom_generated.puffin.roaring_bitmap import RoaringBitmap, RoaringMap, RoaringMapEntry

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MAX_KEY", "read_map", "write_map"]

MAX_KEY: Final = (1 << 31) - 2
"""The largest upper half: Java's array cannot be longer."""

_ENTRY: Final = np.dtype([("key", "<u4"), ("cookie", "<u4"), ("num_containers", "<u4")])
_EMPTY: Final = RoaringBitmap(
    cookie=NO_RUNS, num_containers_no_runs=0, headers=[], offsets=[], containers=[]
).to_bytes()
"""The bytes of a bitmap without integers."""

_COUNTED: Final = RoaringMap.MIN_SIZE
"""Bytes before the entries, which state their number."""

_KEYED: Final = RoaringMapEntry.MIN_SIZE - RoaringBitmap.MIN_SIZE
"""Bytes of the upper half, which precedes each bitmap."""

_PART: Final = 1 << 16
"""Number of empty entries that are checked in one step."""


def read_map(source: Bytes) -> dict[int, BitMap]:
    """Return the bitmaps of *source* by their upper half, without empty ones.

    Refuses bytes after them.
    """
    count = int(source.take("num_bitmaps", 0, 1, "<u8")[0])
    size = len(source.data)
    if count > (size - _COUNTED) // _ENTRY.itemsize:
        raise Truncated(
            f"{source.path}.bitmaps",
            source.origin + _COUNTED,
            f"{count_of_bytes(size - _COUNTED)} left",
            count_of_elements(count, _ENTRY.itemsize),
        )
    bitmaps: dict[int, BitMap] = {}
    at, index, last = _COUNTED, 0, -1
    while index < count:
        if source.data.startswith(_EMPTY, at + _KEYED):
            keys = _empties(source, at, count - index)
        else:
            keys = source.take(f"bitmaps[{index}].key", at, 1, "<u4")
        _check_keys(source, at, index, last, keys)
        last, index = int(keys[-1]), index + len(keys)
        if source.data.startswith(_EMPTY, at + _KEYED):
            at += len(keys) * _ENTRY.itemsize
        else:
            path = f"{source.path}.bitmaps[{index - 1}].bitmap"
            bitmaps[last], at = bitmap_at(Bytes(source.data, path, source.origin), at + _KEYED)
    if at != size:
        raise FormatError(
            source.path, source.origin + at, f"{size - at} bytes after its end", "none"
        )
    return bitmaps


def write_map(bitmaps: Mapping[int, BitMap], limits: Limits = DEFAULT_LIMITS) -> bytes:
    """Return the bytes of *bitmaps* as Java writes them: run-optimised, empty ones included."""
    count = max(bitmaps, default=-1) + 1
    empty = count - len(bitmaps)
    if empty > limits.empty_elements:
        wanted = f"at most {limits.empty_elements} (limits.empty_elements)"
        raise LimitExceeded("positions", None, f"{empty} upper halves without positions", wanted)
    parts = [count.to_bytes(_COUNTED, "little")]
    before = 0
    for key in sorted(bitmaps):
        parts.append(_empty_entries(before, key))
        optimised = bitmaps[key].copy()
        optimised.run_optimize()
        parts += key.to_bytes(_KEYED, "little"), optimised.serialize()
        before = key + 1
    return b"".join(parts)


def _empty_entries(start: int, stop: int) -> bytes:
    entries = np.zeros(stop - start, _ENTRY)
    entries["key"] = np.arange(start, stop)
    entries["cookie"] = NO_RUNS
    return entries.tobytes()


def _empties(source: Bytes, at: int, most: int) -> NDArray[np.uint32]:
    """Return the keys of the consecutive empty entries at *at*, of which there is at least one."""
    entries = np.frombuffer(
        source.data, _ENTRY, min(most, _PART, (len(source.data) - at) // _ENTRY.itemsize), at
    )
    full = (entries["cookie"] != NO_RUNS) | (entries["num_containers"] != 0)
    return entries["key"][: int(full.argmax()) if full.any() else len(entries)]


def _check_keys(source: Bytes, at: int, index: int, last: int, keys: NDArray[np.uint32]) -> None:
    """Refuse *keys* of entries from *index* on, unless they ascend from *last* to the largest."""
    if len(keys) == 1 and last < int(keys[0]) <= MAX_KEY:
        return
    ascending = np.concatenate(([last], keys)).astype(np.int64)
    wrong = np.flatnonzero((np.diff(ascending) <= 0) | (keys > MAX_KEY))
    if len(wrong):
        i = int(wrong[0])
        raise source.refused(
            f"bitmaps[{index + i}].key",
            at + i * _ENTRY.itemsize,
            int(keys[i]),
            f"{ascending[i] + 1} to {MAX_KEY}",
        )
