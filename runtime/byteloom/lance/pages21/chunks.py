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
    from byteloom.limits import Limits

__all__ = ["Words", "cut", "read_words"]

_EIGHT: Final = 8
_MAX_LOG: Final = 15


@dataclass(frozen=True, slots=True)
class Words:
    """Where chunks are, and how many values they have.

    starts  of each chunk in the buffer of chunks
    sizes   bytes of each
    counts  values of each
    """

    starts: np.ndarray
    sizes: np.ndarray
    counts: np.ndarray


def read_words(  # noqa: PLR0913  what the words mean, and what an error speaks of
    data: np.ndarray, size: int, num_items: int, *, is_large: bool, path: str, at: int
) -> Words:
    """Return what the words of all chunks say.

    size       bytes of the buffer of chunks
    num_items  values of the page
    is_large   whether words have 32 bits
    path       what errors call the page
    at         where the words are in the file
    """
    width = 4 if is_large else 2
    if len(data) % width or (num_items and not len(data)):
        raise FormatError(f"{path}.words", at, f"{len(data)} bytes", f"words of {width} bytes")
    words = np.frombuffer(data.tobytes(), f"<u{width}").astype(np.int64)
    sizes, logs = ((words >> 4) + 1) * _EIGHT, words & _MAX_LOG
    counts = np.int64(1) << logs
    if len(counts):
        counts[-1] = num_items - counts[:-1].sum()
        if not 0 <= counts[-1] <= 1 << _MAX_LOG:
            wanted = f"1 to {1 << _MAX_LOG}, what is left of {num_items}"
            raise FormatError(f"{path}.words[-1]", at, f"{counts[-1]} values", wanted)
    if sizes.sum() > size:
        wanted = f"at most {size}, as the buffer has"
        raise FormatError(f"{path}.words", at, f"chunks of {sizes.sum()} bytes", wanted)
    return Words(np.cumsum(sizes) - sizes, sizes, counts)


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
    places: np.ndarray,
    *,
    has_rep: bool,
    has_definition: bool,
    num_buffers: int,
    is_large: bool,
    path: str,
    limits: Limits,
) -> Cut:
    """Return the parts of the chunks that begin at *starts*, at multiples of eight in *data*.

    words   the size and the values of each
    places  where each is in the file
    raises  `FormatError` for parts that leave their chunk
    """
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
