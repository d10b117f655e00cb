"""Find the chunks of pages in which rows are, and their entries in these chunks.

Without lists an entry is a row.  Where there are lists the repetition index says, for each chunk,
how many rows end in it, and how many levels belong to a row that does not.

Source: https://lance.org/format/file/encoding/#repetition-index
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.errors import FormatError
from byteloom.kernels.lance_rows import list_starts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.lance.pages21.chunks import Words
    from byteloom.lance.pages21.parts import Chunks
    from byteloom.lance.stored_pages import StoredPage

__all__ = ["Chosen", "by_index", "by_values"]

_COUNT: Final = 8
"""Bytes of a number in the index."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """The repetition index of some chunks.

    Attributes:
        begun: How many rows begin in each.
        goes_on: Whether a chunk begins with the rest of a row from the chunk before.
        torn: The same, if the chunk before it is not one of these.
    """

    begun: np.ndarray
    goes_on: np.ndarray
    torn: np.ndarray

    def check(self, levels: Chunks, begins: np.ndarray) -> None:
        """Refuse chunks whose *levels* contradict the index.

        Args:
            begins: The numbers of the entries of all chunks that begin a row.
        """
        first = levels.rows
        bounds = begins.searchsorted([first, first + levels.counts])
        found = bounds[1] - bounds[0]
        starts = np.append(begins, -1)[bounds[0]] == first
        wanted, said = self.begun, "as the repetition index says"
        levels.check(found == wanted, lambda i: (f"{found[i]} rows", f"{wanted[i]}, {said}"))
        levels.check(
            (starts != self.goes_on) | (levels.counts == 0),
            lambda i: (
                ("more of a row", f"a row, {said}")
                if self.goes_on[i] < 1
                else ("the beginning of a row", f"more of the row before it, {said}")
            ),
        )


@dataclass(frozen=True, slots=True)
class Chosen:
    """The chunks of some rows.

    Attributes:
        path: Their name in errors.
        chunks: Their numbers, ascending.
        rows: The numbers of the rows among those that begin in these chunks, ascending; the rest of
            a row whose first chunk is not among them counts as a row.
        owners: For each row which of these chunks has it; None with lists.
        index: What the repetition index says of these chunks; None without lists.
    """

    path: str
    chunks: np.ndarray
    rows: np.ndarray
    owners: np.ndarray | None = None
    index: Indexed | None = None

    def entries(self, levels: Chunks | None, rep: np.ndarray | None, most: int) -> np.ndarray:
        """Return the numbers of the entries of the rows, among all of the chunks.

        Args:
            levels: The repetition levels of each chunk, *rep* those of all, which are changed; None
                without lists.
            most: The repetition level that begins a row.
        """
        if levels is None or rep is None or self.index is None:
            return self.rows
        begins = np.empty(len(rep) + 1, np.int64)
        goes_on = len(rep) > 0 and rep[0] < most
        count = list_starts(rep, most, begins)
        self.index.check(levels, begins[int(goes_on) : count])
        if self.index.torn.any():
            rep[levels.rows[self.index.torn]] = most
            count = list_starts(rep, most, begins)
        begins[count] = len(rep)
        begins, ends = begins[self.rows], begins[self.rows + 1]
        sizes = ends - begins
        before = np.cumsum(sizes) - sizes
        found: np.ndarray = np.repeat(begins - before, sizes) + np.arange(sizes.sum())
        return found


def by_values(
    pages: Sequence[StoredPage], counts: Sequence[int], words: Words, rows: np.ndarray
) -> Chosen:
    """Return the chunks of *rows* of pages without lists.

    Args:
        counts: The values of each page.
    """
    for page, count in zip(pages, counts, strict=True):
        if page.length != count:
            raise FormatError(f"{page.path}.length", page.at, page.length, f"{count}, its values")
    ends = words.counts.cumsum()
    chosen, before, found = _chunks(ends, words.counts, rows)
    local = rows - (ends - words.counts - before)[found]
    owners = np.zeros(len(rows), np.int64)
    (found[1:] != found[:-1]).cumsum(out=owners[1:])
    return Chosen(pages[0].path, chosen, local, owners)


def _chunks(
    ends: np.ndarray, counts: np.ndarray, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The chunks of *rows*; of each chunk, the rows of chosen ones before it; the chunk of each."""
    found = ends.searchsorted(rows, "right")
    chosen = found[np.concatenate([[True], found[1:] != found[:-1]])] if len(found) else found
    before = np.zeros(len(counts), np.int64)
    before[chosen] = counts[chosen].cumsum() - counts[chosen]
    return chosen, before, found


def by_index(
    pages: Sequence[StoredPage], stored: Sequence[np.ndarray], words: Words, rows: np.ndarray
) -> Chosen:
    """Return the chunks of *rows* of pages with lists.

    Args:
        stored: The repetition index of each page.
    """
    done, is_open = _index(pages, stored, words)
    ends = np.cumsum(done)
    # A row that began in an earlier chunk is not among those that begin in this one.
    first = ends - done + np.concatenate([[False], is_open[:-1]])
    starts = np.concatenate([first[1:], [ends[-1]]]) - first
    begin = np.searchsorted(first, rows, "right") - 1
    finish = np.searchsorted(ends, rows, "right")
    marks = np.zeros(len(done) + 1, np.int64)
    np.add.at(marks, begin, 1)
    np.add.at(marks, finish + 1, -1)
    chosen = np.flatnonzero(np.cumsum(marks[:-1]) > 0)
    # The end of a row that began in a chunk which is not chosen is skipped.
    follows = np.concatenate([[False], chosen[1:] == chosen[:-1] + 1])[: len(chosen)]
    goes_on = (chosen > 0) & is_open[chosen - 1]
    torn = goes_on & ~follows
    begun = starts[chosen] + torn
    before = np.zeros(len(done), np.int64)
    before[chosen] = np.cumsum(begun) - starts[chosen]
    local = rows - first[begin] + before[begin]
    return Chosen(pages[0].path, chosen, local, None, Indexed(starts[chosen], goes_on, torn))


def _index(
    pages: Sequence[StoredPage], stored: Sequence[np.ndarray], words: Words
) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows that end in each chunk, and whether its last row continues after it."""
    done, is_open, begin = [], [], 0
    for page, data, end in zip(pages, stored, words.ends.tolist(), strict=True):
        count, begin = end - begin, end
        path, offset = f"{page.path}.repetition_index", page.places[-1][0]
        # Deeper indexes have more numbers for each chunk; no release writes them.
        if len(data) != 2 * _COUNT * count or not count:
            wanted = f"{2 * _COUNT} for each of {count} chunks"
            raise FormatError(path, offset, f"{len(data)} bytes", wanted)
        numbers = data.view("<u8").reshape(count, 2)
        ended = numbers[:, 0]
        if (ended > page.length).any() or ended.sum() != page.length:
            raise FormatError(path, offset, f"{ended.sum()} rows", f"{page.length}")
        done.append(ended.astype(np.int64))
        goes_on = numbers[:, 1] > 0
        goes_on[-1] = False
        if (goes_on[:-1] & ~goes_on[1:] & (ended[1:] == 0)).any():
            raise FormatError(path, offset, "a row without an end", "an end of each row")
        is_open.append(goes_on)
    return np.concatenate(done), np.concatenate(is_open)
