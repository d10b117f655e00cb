"""A column from version 2.1 on: the leaf of a field, with all layers around it.

- What a page gives as a whole is kept until another page is read: a scan in small batches decodes
  each page once, and its batches are parts of that array.

Source: https://lance.org/format/file/encoding/
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.lance.encodings import page_layout
from byteloom.lance.pages21.blob import BlobPage
from byteloom.lance.pages21.constant import ConstantPage
from byteloom.lance.pages21.full_zip import FullZipPage
from byteloom.lance.pages21.mini_block import MiniBlockPage
from byteloom.lance.pages21.stored import StoredPage

if TYPE_CHECKING:
    from byteloom.lance.columns import Column, Page
    from byteloom.limits import Limits
    from byteloom.storage import Source

__all__ = ["Leaf21"]

_Page: TypeAlias = MiniBlockPage | ConstantPage | FullZipPage | BlobPage

_LAYOUTS: Final[dict[str, Any]] = {
    "mini_block_layout": MiniBlockPage,
    "constant_layout": ConstantPage,
    "full_zip_layout": FullZipPage,
    "blob_layout": BlobPage,
}


class Leaf21:
    """A column as an array of the field at the top, narrowed to this leaf.

    type    that of the array: structs in it have one field, up to the leaf
    length  its rows
    starts  the first row of each page
    """

    def __init__(self, type_: pa.DataType, column: Column, source: Source, limits: Limits) -> None:
        """Read nothing yet of *column*; a map in *type_* is a list of structs."""
        self.type, self._column = type_, column
        self._source, self._limits = source, limits
        self._pages = [each for each in column.pages if each.length]
        size = _entries_of_row(type_)
        for each in self._pages:
            if each.length % size:
                path, wanted = f"{each.path}.length", f"a multiple of {size}"
                raise FormatError(path, each.at, each.length, wanted)
        self._size = size
        self.length = column.length // size
        self.starts = [each.first // size for each in self._pages] or [0]
        self._opened: tuple[int, _Page | None] = (-1, None)
        self._whole: tuple[int, pa.Array | None] = (-1, None)

    def read(self, start: int, stop: int) -> pa.Array:
        """Return the rows from *start* up to *stop*.

        raises  `FormatError` for damage, `Unsupported`, `LimitExceeded`
        """
        parts = []
        number = bisect_right(self.starts, start) - 1
        while start < stop:
            first, count = self.starts[number], self._rows(number)
            last = min(stop, first + count)
            parts.append(self._range(number, start - first, last - first))
            start, number = last, number + 1
        return self._joined(parts)

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return rows by their numbers, which ascend."""
        cuts = np.searchsorted(rows, self.starts[1:])
        parts = [
            self._chosen(number, part - self.starts[number])
            for number, part in enumerate(np.split(np.asarray(rows, np.int64), cuts))
            if len(part)
        ]
        return self._joined(parts)

    def _rows(self, number: int) -> int:
        """The rows of a page."""
        return self._pages[number].length // self._size

    def _joined(self, parts: list[pa.Array]) -> pa.Array:
        if len(parts) == 1:
            return parts[0]
        return pa.concat_arrays(parts) if parts else pa.array([], self.type)

    def _range(self, number: int, start: int, stop: int) -> pa.Array:
        page = self._open(number)
        if isinstance(page, ConstantPage) and page.is_plain:
            return self._checked(page.rows(stop - start), stop - start, number)
        return self._all(number)[start:stop]

    def _chosen(self, number: int, rows: np.ndarray) -> pa.Array:
        """Ascending rows of a page, by their numbers in it."""
        if self._whole[0] == number:
            return self._all(number).take(pa.array(rows))
        return self._checked(self._open(number).take(rows), len(rows), number)

    def _all(self, number: int) -> pa.Array:
        if self._whole[0] != number:
            self._whole = (-1, None)
            found = self._checked(self._open(number).whole(), self._rows(number), number)
            self._whole = (number, found)
        return self._whole[1]

    def _checked(self, found: pa.Array, count: int, number: int) -> pa.Array:
        page = self._pages[number]
        if len(found) != count:
            raise FormatError(f"{page.path}.length", page.at, f"{len(found)} rows", f"{count}")
        return found

    def _open(self, number: int) -> _Page:
        if self._opened[0] != number or self._opened[1] is None:
            self._opened = (number, self._opened_page(self._pages[number]))
        found = self._opened[1]
        assert found is not None  # noqa: S101  it was just opened
        return found

    def _opened_page(self, page: Page) -> _Page:
        layout = page_layout(page, self._limits)
        kind = layout.WhichOneof("layout")
        if kind is None:
            raise FormatError(f"{page.path}.encoding", page.at, "nothing", "a layout")
        stored = StoredPage(page, self._source, self._limits)
        made: _Page = _LAYOUTS[kind](stored, getattr(layout, kind), self.type)
        return made


def _entries_of_row(type_: pa.DataType) -> int:
    """How many rows pages count for a row: the items of fixed-size lists of structs."""
    size = 1
    while type_.num_fields == 1 and not pa.types.is_map(type_):
        inner = type_.field(0).type
        if pa.types.is_fixed_size_list(type_):
            if not pa.types.is_struct(inner):
                break
            size *= type_.list_size
        type_ = inner
    return size
