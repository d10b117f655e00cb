"""The page table of a file of version 0.1: the place of the page for each field and batch.

It is a matrix of pairs of 64-bit integers, with a row for every id from the least to the largest of
the file's fields, used or not, and a pair for each batch.  Releases 0.4 to 0.7 began it with id 0
in files of columns that were added later; the size of the table shows which of the two applies.

Source: specs/lance/tail.ksy
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.errors import FormatError, LimitExceeded, Truncated
from byteloom_generated.lance.file import Metadata
from byteloom_generated.lance.tail import LegacyPage, LegacyTail

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.lance.file_tail import FileTail
    from byteloom.lance.tailed_file import TailedFile
    from byteloom.limits import Limits

__all__ = ["PageTable"]


class PageTable:
    """The places of the pages of a file.

    batches  the row that each batch begins with, and the number of rows
    at       where the table begins
    end      where it ends
    """

    def __init__(
        self, file: TailedFile, tail: FileTail, ids: Sequence[int], limits: Limits
    ) -> None:
        """Read the table of a file whose fields have these *ids*.

        raises  `Truncated` for a table outside of the file, `LimitExceeded`
        """
        metadata = tail.legacy or Metadata()
        self.batches: list[int] = list(metadata.batch_offsets) or [0]
        self.at: int = metadata.page_table_position
        self._most = tail.at
        count = len(self.batches) - 1
        first, last = (min(ids), max(ids)) if ids else (0, -1)
        if first and _room(metadata, tail) == (last + 1) * count * LegacyPage.SIZE:
            first = 0
        self._first, self._last = first, last
        size = (last - first + 1) * count * LegacyPage.SIZE
        if size > limits.metadata_size:
            wanted = f"at most {limits.metadata_size} bytes (limits.metadata_size)"
            raise LimitExceeded("page_table", self.at, size, wanted)
        if self.at + size > tail.at:
            found = f"bytes {self.at} to {self.at + size}"
            raise Truncated(
                "page_table", self.at, found, f"at most {tail.at}, where the tail begins"
            )
        self._stored = file.read(self.at, size)
        self.end: int = self.at + size

    def page(self, field: int, batch: int) -> tuple[int, int]:
        """Return where the page of a field and a batch is, and how many values it has."""
        if not self._first <= field <= self._last:
            wanted = f"{self._first} to {self._last}, the ids of the page table"
            raise FormatError("field.id", self.at, field, wanted)
        number = (field - self._first) * (len(self.batches) - 1) + batch
        start = number * LegacyPage.SIZE
        at = self.at + start
        path = f"page_table[{field}][{batch}]"
        try:
            page = LegacyPage.from_bytes(self._stored[start : start + LegacyPage.SIZE], origin=at)
        except FormatError as error:
            raise error.inside(path) from None
        if page.ofs_page > self._most:
            raise FormatError(f"{path}.ofs_page", at, page.ofs_page, f"at most {self._most}")
        return page.ofs_page, page.num_values


def _room(metadata: Metadata, tail: FileTail) -> int:
    """Bytes from the page table to what is stored after it."""
    table = metadata.page_table_position
    statistics = metadata.statistics.page_table_position
    message = tail.footer.ofs_message if isinstance(tail.footer, LegacyTail) else tail.at
    places = (metadata.manifest_position, statistics, message)
    return min((each for each in places if each > table), default=table) - table
