"""Roaring bitmaps of 32-bit integers, from untrusted bytes.

- A bitmap's length follows from its headers alone, so `containers` goes through them first: numbers
  of containers, their sizes and offsets are inside the bytes before CRoaring sees them.  CRoaring
  then checks what is inside each container (order, cardinality, runs).
- The layout is that of specs/puffin/roaring_bitmap.ksy, whose records read one container at a time.
  A bitmap can have 65536 containers, so here each step is taken for all of them at once, and
  memory stays in proportion to the bytes at hand.

Source: https://github.com/RoaringBitmap/RoaringFormatSpec
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct, unpack_from
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from pyroaring import BitMap

from byteloom.errors import FormatError, Truncated, count_of_bytes, found_by
from byteloom_generated.puffin.roaring_bitmap import Container, RoaringBitmap

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "ARRAY",
    "BITS",
    "BITS_SIZE",
    "NO_RUNS",
    "RUNS",
    "Bytes",
    "Containers",
    "bitmap_at",
    "containers",
    "few_containers",
]

ARRAY: Final = 0
BITS: Final = 1
RUNS: Final = 2

NO_RUNS: Final = RoaringBitmap.no_runs
_WITH_RUNS: Final = RoaringBitmap.with_runs
_MOST: Final = RoaringBitmap.MOST["num_containers_no_runs"]
_LONGEST_ARRAY: Final = Container.longest_array
BITS_SIZE: Final = Container.len_bits
"""Size in bytes of a container that stores a bit for each integer."""


_HEAD: Final = Struct("<II")
_FEW: Final = 16
"""Number of containers up to which reading them one by one takes less time than all at once."""


@dataclass(frozen=True, slots=True)
class Bytes:
    """Bytes to parse, and the path that errors give for them.

    origin  offset of data[0] in the file
    """

    data: bytes
    path: str
    origin: int = 0

    def take(self, name: str, at: int, count: int, dtype: str) -> NDArray[Any]:
        """Return the *count* numbers at *at*.

        raises  `Truncated` where there are fewer
        """
        size = count * np.dtype(dtype).itemsize
        if at + size > len(self.data):
            left = max(len(self.data) - at, 0)
            raise Truncated(
                f"{self.path}.{name}",
                self.origin + at,
                f"{count_of_bytes(left)} left",
                count_of_bytes(size),
            )
        return np.frombuffer(self.data, dtype, count, at)

    def refused(self, name: str, at: int, found: object, wanted: str) -> FormatError:
        """Return the error that *wanted* was expected at *at*, where *found* is."""
        return FormatError(f"{self.path}.{name}", self.origin + at, found, wanted)


@dataclass(frozen=True, slots=True)
class Containers:
    """What the headers of one bitmap say; arrays of one element for each container.

    keys           upper 16 bits of its integers, ascending
    cardinalities  how many these are
    kinds          ARRAY, BITS or RUNS
    starts         its first byte
    end            one past the bitmap's last byte
    """

    keys: NDArray[np.int64]
    cardinalities: NDArray[np.int64]
    kinds: NDArray[np.int8]
    starts: NDArray[np.int64]
    end: int


def bitmap_at(source: Bytes, at: int) -> tuple[BitMap, int]:
    """Return the bitmap whose cookie is at *at*, and the offset at which it ends.

    raises  `FormatError` for damage, `Truncated` where the bytes end too early
    """
    if (known := few_containers(source.data, at)) is None:
        found = containers(source, at)
        known = found.end, int(found.cardinalities.sum())
    end, total = known
    try:
        bitmap = BitMap.deserialize(source.data[at:end])
    except ValueError as error:
        wrong = found_by("an invalid bitmap", error)
        raise FormatError(source.path, source.origin + at, wrong, "a valid bitmap") from error
    if len(bitmap) != total:
        wanted = f"{len(bitmap)}, the number in its containers"
        raise source.refused("headers", at, f"{total} integers", wanted)
    return bitmap, end


def few_containers(data: bytes, start: int) -> tuple[int, int] | None:
    """Return where a small bitmap ends, and how many integers it has according to its headers.

    `containers` takes 100 microseconds, however small a bitmap is: a table of small files has one
    for each of them.

    return  None for a bitmap of many containers or of runs, and for any damage, which `containers`
            reports
    """
    if len(data) - start < _HEAD.size:
        return None
    cookie, count = _HEAD.unpack_from(data, start)
    at = start + _HEAD.size + 8 * count
    if cookie != NO_RUNS or count > _FEW or at > len(data):
        return None
    numbers = unpack_from(f"<{2 * count}H{count}I", data, start + _HEAD.size)
    last, total = -1, 0
    for i in range(count):
        key, cardinality = numbers[2 * i], numbers[2 * i + 1] + 1
        if key <= last or start + numbers[2 * count + i] != at:
            return None
        last, total = key, total + cardinality
        at += BITS_SIZE if cardinality > _LONGEST_ARRAY else 2 * cardinality
    return (at, total) if at <= len(data) else None


def containers(source: Bytes, start: int) -> Containers:
    """Walk the bitmap whose cookie is at *start*."""
    flags, has_offsets, at = _flags(source, start)
    count = len(flags)
    headers = source.take("headers", at, 2 * count, "<u2").reshape(count, 2).astype(np.int64)
    keys, cardinalities = headers[:, 0], headers[:, 1] + 1
    wrong = np.flatnonzero(np.diff(keys) <= 0)
    if len(wrong):
        i = int(wrong[0]) + 1
        raise source.refused(
            f"headers[{i}].key", at + 4 * i, int(keys[i]), f"more than {keys[i - 1]}"
        )
    kinds = np.where(flags, RUNS, np.where(cardinalities > _LONGEST_ARRAY, BITS, ARRAY)).astype(
        np.int8
    )
    sizes = np.where(kinds == BITS, BITS_SIZE, 2 * cardinalities)
    find = _by_offsets if has_offsets else _one_by_one
    starts, end = find(source, start, at + 4 * count, kinds, sizes)
    _check_ends(source, starts, sizes)
    return Containers(keys, cardinalities, kinds, starts, end)


def _check_ends(source: Bytes, starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> None:
    """Refuse the first container that is cut off."""
    beyond = np.flatnonzero(starts + sizes > len(source.data))
    if len(beyond):
        i = int(beyond[0])
        source.take(f"containers[{i}]", int(starts[i]), int(sizes[i]), "u1")


def _flags(source: Bytes, at: int) -> tuple[NDArray[np.bool_], bool, int]:
    """Return which containers are runs, whether offsets follow headers, and where those begin."""
    cookie = int(source.take("cookie", at, 1, "<u4")[0])
    if cookie & 0xFFFF == _WITH_RUNS:
        count = (cookie >> 16) + 1
        packed = source.take("run_flags", at + 4, (count + 7) // 8, "u1")
        flags = np.unpackbits(packed, count=count, bitorder="little").view(np.bool_)
        return flags, count > RoaringBitmap.most_without_offsets, at + 4 + len(packed)
    if cookie != NO_RUNS:
        raise source.refused("cookie", at, cookie, f"{NO_RUNS}, or {_WITH_RUNS} in its lower half")
    count = int(source.take("num_containers_no_runs", at + 4, 1, "<u4")[0])
    if count > _MOST:
        raise source.refused("num_containers_no_runs", at + 4, count, f"at most {_MOST}")
    return np.zeros(count, np.bool_), True, at + 8


def _by_offsets(
    source: Bytes, start: int, at: int, kinds: NDArray[np.int8], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], int]:
    """Return where containers start and where the last one ends; fill in the sizes of runs."""
    count = len(kinds)
    starts = source.take("offsets", at, count, "<u4").astype(np.int64) + start
    if count == 0:
        return starts, at
    runs = np.flatnonzero(kinds == RUNS)
    beyond = runs[starts[runs] + 2 > len(source.data)]
    runs = runs[: len(runs) - len(beyond)] if len(beyond) == 0 else runs[runs < beyond[0]]
    raw = np.frombuffer(source.data, np.uint8)
    sizes[runs] = 2 + 4 * (raw[starts[runs]] + raw[starts[runs] + 1].astype(np.int64) * 256)
    known = count if len(beyond) == 0 else int(beyond[0])
    wanted = np.concatenate(([at + 4 * count], starts[:-1] + sizes[:-1]))
    wrong = np.flatnonzero(starts[: known + 1] != wanted[: known + 1])
    if len(wrong):
        i = int(wrong[0])
        raise source.refused(
            f"offsets[{i}]", at + 4 * i, int(starts[i]) - start, f"{wanted[i] - start}"
        )
    if known < count:
        _check_ends(source, starts[:known], sizes[:known])
        source.take(f"containers[{known}].num_runs", int(starts[known]), 1, "<u2")
    return starts, int(starts[-1] + sizes[-1])


def _one_by_one(
    source: Bytes, start: int, at: int, kinds: NDArray[np.int8], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], int]:
    """Return the same for at most three containers, which have no offsets."""
    del start
    starts = np.empty(len(kinds), np.int64)
    for i, kind in enumerate(kinds):
        starts[i] = at
        if kind == RUNS:
            _check_ends(source, starts[:i], sizes[:i])
            sizes[i] = 2 + 4 * int(source.take(f"containers[{i}].num_runs", at, 1, "<u2")[0])
        at += int(sizes[i])
    return starts, at
