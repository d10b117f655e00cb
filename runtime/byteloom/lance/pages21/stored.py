"""A page's buffers, read when they are needed.

Source: https://lance.org/format/file/
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, overload

import numpy as np

from byteloom.errors import FormatError, LimitExceeded
from byteloom.kernels.lance_values import join_buffers
from byteloom.lance.memory import empty

if TYPE_CHECKING:
    from byteloom.lance.column_metadata import Page, SinglePages
    from byteloom.limits import Limits
    from byteloom.storage import Source

__all__ = [
    "StoredPage",
    "StoredPages",
    "buffers_of",
    "fetch_together",
    "fetched",
    "held_buffers",
    "places_of",
]

_NEAR: Final = 1 << 14
"""Most bytes between two ranges that are read in one request."""

_WORD: Final = 8

_FEW: Final = 64
"""Ranges that are compared one by one."""


class StoredPage:
    """A page and what reads its buffers.

    path    its name in errors
    at      where its description is in the file
    length  number of rows, as the page counts them
    held    bytes with all its buffers, and where each begins; None unless they were fetched
            together with those of other pages
    """

    def __init__(self, page: Page, source: Source, limits: Limits) -> None:
        """Read nothing yet."""
        self.path, self.at, self.length = page.path, page.at, page.length
        self.source, self.limits, self.places = source, limits, page.buffers
        self.held: tuple[np.ndarray, list[int]] | None = None
        for number, (_, size) in enumerate(page.buffers):
            if size > limits.decompressed_size:
                path = f"{self.path}.buffers[{number}]"
                wanted = f"at most {limits.decompressed_size} (limits.decompressed_size)"
                raise LimitExceeded(path, self.at, f"{size} bytes", wanted)

    def need(self, *counts: int) -> None:
        """Refuse a page whose number of buffers is not one of *counts*."""
        if len(self.places) not in counts:
            wanted = " or ".join(map(str, counts))
            raise FormatError(f"{self.path}.buffer_offsets", self.at, len(self.places), wanted)

    def buffers(self, numbers: range) -> list[np.ndarray]:
        """Return buffers in one read, each at a multiple of eight in memory."""
        wanted = list(numbers)
        found = buffers_of([self], wanted)[1]
        return [found[each][0] for each in wanted]

    def pieces(self, number: int, starts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Return pieces of a buffer, one after the other."""
        data, places = fetched(self.source, self.places[number][0] + starts, sizes, alignment=1)
        out = np.empty(int(sizes.sum()), np.uint8)
        join_buffers(data, places, sizes, out)
        return out


@dataclass(frozen=True, slots=True)
class StoredPages(Sequence[StoredPage]):
    """Pages of many columns, whose buffers were fetched together: arrays, no object per page.

    columns  the columns that they are from
    numbers  which of these columns each page is of
    source   what reads the file
    limits   what reading may cost
    places   int64[page, buffer, 2]: offset and size of each buffer in the file
    data     the bytes that were fetched
    starts   int64[page, buffer]: where each buffer begins in *data*, multiples of eight
    """

    columns: SinglePages
    numbers: Sequence[int]
    source: Source
    limits: Limits
    places: np.ndarray
    data: np.ndarray
    starts: np.ndarray

    def __len__(self) -> int:
        """The number of pages."""
        return len(self.numbers)

    @overload
    def __getitem__(self, number: int) -> StoredPage: ...

    @overload
    def __getitem__(self, number: slice) -> list[StoredPage]: ...

    def __getitem__(self, number: int | slice) -> StoredPage | list[StoredPage]:
        """Return a page as an object, which errors need."""
        if isinstance(number, slice):
            return [self[each] for each in range(len(self))[number]]
        page = self.columns.column(self.numbers[number]).pages[0]
        found = StoredPage(page, self.source, self.limits)
        found.held = self.data, self.starts[number].tolist()
        return found

    @property
    def num_buffers(self) -> int:
        """The number of buffers of each page."""
        return int(self.places.shape[1])


def places_of(pages: Sequence[StoredPage], number: int) -> np.ndarray:
    """Return where a buffer of each page is in its file: int64[page, 2], offsets and sizes."""
    if isinstance(pages, StoredPages):
        found: np.ndarray = pages.places[:, number]
        return found
    return np.array([each.places[number] for each in pages], np.int64).reshape(-1, 2)


def held_buffers(
    pages: Sequence[StoredPage], number: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return all bytes that were fetched together, and where a buffer of each page is, its size."""
    sizes = np.ascontiguousarray(places_of(pages, number)[:, 1])
    if isinstance(pages, StoredPages):
        return pages.data, np.ascontiguousarray(pages.starts[:, number]), sizes
    held = [each.held for each in pages]
    starts = np.array([each[1][number] for each in held if each is not None])
    whole = held[0]
    assert whole is not None  # noqa: S101  pages were fetched together
    return whole[0], starts, sizes


def buffers_of(
    pages: Sequence[StoredPage], numbers: Sequence[int]
) -> tuple[np.ndarray, dict[int, list[np.ndarray]], dict[int, np.ndarray]]:
    """Return some buffers of *pages*, each at a multiple of eight in memory.

    numbers  of the buffers; -1 for the last of each page
    returns  all bytes; for each number the buffers of all pages; and where they are in the bytes
    """
    places = np.concatenate([places_of(pages, number) for number in numbers])
    sizes = places[:, 1]
    if not isinstance(pages, StoredPages) and pages[0].held is None:
        data, starts = _places(pages[0].source, [*map(tuple, places.tolist())])
    else:
        held = [held_buffers(pages, number) for number in numbers]
        data, starts = held[0][0], np.concatenate([each[1] for each in held])
    ends = starts + sizes
    pieces = [data[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    count = len(pages)
    buffers = {each: pieces[i * count : (i + 1) * count] for i, each in enumerate(numbers)}
    return data, buffers, dict(zip(numbers, starts.reshape(-1, count), strict=True))


def fetch_together(pages: Sequence[StoredPage]) -> None:
    """Read all buffers of *pages* in few requests to each file, and keep them in the pages."""
    files: dict[int, list[StoredPage]] = {}
    for each in pages:
        files.setdefault(id(each.source), []).append(each)
    found = [
        _places(each[0].source, [one for page in each for one in page.places])
        for each in files.values()
    ]
    whole = found[0][0] if len(found) == 1 else np.concatenate([data for data, _ in found])
    before = 0
    for (data, starts), own in zip(found, files.values(), strict=True):
        at = 0
        for each in own:
            count = len(each.places)
            each.held = whole, [before + start for start in starts[at : at + count].tolist()]
            at += count
        before += len(data)


def _places(source: Source, wanted: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    """Ranges of a file in one array, and where each begins there, as `fetched` returns them.

    Few ranges that one read gets are compared here, at a tenth of the time that arrays take.
    """
    first = end = min([offset for offset, _ in wanted], default=0)
    is_near = len(wanted) <= _FEW
    for offset, size in sorted(wanted) if is_near else ():
        is_near &= offset - end <= _NEAR and (offset - first) % _WORD == 0
        end = max(end, offset + size)
    if not is_near or not wanted:
        places = np.array(wanted, np.int64).reshape(-1, 2)
        return fetched(source, places[:, 0], places[:, 1])
    data = empty((end - first + _WORD - 1) // _WORD * _WORD, np.uint8)
    _fill(source, data, [first], [end - first], [0])
    return data, np.array([offset - first for offset, _ in wanted])


def fetched(
    source: Source, offsets: np.ndarray, sizes: np.ndarray, alignment: int = _WORD
) -> tuple[np.ndarray, np.ndarray]:
    """Return ranges of a file in one array, and where each begins in it.

    Ranges that are close to each other are read together, with the bytes between them.

    offsets, sizes  of ranges, in any order
    alignment       places in the array are multiples of it; 8 or less
    """
    if not len(offsets):
        return np.empty(0, np.uint8), np.empty(0, np.int64)
    order = np.argsort(offsets, kind="stable")
    first, last = offsets[order], (offsets + sizes)[order]
    is_apart = (first[1:] - last[:-1] > _NEAR) | ((first[1:] - first[:-1]) % alignment != 0)
    cuts = np.concatenate([[0], np.flatnonzero(is_apart) + 1])
    starts = first[cuts]
    lengths = np.maximum.reduceat(last, cuts) - starts
    ends = np.cumsum((lengths + _WORD - 1) // _WORD * _WORD)
    targets = np.concatenate([[0], ends[:-1]])
    data = empty(int(ends[-1]), np.uint8)
    _fill(source, data, starts.tolist(), lengths.tolist(), targets.tolist())
    shift = np.repeat(targets - starts, np.diff(np.concatenate([cuts, [len(first)]])))
    places = np.empty(len(first), np.int64)
    places[order] = first + shift
    return data, places


def _fill(
    source: Source, data: np.ndarray, starts: list[int], sizes: list[int], targets: list[int]
) -> None:
    """Put ranges of a file into *data*."""
    view = data.data
    read_into = getattr(source, "read_into", None)
    if read_into is not None:
        for start, size, target in zip(starts, sizes, targets, strict=True):
            read_into(start, view[target : target + size])
        return
    found = source.read_ranges(list(zip(starts, sizes, strict=True)))
    for target, each in zip(targets, found, strict=True):
        view[target : target + len(each)] = each
