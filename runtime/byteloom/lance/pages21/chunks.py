"""Chunks of a page of the layout MiniBlock: where they are, and where their parts are.

Words and sizes are those of `specs/lance/chunks.ksy`, taken of all chunks at once as strided NumPy
views: a page of 8 MiB has thousands.

Source: https://lance.org/format/file/encoding/#mini-block-page-layout
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.errors import FormatError
from byteloom.lance.pages21.parts import Buffers, Chunks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.lance.pages21.stored import StoredPage
    from byteloom.limits import Limits

__all__ = ["Words", "cut", "read_words"]

_EIGHT: Final = 8
_MAX_LOG: Final = 15


@dataclass(frozen=True, slots=True)
class Words:
    """Where the chunks of pages are, and how many values they have.

    places  of each chunk in the file
    sizes   bytes of each
    counts  values of each
    ends    for each page the number of its last chunk, and 1
    """

    places: np.ndarray
    sizes: np.ndarray
    counts: np.ndarray
    ends: np.ndarray

    def chosen(self, chunks: np.ndarray) -> Words:
        """Return some of the chunks, as if they were of one page."""
        ends = np.array([len(chunks)])
        return Words(self.places[chunks], self.sizes[chunks], self.counts[chunks], ends)


def read_words(
    stored: Sequence[np.ndarray], pages: Sequence[StoredPage], counts: Sequence[int], width: int
) -> Words:
    """Return what the words of all chunks of *pages* say.

    stored  the words of each page
    counts  the values of each page
    width   bytes of a word, 2 or 4
    """
    for page, data, count in zip(pages, stored, counts, strict=True):
        if len(data) % width or (count and not len(data)):
            wanted = f"words of {width} bytes"
            place = page.places[0][0]
            raise FormatError(f"{page.path}.words", place, f"{len(data)} bytes", wanted)
    joined = np.concatenate(stored) if len(stored) > 1 else stored[0]
    words = joined.view(f"<u{width}").astype(np.int64)
    sizes, values = ((words >> 4) + 1) * _EIGHT, np.int64(1) << (words & _MAX_LOG)
    ends = np.cumsum([len(each) // width for each in stored])
    places = np.empty(len(words), np.int64)
    start = 0
    for page, end, count in zip(pages, ends.tolist(), counts, strict=True):
        if start < end:
            _set_page(page, count, sizes[start:end], values[start:end], places[start:end])
        start = end
    return Words(places, sizes, values, ends)


def _set_page(
    page: StoredPage, count: int, sizes: np.ndarray, values: np.ndarray, places: np.ndarray
) -> None:
    """Set where the chunks of a page are, and how many values its last chunk has."""
    path, at = f"{page.path}.words", page.places[0][0]
    values[-1] = count - values[:-1].sum()
    if not 0 <= values[-1] <= 1 << _MAX_LOG:
        wanted = f"1 to {1 << _MAX_LOG}, what is left of {count}"
        raise FormatError(f"{path}[-1]", at, f"{values[-1]} values", wanted)
    offset, size = page.places[1]
    np.cumsum(sizes[:-1], out=places[1:])
    places[0] = 0
    total = int(places[-1] + sizes[-1])
    if total > size:
        raise FormatError(
            path, at, f"chunks of {total} bytes", f"at most {size}, as the buffer has"
        )
    places += offset


@dataclass(frozen=True, slots=True)
class Cut:
    """The parts of chunks.

    num_levels  levels of each chunk
    rep         its repetition levels; None where pages have none
    definition  its definition levels; None where pages have none
    values      its values
    """

    rep: Chunks | None
    definition: Chunks | None
    values: Chunks


def cut(  # noqa: PLR0913  what chunks have
    data: np.ndarray,
    starts: np.ndarray,
    words: Words,
    *,
    has_rep: bool,
    has_definition: bool,
    num_buffers: int,
    is_large: bool,
    path: str,
    limits: Limits,
) -> Cut:
    """Return the parts of the chunks that begin at *starts*, at multiples of eight in *data*.

    words   where each is in the file, its size and its values
    raises  `FormatError` for parts that leave their chunk
    """
    places = words.places
    head = Chunks(path, places, words.counts, (), limits)
    width = 4 if is_large else 2
    shorts = 1 + has_rep + has_definition
    fixed = 2 * shorts + width * num_buffers
    head.check(words.sizes >= fixed, lambda i: (f"{words.sizes[i]} bytes", f"{fixed} of sizes"))
    halves = data[: len(data) // 2 * 2].view("<u2")
    first = starts // 2
    levels = halves[first].astype(np.int64)
    sizes = [halves[first + 1 + i].astype(np.int64) for i in range(shorts - 1)]
    for i in range(num_buffers):
        low = halves[first + shorts + i * (width // 2)].astype(np.int64)
        if is_large:
            low |= halves[first + shorts + i * 2 + 1].astype(np.int64) << 16
        sizes.append(low)
    ends = starts + words.sizes
    at = starts + _up(fixed)
    parts = []
    for size in sizes:
        parts.append(Buffers(data, at, at + size))
        at = at + _up(size)
    last = parts[-1].ends if parts else at
    head.check(
        last <= ends, lambda i: (f"parts of {last[i] - starts[i]} bytes", f"{words.sizes[i]}")
    )
    rep = Chunks(f"{path}.rep", places, levels, (parts[0],), limits) if has_rep else None
    number = int(has_rep)
    definition = None
    if has_definition:
        definition = Chunks(f"{path}.def", places, levels, (parts[number],), limits)
    values = Chunks(path, places, words.counts, tuple(parts[shorts - 1 :]), limits)
    return Cut(rep, definition, values)


def _up(size: int | np.ndarray) -> int | np.ndarray:
    """The next multiple of eight."""
    return (size + _EIGHT - 1) // _EIGHT * _EIGHT
