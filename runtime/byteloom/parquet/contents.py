"""What a page of a Parquet file consists of: its levels, and its values as they are encoded.

Source: https://parquet.apache.org/docs/file-format/data-pages/
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa

from byteloom.parquet.pages import DATA_PAGE_V2, header_fields

if TYPE_CHECKING:
    from byteloom.parquet.pages import Page
    from byteloom.storage.native import Readable

__all__ = ["Contents", "PageContent"]

_PLAIN: Final = "UNCOMPRESSED"

_DEFINITIONS, _REPETITIONS = 5, 6
"""Fields of the header of a data page of version 2."""


class PageContent(NamedTuple):
    """A data page, decompressed; levels that the column does not have are empty."""

    repetitions: bytes
    definitions: bytes
    values: bytes


@dataclass(frozen=True, slots=True)
class Contents:
    """The pages of one column chunk."""

    source: Readable
    column: Any
    chunk: Any

    def data(self, page: Page) -> PageContent:
        """Return the parts of a data page; nothing of damaged ones, which their reader refuses."""
        stored = self.source.read(page.start, page.packed)
        if page.kind == DATA_PAGE_V2:
            return self._second_form(page, stored)
        data, levels = self._plain(stored, page.raw), []
        for deepest in (self.column.max_repetition_level, self.column.max_definition_level):
            size = int.from_bytes(data[:4], "little") if deepest else 0
            levels.append(data[4 : 4 + size] if deepest else b"")
            data = data[4 + size :] if deepest else data
        return PageContent(levels[0], levels[1], data)

    def dictionary(self, page: Page) -> bytes:
        """Return the entries of a dictionary page; none of a damaged one."""
        return self._plain(self.source.read(page.start, page.packed), page.raw)

    def _second_form(self, page: Page, stored: bytes) -> PageContent:
        """The parts of a page of version 2, whose levels are not compressed."""
        head = self.source.read(page.header, page.start - page.header)
        said = header_fields(head)[0].get(-8, {})
        first = min(max(said.get(_REPETITIONS, 0), 0), len(stored))
        end = min(first + max(said.get(_DEFINITIONS, 0), 0), len(stored))
        values = self._plain(stored[end:], max(page.raw - end, 0))
        return PageContent(stored[:first], stored[first:end], values)

    def _plain(self, data: bytes, raw: int) -> bytes:
        """Bytes decompressed; none for damaged ones."""
        if self.chunk.compression == _PLAIN:
            return data
        name = {"LZ4": "lz4_raw"}.get(self.chunk.compression, self.chunk.compression.lower())
        try:
            found: bytes = pa.decompress(data, raw, name, asbytes=True)
        except (pa.ArrowException, OSError, ValueError):
            return data if len(data) == raw else b""
        return found
