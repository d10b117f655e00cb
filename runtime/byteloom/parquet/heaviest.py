"""The bytes of the heaviest row of a column of lists, value by value.

The rules:

- It is computed only if a row with the most values, each as long as the longest text, would be
  refused.
- A page's codes or lengths are read along with its levels; its text is not decoded.

Source: https://parquet.apache.org/docs/file-format/data-pages/encodings/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from byteloom.errors import FormatError
from byteloom.kernels.parquet_weights import HEAVIEST, heaviest_row, sum_of_lengths, text_sizes
from byteloom.parquet.pages import DATA_PAGE, DATA_PAGE_V2, DICTIONARY_PAGE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from byteloom.parquet.contents import Contents
    from byteloom.parquet.pages import Page

__all__ = ["DELTA_LENGTHS", "DELTA_TEXTS", "heaviest"]

DELTA_LENGTHS, DELTA_TEXTS = 6, 7
"""Encodings of text whose lengths are decoded in one call."""

_PLAIN, _DICTIONARIES = 0, frozenset({2, 8})


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
    if page.encoding == _PLAIN and width <= 0:
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
