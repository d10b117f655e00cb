"""The content of a Parquet page, its levels and its encoded values, and its heaviest row.

The rules:

- The heaviest row of a column of lists is computed, value by value, only if a row with the most
  values, each as long as the longest text, would be refused.
- A page's codes or lengths are read along with its levels; its text is not decoded.

Source: https://parquet.apache.org/docs/file-format/data-pages/ and its page "encodings".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from byteloom.errors import FormatError
from byteloom.kernels.parquet_structs import numbers
from byteloom.kernels.parquet_weights import HEAVIEST, heaviest_row, sum_of_lengths, text_sizes
from byteloom.parquet.codecs import decoder
from byteloom.parquet.pages import DATA_PAGE, DATA_PAGE_V2, DICTIONARY_PAGE, STRUCTS, header_fields
from byteloom.wire import Reader
from byteloom_generated.parquet.footers import CODECS, DATA_PAGE_HEADER_V2
from byteloom_generated.parquet.parquet import Levels

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from byteloom.parquet.pages import Page
    from byteloom.storage.native import Readable

__all__ = ["DELTA_LENGTHS", "DELTA_TEXTS", "Contents", "PageContent", "heaviest"]

DELTA_LENGTHS, DELTA_TEXTS = 6, 7
"""Encodings of text whose lengths are decoded in one call."""

_PLAIN_VALUES, _DICTIONARIES = 0, frozenset({2, 8})


def heaviest(contents: Contents, pages: Iterable[Page], where: str, least: int) -> int:
    """Return the bytes of the heaviest row.

    least        least bytes that a value counts for
    FormatError  a page with fewer levels than its header says
    """
    column = contents.column
    entries, state = np.zeros(0, np.int64), np.zeros(2, np.int64)
    for page in pages:
        if page.kind == DICTIONARY_PAGE:
            entries = _lengths(contents.dictionary(page), page.values)
        if page.kind not in {DATA_PAGE, DATA_PAGE_V2}:
            continue
        data = contents.data(page)
        codes, width, sizes = _sizes(page, data.values, column.length, entries)
        deepest = (column.max_repetition_level, column.max_definition_level)
        widths = np.array([*(each.bit_length() for each in deepest), width], np.int64)
        seen = heaviest_row(
            np.frombuffer(data.repetitions, np.uint8), np.frombuffer(data.definitions, np.uint8),
            np.frombuffer(codes, np.uint8), widths, deepest[1], sizes, least, page.values,
            np.zeros((3, 4), np.int64), state,
        )  # fmt: skip
        if seen < page.values:
            raise FormatError(where, page.start, f"{seen} levels", f"{page.values}")
    return int(state[HEAVIEST])


def _sizes(
    page: Page, data: bytes, width: int, entries: NDArray[np.int64]
) -> tuple[bytes, int, NDArray[np.int64]]:
    """Return a page's codes, the bits of a code (-1 without codes), and each code's text bytes.

    width    bytes of a value, if all have one length
    entries  the entries of the dictionary
    """
    if page.encoding in _DICTIONARIES:
        return data[1:], min(data[0], 32) if data else 0, entries
    if page.encoding == _PLAIN_VALUES and width <= 0:
        return b"", -1, _lengths(data, page.values)
    if page.encoding in {DELTA_LENGTHS, DELTA_TEXTS}:
        return b"", -1, _differences(page, data)
    return b"", -1, np.full(min(page.values, len(data)), max(width, 0), np.int64)


def _lengths(data: bytes, most: int) -> NDArray[np.int64]:
    """Return the lengths of texts that are stored after their lengths."""
    out = np.empty(max(min(most, len(data) // 4), 0), np.int64)
    return out[: text_sizes(np.frombuffer(data, np.uint8), out)]


def _differences(page: Page, data: bytes) -> NDArray[np.int64]:
    """Return the lengths of texts that are stored as deltas of lengths, or with shared prefixes."""
    stored = np.frombuffer(data, np.uint8)
    sizes, at, sums = np.zeros(page.values, np.int64), 0, np.zeros(2, np.int64)
    for _ in range(2 if page.encoding == DELTA_TEXTS else 1):
        each = np.zeros(page.values, np.int64)
        if at >= 0:
            at = sum_of_lengths(stored, at, page.values, sums, each)
        sizes += each
    return np.minimum(sizes, page.raw)


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
