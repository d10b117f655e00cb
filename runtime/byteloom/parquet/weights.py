"""The memory that the rows of a Parquet file need, computed from its page headers, not its footer.

The rules:

- Page headers are read before pages are decoded.  The library holds one page of a column at a
  time, so limits bound each page, and not their sum.
- A code of a dictionary takes few bytes, but its text may be long: rows count as if each value
  were the longest text of its dictionary, or a value of the densest page.  A dictionary counts as
  one text where that would not reduce the size of batches.
- The same is true of a text that shares a prefix with the one before it: such a page is
  decompressed, and its lengths are added up.
- A row of a list counts with the average number of values if no row could exceed limits; otherwise
  with the number of the longest row, by the levels.  If that many of the longest text would exceed
  limits, the bytes of each row are added up.

Source: https://parquet.apache.org/docs/file-format/data-pages/encodings/
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.errors import FormatError, LimitExceeded
from byteloom.kernels.parquet_weights import longest_rows, longest_text, sum_of_lengths
from byteloom.parquet.contents import DELTA_LENGTHS, DELTA_TEXTS, Contents, heaviest
from byteloom.parquet.pages import DATA_PAGE, DATA_PAGE_V2, DICTIONARY_PAGE, Page, pages

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from byteloom.limits import Limits
    from byteloom.storage.native import Readable

__all__ = ["batch_rows", "row_bytes"]

_BATCH_BYTES: Final = 256 << 20
"""Bytes of the rows that are read at a time, by the footer's sizes of row groups."""

_TEXT_BYTES: Final = 64 << 20
"""Most bytes of dictionary text in the rows that are read at a time."""

_SHORT: Final = 512
"""Bytes of a dictionary that is too small to reduce the size of batches."""

_PLAIN: Final = "UNCOMPRESSED"
_NUMBER: Final = 8
"""Bytes of a value of a list besides its text."""

_EXPANDS: Final = {
    _PLAIN: 1,
    "SNAPPY": 22,
    "LZ4": 255,
    "LZ4_RAW": 255,
    "GZIP": 1032,
    "ZSTD": 1 << 15,  # blocks of 128 KiB that repeat one byte, and take four
}
"""Most bytes that a codec makes of one; other codecs have no bound."""


def batch_rows(  # noqa: PLR0913, PLR0917  what is read of which file, and what bounds it
    source: Readable,
    metadata: Any,
    leaves: list[int],
    group: int,
    limits: Limits,
    most: int,
    numbers: Sequence[int] | None = None,
) -> int:
    """Return how many rows of a row group to read at a time: a power of 2, up to *most*.

    metadata  the footer, as pyarrow has read it
    leaves    numbers of the leaves that are read
    numbers   the number in the file of each leaf that *metadata* has; None where it has all
    raises    the errors of `row_bytes`
    """
    here, full = metadata.row_group(group), most
    texts = _TEXT_BYTES // max(len(leaves), 1)
    coded, plain = row_bytes(source, metadata, leaves, group, limits, numbers, texts)
    most = min(most, _TEXT_BYTES // max(coded, 1), _BATCH_BYTES // max(plain, 1))
    if int(here.total_byte_size) * full > _BATCH_BYTES * here.num_rows:
        size = sum(int(here.column(each).total_uncompressed_size) for each in leaves)
        most = min(most, _BATCH_BYTES * here.num_rows // max(size, 1))
    return 1 << max(1, most).bit_length() - 1


def row_bytes(  # noqa: PLR0913, PLR0917  as `batch_rows`
    source: Readable,
    metadata: Any,
    leaves: Iterable[int],
    group: int,
    limits: Limits,
    numbers: Sequence[int] | None = None,
    texts: int = 0,
) -> tuple[int, int]:
    """Return the bytes of a row's text: in pages that repeat text, and in other pages.

    metadata       the footer, as pyarrow has read it
    leaves         numbers of the leaves that are read
    numbers        as `batch_rows` takes them, for errors
    texts          a dictionary counts as one text if all rows of its leaf have no more bytes so
    LimitExceeded  a page, a row, or the pages in memory at a time, exceed limits
    FormatError    a damaged page header
    """
    row_group, coded, plain, held = metadata.row_group(group), 0, 0, 0
    for leaf in leaves:
        column, chunk = metadata.schema.column(leaf), row_group.column(leaf)
        number = leaf if numbers is None else int(numbers[leaf])
        where = f"row_groups[{group}].columns[{number}]"
        weighed = _Chunk(source, column, chunk, where, limits, texts)
        if weighed.is_harmless:
            continue
        weighed.walk()
        of_codes, of_others = weighed.row(max(row_group.num_rows, 1))
        coded, plain = coded + of_codes, plain + of_others
        held += weighed.largest
    most = limits.decompressed_size + limits.expansion * source.size
    if held > most:
        wanted = f"at most {most} (limits.decompressed_size, limits.expansion)"
        raise LimitExceeded(f"row_groups[{group}]", None, f"pages of {held} bytes", wanted)
    return coded, plain


@dataclass(slots=True)
class _Chunk:
    """The sizes of a column chunk.

    texts    as `row_bytes` takes it
    largest  bytes of its largest page
    longest  bytes of the longest text that its pages repeat
    dense    bytes of a value in the densest of its other pages
    values   number of values
    """

    source: Readable
    column: Any
    chunk: Any
    where: str
    limits: Limits
    texts: int
    largest: int = 0
    longest: int = 0
    dense: int = 0
    values: int = 0

    @property
    def is_text(self) -> bool:
        """Whether its values are text or bytes of any length."""
        kind = self.column.physical_type
        return kind == "BYTE_ARRAY" or (kind == "FIXED_LEN_BYTE_ARRAY" and self._width > _SHORT)

    @property
    def is_harmless(self) -> bool:
        """Whether neither a page nor a row of it can be large."""
        if self.is_text or self.column.max_repetition_level:
            return False
        expands = _EXPANDS.get(self.chunk.compression, self.limits.decompressed_size)
        return bool(self.chunk.total_compressed_size * expands <= self.limits.decompressed_size)

    @property
    def _width(self) -> int:
        """The bytes of each value if all have one length; otherwise 0."""
        return self.column.length if self.column.physical_type == "FIXED_LEN_BYTE_ARRAY" else 0

    def walk(self) -> None:
        """Read the headers of its pages, and record the sizes."""
        is_text, limits = self.is_text, self.limits
        if is_text:
            self.longest = self._width
        for page in self._pages():
            most = limits.decompressed_size + limits.expansion * page.packed
            if page.raw > most:
                wanted = f"at most {most} (limits.decompressed_size, limits.expansion)"
                found = f"a page of {page.raw} bytes"
                raise LimitExceeded(self.where, page.start, found, wanted)
            self.largest = max(self.largest, page.raw)
            if page.kind != DICTIONARY_PAGE:
                self.values += page.values
                if is_text:
                    self._add_texts(page)
            elif is_text and page.raw > _SHORT:
                is_light = page.raw * self.chunk.num_values <= self.texts
                longest = page.raw if is_light else self._longest_entry(page)
                self.longest = max(self.longest, longest)

    def row(self, rows: int) -> tuple[int, int]:
        """Return the bytes to expect for each of *rows*: of repeated text, and of other values.

        LimitExceeded  a row has more bytes than limits allow
        """
        if not self.column.max_repetition_level:
            return self.longest, self.dense
        size, most = max(self.longest, self.dense, _NUMBER), self.limits.decompressed_size
        if self.values * size <= most:
            values = max(1, -(-self.values // rows))
            return values * self.longest, values * self.dense
        values = self._longest_row()
        if values * size <= most:
            return values * self.longest, values * max(self.dense, _NUMBER)
        heavy, what = values * _NUMBER, f"{values} values a row of up to {_NUMBER} bytes each"
        if self.is_text and heavy <= most:
            heavy = heaviest(self._contents, self._pages(), self.where, _NUMBER)
            what = f"a row of {heavy} bytes"
        if heavy > most:
            wanted = f"at most {most} bytes (limits.decompressed_size)"
            raise LimitExceeded(self.where, None, what, wanted)
        return heavy, 0

    @property
    def _contents(self) -> Contents:
        """Return the contents of its pages."""
        return Contents(self.source, self.column, self.chunk)

    def _pages(self) -> Iterator[Page]:
        """Yield the pages of the chunk."""
        return pages(self.source, self.chunk, self.where)

    def _add_texts(self, page: Page) -> None:
        """Record the sizes in a page of values."""
        if page.encoding not in {DELTA_LENGTHS, DELTA_TEXTS}:
            self.dense = max(self.dense, page.raw // max(page.values, 1))
            return
        most = self.limits.decompressed_size
        if page.values * _NUMBER > most:
            wanted = f"at most {most // _NUMBER} (limits.decompressed_size)"
            found = f"a page of {page.values} lengths"
            raise LimitExceeded(self.where, page.start, found, wanted)
        longest, total = page.raw, page.raw
        if page.encoding == DELTA_TEXTS:
            longest, total = self._texts(page)
        if total > most:
            self.longest = max(self.longest, longest)
        else:
            self.dense = max(self.dense, total // max(page.values, 1))

    def _texts(self, page: Page) -> tuple[int, int]:
        """Return the longest text, and the sum of all, in a page of texts that share prefixes."""
        data = np.frombuffer(self._contents.data(page).values, np.uint8)
        prefix, rest, none = np.zeros(2, np.int64), np.zeros(2, np.int64), np.zeros(0, np.int64)
        at = sum_of_lengths(data, 0, page.values, prefix, none)
        if at >= 0:
            at = sum_of_lengths(data, at, page.values, rest, none)
        if at < 0:  # reading the page finds out what is wrong with it
            return page.raw, page.raw * page.values
        longest = min(int(prefix[0] + rest[0]), page.raw)
        return longest, int(prefix[1] + rest[1])

    def _longest_entry(self, page: Page) -> int:
        """Return the bytes of the longest entry of a dictionary page."""
        data = self._contents.dictionary(page)
        return int(longest_text(np.frombuffer(data, np.uint8))) if data else page.raw

    def _longest_row(self) -> int:
        """Return the most values of any row."""
        state = np.zeros(2, np.int64)
        width = int(self.column.max_repetition_level).bit_length()
        for page in self._pages():
            if page.kind not in {DATA_PAGE, DATA_PAGE_V2}:
                continue
            levels = self._contents.data(page).repetitions
            seen = longest_rows(np.frombuffer(levels, np.uint8), width, page.values, state)
            if seen < page.values:
                raise FormatError(self.where, page.start, f"{seen} levels", f"{page.values}")
        return max(int(state[1]), 1)
