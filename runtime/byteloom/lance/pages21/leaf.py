"""A column from version 2.1 on: the leaf of a field, with all layers around it.

- Pages that were decoded whole are kept until later ones are read: a scan in small batches decodes
  each page once, and its batches are slices of the array of several pages.
- Rows by number are read from all pages of one layout together.  A group with any damage is read
  page by page, so that errors name the page.

Source: https://lance.org/format/file/encoding/
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.errors import ByteloomError
from byteloom.lance.held import Held
from byteloom.lance.pages21.column_pages import ColumnPages21
from byteloom.lance.pages21.constant import ConstantPage
from byteloom.lance.pages21.mini_block import MiniBlockPages
from byteloom.lance.pages21.stored import fetch_together
from byteloom.lance.pages21.together import MOST_OF_GROUP, decoded_run
from byteloom.lance.reading import end_of_page, joined
from byteloom.lance.rows_at import rows_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from byteloom.lance.ahead import PagesAhead
    from byteloom.lance.column_metadata import Column
    from byteloom.limits import Limits
    from byteloom.storage import Source

__all__ = ["Leaf21"]

_RANGE: Final = 1 << 12
"""Bytes that are read in the time of a request for a range."""

_SMALL: Final = 1 << 20
"""Most bytes of pages that are read whole for some of their rows."""

_MOST_OF_ROW: Final = 1 << 15
"""Estimated bytes of a chunk; most chunks have fewer."""


class Leaf21(ColumnPages21):
    """A column as an array of its top-level field, narrowed to this leaf.

    type    type of the array: structs in it have one field, down to the leaf
    length  number of rows
    starts  the first row of each page
    source  what reads its pages
    limits  what reading may cost
    ahead   what decodes its large pages in threads while a scan runs; usually None
    """

    def __init__(self, type_: pa.DataType, column: Column, source: Source, limits: Limits) -> None:
        """Read nothing yet of *column*; a map in *type_* is a list of structs."""
        super().__init__(type_, column, source, limits)
        self._held = Held()
        self.ahead: PagesAhead | None = None

    def of(self, source: Source) -> Leaf21:
        """Return the leaf of another file that has the same metadata."""
        found = Leaf21.__new__(Leaf21)
        found.__dict__.update(self.__dict__)
        found.source, found._held = source, Held()  # noqa: SLF001  of a copy of this one
        found._opened = found._fetched = (-1, None)  # noqa: SLF001
        found.ahead = None
        return found

    def read(self, start: int, stop: int) -> pa.Array:
        """Return the rows from *start* up to *stop*.

        raises  `FormatError` for damage, `Unsupported`, `LimitExceeded`
        """
        found = self._held.part(start, stop) if start < stop else None
        if found is not None:
            return found
        parts = []
        while start < stop:
            last = min(stop, self.end_of(start))
            parts.append(self._range(start, last))
            start = last
        return joined(self.type, parts)

    def end_of(self, start: int) -> int:
        """Return the row up to which rows from *start* on are decoded together.

        Those that a thread decodes are waited for: if they are damaged, pages are read one by one.
        """
        return self._held.end(self, start) or end_of_page(self, start)

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return rows by their numbers, which ascend."""
        cuts = [0, *np.searchsorted(rows, self.starts[1:]).tolist(), len(rows)]
        rows = np.asarray(rows, np.int64)
        wanted = {
            number: rows[a:b] - self.starts[number]
            for number, (a, b) in enumerate(pairwise(cuts))
            if a < b
        }
        return joined(
            self.type, [part for group in self._groups(wanted) for part in self._taken(group)]
        )

    # Its pages, which may be decoded with those of other columns

    def undecoded(self, start: int, stop: int, room: int = 0) -> list[int]:
        """Return the numbers of pages with the rows from *start* up to *stop*, *stop* > *start*.

        Empty if the first need not be decoded.

        room  bytes of decoded pages after the first; if 0, one page has to have all rows
        """
        if not self._pages or self._is_ahead(start) or self._held.at(start) is not None:
            return []
        number = self._number(start)
        if not room:
            return [number] if stop <= self.starts[number] + self._rows(number) else []
        found = [number]
        for each in range(number + 1, bisect_left(self.starts, stop)):
            room -= self._decoded_bytes(each)
            if room < 0 or self._is_ahead(self.starts[each]):
                break
            found.append(each)
        return found

    def units(self, start: int, stop: int, batch: int) -> list[tuple[int, int, int]]:
        """Return the pages with rows from *start* up to *stop* that threads may decode.

        Each is given by its first row, the row after its last, and the bytes of its decoded rows,
        about.
        """
        del batch
        if self.is_remote or not self._pages:
            return []
        numbers = range(self._number(start), bisect_left(self.starts, stop))
        firsts = self.starts
        return [
            (firsts[each], firsts[each] + self._rows(each), self._decoded_bytes(each))
            for each in numbers
            if self._is_of_chunks(each)
        ]

    def decoded(self, first: int, stop: int) -> list[tuple[int, pa.Array]]:
        """Return the rows of pages, and keep nothing: it may be called by any thread."""
        numbers = range(self._number(first), bisect_left(self.starts, stop))
        found = decoded_run(self, numbers)
        if found is not None:
            return [(first, self._of_length(found, stop - first, numbers[0]))]
        return [
            (self.starts[each], self._checked(self._opened_page(each).whole(), each))
            for each in numbers
        ]

    def _is_ahead(self, row: int) -> bool:
        """Whether a thread decodes a row."""
        return self.ahead is not None and self.ahead.has(self, row)

    def keep(self, number: int, rows: pa.Array) -> None:
        """Keep all rows of a page that was decoded with others, or of several."""
        self._held.keep(self.starts[number], rows)

    # Reading rows

    def _groups(self, wanted: dict[int, np.ndarray]) -> Iterator[dict[int, np.ndarray]]:
        """Yield pages that are read together, each with the rows that are wanted of it."""
        group: dict[int, np.ndarray] = {}
        shape, left = b"", 0
        for number, rows in wanted.items():
            own = b"" if self._is_held(number) else self.shape(number)[1]
            size = min(self.bytes_of(number), len(rows) * _MOST_OF_ROW)
            if group and (not own or own != shape or size > left):
                yield group
                group = {}
            if not group:
                shape, left = own, MOST_OF_GROUP
            group[number] = rows
            left -= size
        if group:
            yield group

    def _taken(self, group: dict[int, np.ndarray]) -> list[pa.Array]:
        """The rows of a group of pages."""
        numbers = list(group)
        if len(numbers) == 1:
            return [self._chosen(numbers[0], group[numbers[0]])]
        counts = [self._rows(number) for number in numbers]
        before = np.cumsum(counts) - counts
        rows = np.concatenate([group[n] + b for n, b in zip(numbers, before, strict=True)])
        try:
            stored = [self.stored(each) for each in numbers]
            layouts = [self.layout(each).mini_block_layout for each in numbers]
            size = sum(map(self.bytes_of, numbers))
            if size <= min(len(rows) * _RANGE, _SMALL) and not self.is_remote:
                fetch_together(stored)
            found = MiniBlockPages(stored, layouts, self.type).take(rows)
        except ByteloomError:
            return [self._chosen(number, each) for number, each in group.items()]
        return [found]

    def _range(self, start: int, stop: int) -> pa.Array:
        """Rows that are decoded together."""
        found = self._held.part(start, stop)
        if found is not None:
            return found
        number = self._number(start)
        page = self._open(number)
        if isinstance(page, ConstantPage) and page.is_plain:
            return self._of_length(page.rows(stop - start), stop - start, number)
        self._held.clear()
        self.keep(number, self._checked(page.whole(), number))
        rows = self._held.part(start, stop)
        assert rows is not None  # noqa: S101  a page has all rows up to its end
        return rows

    def _chosen(self, number: int, rows: np.ndarray) -> pa.Array:
        """Ascending rows of a page, by their numbers in it."""
        held = self._held.at(self.starts[number])
        if held is not None:
            return rows_at(held[2], rows + (self.starts[number] - held[0]))
        return self._of_length(self._open(number).take(rows), len(rows), number)

    def _is_held(self, number: int) -> bool:
        """Whether the rows of a page are held, all of them."""
        return self._held.at(self.starts[number]) is not None
