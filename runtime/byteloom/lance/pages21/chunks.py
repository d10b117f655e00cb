"""The places of chunks, and of their parts, in a page of the layout MiniBlock.

Words and sizes are read by walks that are generated from `specs/lance/chunks.ksy`, each over all
chunks in one call: a page of 8 MiB has thousands.

Source: https://lance.org/format/file/encoding/#mini-block-page-layout
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.columns.loops import DONE
from byteloom.errors import FormatError
from byteloom.lance.pages21.parts import Buffers, Chunks
from byteloom.lance.stored_pages import places_of
from byteloom.lance.units import LEVEL, UNIT, whole_units
from byteloom_generated.lance.chunks_scan import CHUNKS, EARLY_CHUNKS, LARGE_WORDS, SMALL_WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.columns.walks import Walked
    from byteloom.lance.stored_pages import StoredPage
    from byteloom.limits import Limits

__all__ = ["Words", "cut", "cut_early", "read_words"]

_MAX_VALUES: Final = 1 << 15
_MANY: Final = 1 << 62
"""More values than any page has."""

_SMALL: Final = replace(SMALL_WORDS, usual=2)
_LARGE: Final = replace(LARGE_WORDS, usual=4)
_CHUNKS: Final = replace(CHUNKS, usual=UNIT)
_EARLY_CHUNKS: Final = replace(EARLY_CHUNKS, usual=UNIT)
_FORMS: Final = {
    out.name: out.form for out in (*SMALL_WORDS.columns, *CHUNKS.columns, *EARLY_CHUNKS.columns)
}


@dataclass(frozen=True, slots=True)
class Words:
    """The places of the chunks of pages, and their numbers of values.

    places   of each chunk in the file
    sizes    bytes of each
    counts   values of each
    ends     for each page the number of its last chunk, and 1
    numbers  the number of each chunk in errors; None if they are numbered from 0 on
    """

    places: np.ndarray
    sizes: np.ndarray
    counts: np.ndarray
    ends: np.ndarray
    numbers: np.ndarray | None = None

    def chosen(self, chunks: np.ndarray) -> Words:
        """Return some of the chunks, as if they were of one page; they keep their numbers."""
        ends = np.array([len(chunks)])
        return Words(self.places[chunks], self.sizes[chunks], self.counts[chunks], ends, chunks)


def read_words(
    stored: Sequence[np.ndarray],
    pages: Sequence[StoredPage],
    counts: Sequence[int],
    *,
    is_large: bool,
) -> Words:
    """Return the places and counts that the words of all chunks of *pages* give.

    Args:
        stored: The words of each page.
        counts: The values of each page.
        is_large: Whether words have 32 bits.
    """
    walk = _LARGE if is_large else _SMALL
    data = np.concatenate(stored) if len(stored) > 1 else stored[0]
    bounds = np.zeros((len(stored), 2), np.int64)
    bounds[:, 1] = np.cumsum([len(each) for each in stored])
    bounds[1:, 0] = bounds[:-1, 1]
    found = walk.over(data, bounds, ["len_chunk", "num_values"], len(data), {})
    if found.code != DONE:
        page, (start, end) = pages[found.part], bounds[found.part].tolist()
        before = int(found.counts[found.part - 1, 0]) if found.part else 0
        origin = page.places[0][0] - start
        error = walk.refusal(data, end, found._replace(rows=found.rows - before), {}, origin)
        raise error.inside(page.path)
    sizes, values, ends = (
        _column(found, "len_chunk"),
        _column(found, "num_values"),
        found.counts[:, 0],
    )
    places = _set_pages(pages, walk.name, counts, sizes, values, ends)
    return Words(places, sizes, values, ends)


def _set_pages(  # noqa: PLR0913, PLR0917  what chunks have, and what an error calls their words
    pages: Sequence[StoredPage],
    name: str,
    counts: Sequence[int],
    sizes: np.ndarray,
    values: np.ndarray,
    ends: np.ndarray,
) -> np.ndarray:
    """Set how many values the last chunk of each page has; return where all chunks are."""
    starts = np.concatenate([[0], ends[:-1]])
    numbers = np.flatnonzero(ends > starts)
    for number in np.flatnonzero(ends == starts).tolist():
        if counts[number]:
            path, at = f"{pages[number].path}.{name}", pages[number].places[0][0]
            raise FormatError(path, at, "0 bytes", "a word for each chunk")
    first, last = starts[numbers], ends[numbers] - 1
    if not len(first):
        return np.empty(0, np.int64)
    items = np.array([min(each, _MANY) for each in counts])[numbers]
    values[last] = items - (np.add.reduceat(values, first) - values[last])
    is_bad = (values[last] < 0) | (values[last] > _MAX_VALUES)
    if is_bad.any():
        number, found = numbers[is_bad][0], values[last][is_bad][0]
        path, at = f"{pages[number].path}.{name}[-1]", pages[number].places[0][0]
        wanted = f"0 to {_MAX_VALUES}, what is left of {counts[number]}"
        raise FormatError(path, at, f"{found} values", wanted)
    before = np.cumsum(sizes) - sizes
    places: np.ndarray = before - np.repeat(before[first], last + 1 - first)
    stored = places_of(pages, 1)[numbers]
    totals = places[last] + sizes[last]
    is_bad = totals > stored[:, 1]
    if is_bad.any():
        number, found = numbers[is_bad][0], totals[is_bad][0]
        path, at = f"{pages[number].path}.{name}", pages[number].places[0][0]
        wanted = f"at most {stored[is_bad][0, 1]}, as the buffer has"
        raise FormatError(path, at, f"chunks of {found} bytes", wanted)
    places += np.repeat(stored[:, 0], last + 1 - first)
    return places


@dataclass(frozen=True, slots=True)
class Cut:
    """The parts of chunks.

    Attributes:
        num_levels: Levels of each chunk.
        rep: Its repetition levels; None where pages have none.
        definition: Its definition levels; None where pages have none.
        values: Its values.
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

    Args:
        words: Where each is in the file, its size and its values.
        path: The name of the page in errors.

    Raises:
        FormatError: For parts that leave their chunk.
    """
    flags = {"has_rep": has_rep, "has_def": has_definition, "is_large": is_large}
    parameters = {**flags, "num_buffers": num_buffers}
    places = words.places
    ends = starts + words.sizes
    bounds = np.empty((len(starts), 2), np.int64)
    bounds[:, 0], bounds[:, 1] = starts, ends
    levels, sizes, at = _sizes(data, bounds, words, parameters, path)
    path = f"{path}.{_CHUNKS.name}"
    parts = [Buffers(data, at, at + sizes[0])]
    for size in sizes[1:]:
        at = whole_units(parts[-1].ends)
        parts.append(Buffers(data, at, at + size))
    numbers = words.numbers
    head, last = Chunks(path, places, words.counts, (), limits, numbers), parts[-1].ends
    head.check(
        last <= ends, lambda i: (f"parts of {last[i] - starts[i]} bytes", f"{words.sizes[i]}")
    )
    rep = Chunks(f"{path}.rep", places, levels, (parts[0],), limits, numbers) if has_rep else None
    definition = None
    if has_definition:
        stored = (parts[int(has_rep)],)
        definition = Chunks(f"{path}.def", places, levels, stored, limits, numbers)
    values = head.with_(buffers=tuple(parts[has_rep + has_definition :]))
    return Cut(rep, definition, values)


def cut_early(  # noqa: PLR0913  as `cut`
    data: np.ndarray,
    starts: np.ndarray,
    words: Words,
    *,
    has_rep: bool,
    has_definition: bool,
    path: str,
    limits: Limits,
) -> Cut:
    """Return the parts of chunks by releases 0.19 to 0.25; see `cut`."""
    bounds = np.stack([starts, starts + words.sizes], axis=1)
    names = ["len_rep", "len_def", "len_values", "len_parts"]
    found = _EARLY_CHUNKS.over(data, bounds, names, len(bounds), {})
    if found.code != DONE:
        start, end = bounds[found.part].tolist()
        origin = int(words.places[found.part]) - start
        raise _EARLY_CHUNKS.refusal(data, end, _named(found, words), {}, origin).inside(path)
    len_rep, len_def, len_values, len_parts = (_column(found, name) for name in names)
    path = f"{path}.{_EARLY_CHUNKS.name}"
    at = bounds[:, 1] - len_parts
    rep = Buffers(data, at, at + len_rep)
    definition = Buffers(data, rep.ends, rep.ends + len_def)
    begin = starts + whole_units(definition.ends - starts)
    values = Buffers(data, begin, begin + len_values)
    head = Chunks(path, words.places, words.counts, (values,), limits, words.numbers)
    head.check(
        values.ends <= bounds[:, 1],
        lambda i: (f"parts of {values.ends[i] - starts[i]} bytes", f"{words.sizes[i]}"),
    )
    rep_levels = _early_levels(head, "rep", rep, has=has_rep)
    return Cut(rep_levels, _early_levels(head, "def", definition, has=has_definition), head)


def _early_levels(head: Chunks, name: str, stored: Buffers, *, has: bool) -> Chunks | None:
    """The levels of chunks, two bytes each; None where the page has none."""
    sizes = stored.sizes
    wanted = "levels of two bytes" if has else "none"
    sound = sizes % LEVEL == 0 if has else sizes == 0
    head.check(sound, lambda i: (f"{sizes[i]} bytes of {name} levels", wanted))
    if not has:
        return None
    path = f"{head.path}.{name}"
    return Chunks(path, head.places, sizes // LEVEL, (stored,), head.limits, head.numbers)


def _sizes(
    data: np.ndarray, bounds: np.ndarray, words: Words, parameters: dict[str, int], path: str
) -> tuple[np.ndarray, list[np.ndarray], np.ndarray]:
    """Return the levels of each chunk, the bytes of each of its parts, and where they begin."""
    buffers = "len_large_buffers" if parameters["is_large"] else "len_small_buffers"
    stored = ["len_rep"] * parameters["has_rep"] + ["len_def"] * parameters["has_def"]
    names = ["num_levels", *stored, buffers, "len_parts"]
    found = _CHUNKS.over(data, bounds, names, len(bounds), parameters)
    if found.code != DONE:
        start, end = bounds[found.part].tolist()
        origin = int(words.places[found.part]) - start
        raise _CHUNKS.refusal(data, end, _named(found, words), parameters, origin).inside(path)
    levels, *sizes, last, len_parts = (_column(found, name) for name in names)
    sizes += list(last.reshape(-1, parameters["num_buffers"]).T)
    return levels, sizes, whole_units(bounds[:, 1] - len_parts)


def _named(found: Walked, words: Words) -> Walked:
    """Return the result of a walk over chunks, with the refused chunk's number for errors."""
    return found if words.numbers is None else found._replace(rows=int(words.numbers[found.part]))


def _column(found: Walked, name: str) -> np.ndarray:
    """Return a column as signed integers; for a list, the items of all records."""
    rows = int(found.offsets[name][-1]) if name in found.offsets else found.rows
    return found.columns[name].view(f"<{_FORMS[name]}")[:rows].astype(np.int64)
