"""Columns of version 2.0 that have values: the leaves of fields.

- The last page is kept, so that a scan decodes each page once.
- A page may be decoded with those of other columns, or by a thread, and is then given to its leaf.

Source: https://lance.org/format/file/encoding/
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.errors import ByteloomError, FormatError
from byteloom.lance.encodings import array_encoding
from byteloom.lance.held import Held
from byteloom.lance.pages20.buffers import width_of
from byteloom.lance.pages20.building import PageNodes
from byteloom.lance.pages20.looked_up import looked_up_rows
from byteloom.lance.pages20.order import is_reversed as reverses_buffers
from byteloom.lance.pages20.plain import plain_rows
from byteloom.lance.pages20.together import form_of
from byteloom.lance.pages21.stored import StoredPage
from byteloom.lance.reading import end_of_page, joined
from byteloom.lance.rows_at import rows_at
from byteloom.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from byteloom.lance.ahead import PagesAhead
    from byteloom.lance.column_metadata import Column, Page
    from byteloom.lance.pages20.arrays import Node
    from byteloom.lance.pages20.together import Form
    from byteloom.lance.reader import LanceFile
    from byteloom.limits import Limits

__all__ = ["ColumnPages", "LeafReader", "leaf_reader"]

_BYTE: Final = 8
_TEXT: Final = 16
"""Bytes of a value of any length, about."""

_UNIT: Final = 1 << 20
"""Least bytes of values that are read at a time."""


class ColumnPages:
    """A column, page by page; the last decoded page is kept."""

    def __init__(self, column: Column, open_page: Callable[[Page], Any]) -> None:
        """Read nothing yet; *open_page* returns the reader of a page's rows."""
        self.column, self._open_page = column, open_page
        self.length = column.length
        self.starts = [each.first for each in column.pages if each.length] or [0]
        self._pages = [each for each in column.pages if each.length]
        self._last: tuple[int, Any] = (-1, None)

    def pieces(self, start: int, stop: int) -> Iterator[tuple[Any, int, int]]:
        """Yield each page of a range of rows, opened, with the range inside the page."""
        for number, first, last in self.parts(start, stop):
            yield self.page(number), first, last

    def parts(self, start: int, stop: int) -> Iterator[tuple[int, int, int]]:
        """Yield the number of each page of a range of rows, with the range inside the page."""
        if not 0 <= start <= stop <= self.length:
            found, wanted = f"rows {start} to {stop}", f"{self.length} rows"
            raise FormatError(self.column.path, self.column.at, wanted, found)
        number = bisect_right(self.starts, start) - 1
        while start < stop:
            page = self._pages[number]
            last = min(stop, page.first + page.length)
            yield number, start - page.first, last - page.first
            start, number = last, number + 1

    def groups(self, rows: np.ndarray) -> Iterator[tuple[Any, np.ndarray]]:
        """Yield each page of ascending rows, opened, with the rows inside the page."""
        for number, own in self.numbered(rows):
            yield self.page(number), own

    def numbered(self, rows: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the number of each page of ascending rows, with the rows inside the page."""
        if len(rows) and not 0 <= rows[0] <= rows[-1] < self.length:
            wanted = f"rows of {self.length}"
            raise FormatError(self.column.path, self.column.at, f"row {rows[-1]}", wanted)
        cuts = np.searchsorted(rows, [*self.starts[1:]])
        for number, part in enumerate(np.split(rows, cuts)):
            if len(part):
                yield number, part - self.starts[number]

    def number(self, start: int, stop: int) -> int | None:
        """Return the number of the page that has all rows from *start* up to *stop*; None if none.

        *stop* is above *start*.
        """
        number = bisect_right(self.starts, start) - 1
        if not 0 <= number < len(self._pages):
            return None
        page = self._pages[number]
        return number if start >= page.first and stop <= page.first + page.length else None

    def inside(self, start: int, stop: int) -> range:
        """Return the numbers of the pages all of whose rows are from *start* up to *stop*."""
        first = bisect_left(self.starts, start)
        last = bisect_right([*self.starts[1:], self.length], stop)
        return range(first, min(last, len(self._pages)))

    def stored(self, number: int) -> Page:
        """Return a page as it is described."""
        return self._pages[number]

    def opened(self, number: int) -> Any:
        """Return a page, opened for the caller alone."""
        return self._open_page(self._pages[number])

    def page(self, number: int) -> Any:
        """Return a page, opened."""
        if self._last[0] != number:
            self._last = number, self._open_page(self._pages[number])
        return self._last[1]


class LeafReader:
    """A field that has one column."""

    def __init__(
        self, pages: ColumnPages, type_: pa.DataType, file: LanceFile | None = None
    ) -> None:
        """Read values of *type_*; opened *pages* are nodes.

        file  the file, if pages may be decoded with those of other leaves
        """
        self._pages, self.type, self._file = pages, type_, file
        self.length, self.starts = pages.length, pages.starts
        self._held = Held()
        self.ahead: PagesAhead | None = None

    def read(self, start: int, stop: int) -> pa.Array:
        """Return the rows from *start* up to *stop*."""
        found = self._part(start, stop)
        if found is not None:
            return found
        if self.ahead is None:
            return joined(self.type, [_slice(*each) for each in self._pages.pieces(start, stop)])
        parts = []
        while start < stop:
            last = min(stop, self.end_of(start))
            part = self._part(start, last)
            parts += (
                [_slice(*each) for each in self._pages.pieces(start, last)]
                if part is None
                else [part]
            )
            start = last
        return joined(self.type, parts)

    def end_of(self, start: int) -> int:
        """Return the row up to which rows from *start* on are decoded together.

        Those that a thread decodes are waited for: if they are damaged, pages are read one by one.
        """
        return self._held.end(self, start) or end_of_page(self, start)

    def _part(self, start: int, stop: int) -> pa.Array | None:
        """Rows that were decoded with others; None if any was not."""
        return self._held.part(start, stop) if start < stop else None

    # Its pages, which threads may decode

    def units(self, start: int, stop: int, batch: int) -> list[tuple[int, int, int]]:
        """Return rows from *start* up to *stop* that threads may decode at a time.

        They are given by their first row, the row after the last, and the bytes of the decoded
        rows, about.

        batch  rows of a batch, which values that are stored as Arrow has them are cut into
        """
        if self.is_remote:
            return []
        bits = width_of(self.type)
        width = -(-bits // _BYTE) or _TEXT
        if bits >= _BYTE and self._is_plain(start, stop):
            rows = max(_UNIT // (width * batch), 1) * batch
            cuts = [*range(start, stop, rows), stop]
            return [(a, b, (b - a) * width) for a, b in pairwise(cuts)]
        pages = [(each, self._pages.stored(each)) for each in self._pages.inside(start, stop)]
        return [
            (page.first, page.first + page.length, max(self.bytes_of(each), page.length * width))
            for each, page in pages
        ]

    def ease(self, row: int) -> int:
        """Return how many times as fast as others a row is decoded."""
        del row
        return 1

    def _is_plain(self, start: int, stop: int) -> bool:
        """Whether all rows from *start* up to *stop* are stored as Arrow has them."""
        try:
            return all(self._form(number) for number, _, _ in self._pages.parts(start, stop))
        except ByteloomError:
            return False

    def _form(self, number: int) -> Form | None:
        """How a page is stored; None for anything but values of fixed width, of whole bytes."""
        found = form_of(self.encoded(number), self.limits)
        if found is None or found[0].text >= 0 or found[0].bits < _BYTE:
            return None
        form, count = found[0], len(self._pages.stored(number).buffers)
        return form if form.fits(self.type, count) else None

    def decoded(self, first: int, stop: int) -> list[tuple[int, pa.Array]]:
        """Return rows, and keep nothing: it may be called by any thread."""
        parts = list(self._pages.parts(first, stop))
        forms = [self._form(number) for number, _, _ in parts]
        if self._file is not None and all(forms):
            wanted = [
                (self._pages.stored(number), form, start, end)
                for (number, start, end), form in zip(parts, forms, strict=True)
                if form is not None
            ]
            return plain_rows(self._file.data, wanted, self.type, first)
        return [
            (self.starts[number] + start, _slice(self._pages.opened(number), start, end))
            for number, start, end in parts
        ]

    # Its pages, which may be decoded with those of other columns

    @property
    def form(self) -> _LeafForm | None:
        """What makes the reader in other files; None if its pages are not decoded with others."""
        return None if self._file is None else _LeafForm(self._pages.column, self.type)

    def leaves(self, start: int, stop: int) -> Iterator[tuple[LeafReader, int, int]]:
        """Yield this leaf, if its pages may be decoded with others."""
        if self._file is not None:
            yield self, start, stop

    def of_leaves(self, parts: list[pa.Array]) -> pa.Array:
        """Return the array of the field, from that of its leaf."""
        return parts[0]

    @property
    def limits(self) -> Limits:
        """What reading may cost."""
        return DEFAULT_LIMITS if self._file is None else self._file.limits

    @property
    def is_remote(self) -> bool:
        """Whether each read is a request to a store."""
        return self._file is None or self._file.data.read_into is None

    @property
    def has_one_page(self) -> bool:
        """Whether all rows are in one page."""
        return len(self.starts) == 1 and self.length > 0

    def undecoded(self, start: int, stop: int) -> int | None:
        """Return the number of the page with the rows from *start* up to *stop*, *stop* > *start*.

        None if there is no such page, or it need not be decoded.
        """
        if self._held.at(start) is not None:
            return None
        is_ahead = self.ahead is not None and self.ahead.has(self, start)
        return None if is_ahead else self._pages.number(start, stop)

    def bytes_of(self, number: int) -> int:
        """Return the bytes of all buffers of a page."""
        return sum(size for _, size in self._pages.stored(number).buffers)

    def encoded(self, number: int) -> bytes:
        """Return the encoding of a page, as it is stored."""
        return self._pages.stored(number).encoding.data

    def stored(self, number: int) -> StoredPage:
        """Return a page to fetch."""
        assert self._file is not None  # noqa: S101  only such leaves are decoded with others
        return StoredPage(self._pages.stored(number), self._file.data, self._file.limits)

    def keep(self, number: int, rows: pa.Array) -> None:
        """Keep all rows of a page that was decoded with others."""
        self._held.clear()
        self._held.keep(self._pages.stored(number).first, rows)

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return rows by their numbers, which ascend."""
        if len(rows):
            found = self._part(int(rows[0]), int(rows[-1]) + 1)
            if found is not None:
                return rows_at(found, rows - rows[0])
        wanted = dict(self._pages.numbered(rows))
        first, count = looked_up_rows(self, wanted)
        others = list(wanted.items())[count:]
        parts = [self._pages.page(number).take(own) for number, own in others]
        return joined(self.type, [first, *parts] if count else parts)


@dataclass(frozen=True, slots=True)
class _LeafForm:
    """What readers of a field in files with the same metadata share."""

    column: Column
    type: pa.DataType

    def of(self, file: LanceFile) -> LeafReader:
        """Return the reader in *file*."""
        return leaf_reader(file, self.column, self.type, is_reversed=reverses_buffers(file))


def leaf_reader(
    file: LanceFile,
    column: Column,
    type_: pa.DataType,
    *,
    is_reversed: bool,
    is_alone: bool = False,
) -> LeafReader:
    """Return the reader of values of one column.

    is_reversed  whether buffers are stored in the reverse order
    is_alone     whether its pages are never decoded with those of other columns, nor in threads
    """

    def opened(page: Page) -> Node:
        nodes = PageNodes(page, file.source, file.limits, is_reversed)
        return nodes.node(array_encoding(page, file.limits), type_, page.length)

    is_together = not (is_alone or is_reversed)
    return LeafReader(ColumnPages(column, opened), type_, file if is_together else None)


def _slice(node: Node, start: int, stop: int) -> pa.Array:
    """A range of a node's values, wherever it begins."""
    base = start // _BYTE * _BYTE
    return node.slice(base, stop).slice(start - base)
