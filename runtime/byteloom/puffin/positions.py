"""Row positions: columns to Roaring bitmaps, and bitmaps to masks.

- Columns may be Arrow arrays, NumPy arrays, lists, or ranges, which are never expanded.
- A mask is made container by container from CRoaring's own serialised form: bits are unpacked, runs
  filled, and only arrays, which are sparse, are scattered.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from operator import index
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from pyroaring import BitMap

from byteloom.codecs.roaring import BITS, BITS_SIZE, RUNS, Bytes, containers
from byteloom.errors import ArgumentError, FormatError, LimitExceeded, found_by
from byteloom.late import pa
from byteloom.puffin.roaring import MAX_KEY

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MAX_POSITION", "as_positions", "bitmaps_of", "mask_of"]

MAX_POSITION: Final = MAX_KEY << 32 | 0x80000000
"""The last position that Java's bitmaps hold."""

_LOWER: Final = 0xFFFFFFFF
_WORD: Final = 1 << 32
_CONTAINER: Final = 1 << 16
_WIDEST_RANGE: Final = 1 << 44
"""Most bitmaps of a vector: one for every 2 to the 32 rows, far more than any file has."""


def as_positions(values: Any) -> NDArray[np.int64]:
    """Return the positions in *values*, each of them checked."""
    found = _numbers(values)
    if len(found) and (int(found.min()) < 0 or int(found.max()) > MAX_POSITION):
        wrong = found[(found < 0) | (found > MAX_POSITION)][0]
        raise ArgumentError("positions", None, int(wrong), f"0 to {MAX_POSITION}")
    return found.astype(np.int64, copy=False)


def _numbers(values: Any) -> NDArray[Any]:
    if hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        values = _of_arrow(values)
    if isinstance(values, AbstractSet):
        values = list(values)
    if isinstance(values, np.ma.MaskedArray):
        raise ArgumentError("positions", None, "a masked array", "a column without a mask")
    try:
        found = np.asarray(values)
    except (ValueError, OverflowError, TypeError) as error:
        wrong = found_by("values of other types", error)
        raise ArgumentError("positions", None, wrong, "a column of integers") from error
    if found.size == 0:
        return np.empty(0, np.int64)
    if found.ndim == 0:
        raise ArgumentError("positions", None, type(values).__name__, "integers: a column, a set")
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise ArgumentError(
            "positions", None, f"{found.ndim} dimensions of {found.dtype}", "a column of integers"
        )
    return found


def _of_arrow(values: Any) -> NDArray[Any]:
    """Return the values of an Arrow array, a chunked one, or a column of any other library."""
    if not isinstance(values, pa.Array | pa.ChunkedArray):
        try:
            values = pa.chunked_array(values)
        except (pa.ArrowException, TypeError, ValueError) as error:
            found = type(values).__name__
            raise ArgumentError("positions", None, found, "a column of integers") from error
    if values.null_count:
        raise ArgumentError("positions", None, f"{values.null_count} nulls", "none")
    numbers: NDArray[Any] = pa.chunked_array(values).to_numpy()
    return numbers


def bitmaps_of(values: Any) -> dict[int, BitMap]:
    """Return the bitmaps of positions by their upper 32 bits."""
    if isinstance(values, range):
        return dict(_of_range(values))
    positions = as_positions(values)
    if len(positions) == 0:
        return {}
    if int(positions.max()) < _WORD:
        return {0: _bitmap(positions)}
    positions = np.sort(positions)
    keys, firsts = np.unique(positions >> 32, return_index=True)
    parts = np.split(positions & _LOWER, firsts[1:])
    return {int(key): _bitmap(part) for key, part in zip(keys, parts, strict=True)}


def _bitmap(lower: NDArray[np.int64]) -> BitMap:
    numbers = lower.astype(np.uint32)
    if (numbers[1:] < numbers[:-1]).any():
        numbers.sort()  # five times as fast as a search in CRoaring for the container of each
    # pyroaring takes an array.array in one step, and anything else number by number.
    return BitMap(array("I", numbers.tobytes()))


def _of_range(positions: range) -> Iterator[tuple[int, BitMap]]:
    if not positions:  # not by len(), which fails for a range longer than sys.maxsize
        return
    positions = positions if positions.step > 0 else positions[::-1]
    if positions[0] < 0 or positions[-1] > MAX_POSITION:
        raise ArgumentError("positions", None, str(positions), f"0 to {MAX_POSITION}")
    if positions[-1] - positions[0] > _WIDEST_RANGE:
        raise LimitExceeded(
            "positions", None, str(positions), f"at most {_WIDEST_RANGE} rows from end to end"
        )
    while positions:
        key = positions[0] >> 32
        inside = positions[: len(range(positions[0], (key + 1) << 32, positions.step))]
        lower = range(inside[0] & _LOWER, (inside[-1] & _LOWER) + 1, positions.step)
        # With steps as large as a container, CRoaring overflows 2^32 and starts again at 0.
        yield key, BitMap(lower if positions.step < _CONTAINER else list(lower))
        positions = positions[len(inside) :]


def mask_of(bitmaps: Mapping[int, BitMap], start: int, length: int) -> NDArray[np.bool_]:
    """Return whether each of the *length* positions from *start* on is in *bitmaps*."""
    try:
        start, length = index(start), index(length)
    except TypeError as error:
        raise FormatError("start, length", None, (start, length), "two integers") from error
    if start < 0 or length < 0:
        raise FormatError("start, length", None, (start, length), "0 or more")
    try:
        mask = np.zeros(length, np.bool_)
    except (MemoryError, ValueError) as error:
        raise LimitExceeded("length", None, length, "a mask that fits into memory") from error
    for key in range(start >> 32, (start + max(length, 1) - 1 >> 32) + 1):
        if key in bitmaps:
            _fill(mask, (key << 32) - start, bitmaps[key])
    return mask


def _fill(mask: NDArray[np.bool_], shift: int, bitmap: BitMap) -> None:
    """Set the integers of *bitmap* in *mask*, where integer 0 is at index *shift*."""
    low, high = max(-shift, 0), min(len(mask) - shift, _WORD)
    inside = (
        bitmap & BitMap(range(low, high)) if low > bitmap.min() or high <= bitmap.max() else bitmap
    )
    data = inside.serialize()
    found = containers(Bytes(data, "bitmap"), 0)
    columns = found.keys, found.kinds, found.cardinalities, found.starts
    for key, *container in zip(*(column.tolist() for column in columns), strict=True):
        _fill_container(mask, (key << 16) + shift, data, container)


def _fill_container(mask: NDArray[np.bool_], shift: int, data: bytes, container: list[int]) -> None:
    """Set the integers of a container (kind, cardinality, place), which are all inside the mask."""
    kind, size, at = container
    if kind == BITS:
        bits = np.unpackbits(np.frombuffer(data, np.uint8, BITS_SIZE, at), bitorder="little")
        low, high = max(-shift, 0), min(len(mask) - shift, 1 << 16)
        mask[shift + low : shift + high] = bits[low:high]
    elif kind == RUNS:
        count = int.from_bytes(data[at : at + 2], "little")
        runs = np.frombuffer(data, "<u2", 2 * count, at + 2).tolist()
        for first, more in zip(runs[::2], runs[1::2], strict=True):
            mask[shift + first : shift + first + more + 1] = True
    else:
        mask[np.frombuffer(data, "<u2", size, at).astype(np.int64) + shift] = True
