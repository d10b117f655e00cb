"""The content of a Parquet page: its levels and its encoded values.

Source: https://parquet.apache.org/docs/file-format/data-pages/
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from byteloom.errors import FormatError
from byteloom.kernels.parquet_structs import numbers
from byteloom.parquet.codecs import decoder
from byteloom.parquet.pages import DATA_PAGE_V2, STRUCTS, header_fields
from byteloom.wire import Reader
from byteloom_generated.parquet.footers import CODECS, DATA_PAGE_HEADER_V2
from byteloom_generated.parquet.parquet import Levels

if TYPE_CHECKING:
    from byteloom.parquet.pages import Page
    from byteloom.storage.native import Readable

__all__ = ["Contents", "PageContent"]

_PLAIN: Final = "UNCOMPRESSED"
(_LZ4_RAW,) = numbers(CODECS, "LZ4_RAW")
_NUMBERS: Final = {each.name: each.number for each in CODECS} | {"LZ4": _LZ4_RAW}
"""Codecs by Arrow's names: it calls LZ4_RAW by the name of the older form, which it cannot read."""

_DEFINITIONS, _REPETITIONS = numbers(
    DATA_PAGE_HEADER_V2, "definition_levels_byte_length", "repetition_levels_byte_length"
)
"""Fields of the header of a data page of version 2."""


class PageContent(NamedTuple):
    """A data page, decompressed; levels are empty if the column has none."""

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
        """Return the parts of a data page, empty if it is damaged; its reader then refuses it."""
        stored = self.source.read(page.start, page.packed)
        if page.kind == DATA_PAGE_V2:
            return self._second_form(page, stored)
        reader = Reader(self._plain(stored, page.raw))
        deepest = self.column.max_repetition_level, self.column.max_definition_level
        try:
            first, second = (Levels.read(reader).levels if each else b"" for each in deepest)
        except FormatError:
            return PageContent(b"", b"", b"")
        return PageContent(first, second, reader.rest("values"))

    def dictionary(self, page: Page) -> bytes:
        """Return the entries of a dictionary page; no bytes if it is damaged."""
        return self._plain(self.source.read(page.start, page.packed), page.raw)

    def _second_form(self, page: Page, stored: bytes) -> PageContent:
        """Return the parts of a page of version 2, whose levels are not compressed."""
        head = self.source.read(page.header, page.start - page.header)
        said = header_fields(head)[0].get(-STRUCTS[DATA_PAGE_V2], {})
        first = min(max(said.get(_REPETITIONS, 0), 0), len(stored))
        end = min(first + max(said.get(_DEFINITIONS, 0), 0), len(stored))
        values = self._plain(stored[end:], max(page.raw - end, 0))
        return PageContent(stored[:first], stored[first:end], values)

    def _plain(self, data: bytes, raw: int) -> bytes:
        """Decompress bytes; return no bytes if they are damaged."""
        codec = self.chunk.compression
        if codec == _PLAIN:
            return data
        out = bytearray(raw)
        try:
            written = decoder(_NUMBERS[codec])(memoryview(data), memoryview(out))
        except Exception:  # noqa: BLE001  the codecs' library raises errors of its own
            written = -1
        if written != raw:  # the page is damaged, or not compressed
            return data if len(data) == raw else b""
        return bytes(out)
