"""Pages of version 2.0 and later, whose buffers are read when they are needed.

Source: https://lance.org/format/file/
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, overload

import numpy as np

from byteloom.errors import FormatError, LimitExceeded
from byteloom.kernels.lance_values import join_buffers
from byteloom.lance.arrays import empty
from byteloom.lance.buffered_file import NEAR, BufferedFile
from byteloom.storage.sources import LocalSource

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
    "fetched_from",
    "held_buffers",
    "joined_ranges",
    "places_of",
    "sources_of",
]

_WORD: Final = 8


class StoredPage:
    """A page and what reads its buffers.

    Attributes:
        path: Its name in errors.
        at: Where its description is in the file.
        length: Number of rows, as the page counts them.
        held: Bytes with all its buffers, and where each begins; None unless they were fetched
            together with those of other pages.
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

    Attributes:
        columns: The columns that they are from.
        numbers: Which of these columns each page is of.
        source: What reads the file.
        limits: What reading may cost.
        places: int64[page, buffer, 2]: offset and size of each buffer in the file.
        data: The bytes that were fetched.
        starts: int64[page, buffer]: where each buffer begins in *data*, multiples of eight.
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

    Args:
        numbers: The numbers of the buffers; -1 for the last of each page.

    Returns:
        All bytes; for each number the buffers of all pages; and where they are in the bytes.
    """
    places = np.concatenate([places_of(pages, number) for number in numbers])
    sizes = places[:, 1]
    if not isinstance(pages, StoredPages) and pages[0].held is None:
        sources, files = sources_of(pages)
        files = np.tile(files, len(numbers))
        data, starts = fetched_from(sources, files, places[:, 0], places[:, 1])
    else:
        held = [held_buffers(pages, number) for number in numbers]
        data, starts = held[0][0], np.concatenate([each[1] for each in held])
    ends = starts + sizes
    pieces = [data[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    count = len(pages)
    buffers = {each: pieces[i * count : (i + 1) * count] for i, each in enumerate(numbers)}
    return data, buffers, dict(zip(numbers, starts.reshape(-1, count), strict=True))


def sources_of(pages: Sequence[StoredPage]) -> tuple[list[Source], np.ndarray]:
    """Return the files of *pages*, and for each page the number of its file among these."""
    known: dict[int, int] = {}
    sources: list[Source] = []
    numbers = np.zeros(len(pages), np.int64)
    for at, each in enumerate(pages):
        number = known.setdefault(id(each.source), len(sources))
        if number == len(sources):
            sources.append(each.source)
        numbers[at] = number
    return sources, numbers


def fetch_together(pages: Sequence[StoredPage]) -> None:
    """Read all buffers of *pages* in few requests to each file, and keep them in the pages."""
    counts = [len(each.places) for each in pages]
    wanted = [place for each in pages for place in each.places]
    sources, files = sources_of(pages)
    places = np.array(wanted, np.int64).reshape(-1, 2)
    data, starts = fetched_from(sources, np.repeat(files, counts), places[:, 0], places[:, 1])
    found, at = starts.tolist(), 0
    for each, count in zip(pages, counts, strict=True):
        each.held = data, found[at : at + count]
        at += count


def fetched(
    source: Source, offsets: np.ndarray, sizes: np.ndarray, alignment: int = _WORD
) -> tuple[np.ndarray, np.ndarray]:
    """Return ranges of a file in one array, and where each begins in it; see `fetched_from`."""
    return fetched_from([source], np.zeros(len(offsets), np.int64), offsets, sizes, alignment)


def fetched_from(
    sources: Sequence[Source],
    files: np.ndarray,
    offsets: np.ndarray,
    sizes: np.ndarray,
    alignment: int = _WORD,
) -> tuple[np.ndarray, np.ndarray]:
    """Return ranges of several files in one array, and where each begins in it.

    Ranges that are close to each other are read together, with the bytes between them.

    Args:
        files: The number of the file of each range, among *sources*.
        offsets: Where each range begins, in any order.
        sizes: The bytes of each.
        alignment: Places in the array are multiples of it; 8 or less.
    """
    if not len(offsets):
        return np.empty(0, np.uint8), np.empty(0, np.int64)
    order = np.lexsort((offsets, files)) if len(sources) > 1 else np.argsort(offsets, kind="stable")
    first, last = offsets[order], (offsets + sizes)[order]
    is_apart = (first[1:] - last[:-1] > NEAR) | ((first[1:] - first[:-1]) % alignment != 0)
    own = files[order]
    is_apart |= own[1:] != own[:-1]
    cuts = np.concatenate([[0], np.flatnonzero(is_apart) + 1])
    starts = first[cuts]
    lengths = np.maximum.reduceat(last, cuts) - starts
    ends = ((lengths + _WORD - 1) // _WORD * _WORD).cumsum()
    targets = np.concatenate([[0], ends[:-1]])
    data = empty(int(ends[-1]), np.uint8)
    parts: dict[int, list[tuple[int, int, int]]] = {}
    columns = starts.tolist(), lengths.tolist(), targets.tolist()
    for file, *part in zip(own[cuts].tolist(), *columns, strict=True):
        parts.setdefault(file, []).append((part[0], part[1], part[2]))
    for file, ranges in parts.items():
        _fill(sources[file], data, ranges)
    shift = np.repeat(targets - starts, np.diff(np.concatenate([cuts, [len(first)]])))
    places = np.empty(len(first), np.int64)
    places[order] = first + shift
    return data, places


def joined_ranges(
    pages: Sequence[StoredPage], offsets: np.ndarray, sizes: np.ndarray
) -> np.ndarray:
    """Return a range of the file of each page, one after the other."""
    ends = sizes.cumsum()
    out = empty(int(ends[-1]), np.uint8)
    targets = (ends - sizes).tolist()
    ranges = zip(offsets.tolist(), sizes.tolist(), targets, strict=True)
    parts: dict[int, tuple[Source, list[tuple[int, int, int]]]] = {}
    for page, each in zip(pages, ranges, strict=True):
        parts.setdefault(id(page.source), (page.source, []))[1].append(each)
    for source, own in parts.values():
        _fill(source, out, own)
    return out


def _fill(source: Source, data: np.ndarray, ranges: Sequence[tuple[int, int, int]]) -> None:
    """Put ranges of a file into *data*, each with its offset, its size and its place there."""
    view = data.data
    read_into = source.read_into if isinstance(source, BufferedFile | LocalSource) else None
    if read_into is not None:
        for start, size, target in ranges:
            read_into(start, view[target : target + size])
        return
    found = source.read_ranges([(start, size) for start, size, _ in ranges])
    for (_, _, target), each in zip(ranges, found, strict=True):
        view[target : target + len(each)] = each
