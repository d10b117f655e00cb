"""The end of a file of version 0.1: where its batches, its pages and its schema are.

The page table is a matrix of pairs of 64-bit integers: the place of the page for each field and
batch.  It has a row for every id from the least to the largest of the file's fields, used or not,
and a pair for each batch.  Releases 0.4 to 0.7 began it with id 0 in files of columns that were
added later; the size of the table shows which of the two applies.

Source: specs/lance/tail.ksy, specs/lance/file.proto
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from byteloom.errors import ByteloomError, FormatError, LimitExceeded, Truncated, count_of_bytes
from byteloom.lance.fields import tree_of
from byteloom.lance.sized import read_framed
from byteloom.lance.tail_content import V0_1, FileSchema, FileTail
from byteloom_generated.lance.file import FileDescriptor, Metadata, Schema
from byteloom_generated.lance.table import Manifest
from byteloom_generated.lance.tail import LegacyPage, LegacyTail

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.lance.buffered_file import BufferedFile
    from byteloom.limits import Limits

__all__ = ["PageTable", "read_legacy_tail"]


class PageTable:
    """The places of the pages of a file.

    batches  the row that each batch begins with, and the number of rows
    at       where the table begins
    end      where it ends
    """

    def __init__(
        self, file: BufferedFile, tail: FileTail, ids: Sequence[int], limits: Limits
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


def read_legacy_tail(file: BufferedFile, limits: Limits) -> FileTail:
    """Return the places of batches, pages and schema from the end of a file of version 0.1.

    raises  `FormatError` for damage, `LimitExceeded`
    """
    if file.size < LegacyTail.SIZE:
        wanted = f"at least {LegacyTail.SIZE} bytes in a file of version {V0_1}"
        raise Truncated("legacy_tail", 0, count_of_bytes(file.size), wanted)
    at = file.size - LegacyTail.SIZE
    footer = LegacyTail.from_bytes(file.tail[-LegacyTail.SIZE :], origin=at)
    data, place = read_framed(file, footer.ofs_message, at, "metadata", limits)
    metadata = _metadata(data, place, limits)
    if not (metadata.batch_offsets or metadata.manifest_position):
        found = f"a message of {count_of_bytes(len(data))} with neither"
        raise FormatError("metadata", place, found, "batches or the place of a schema")
    _check_batches(metadata, place)
    rows = metadata.batch_offsets[-1] if metadata.batch_offsets else 0
    descriptor = FileDescriptor(schema=_schema(file, metadata, at, limits), length=rows)
    schema = FileSchema(descriptor, tree_of(descriptor.schema.fields, limits))
    return FileTail(V0_1, footer, at, [], [], schema, metadata)


def _metadata(data: bytes, place: int, limits: Limits) -> Metadata:
    """Return the message that the tail names; manifests of datasets have the same tail."""
    try:
        return Metadata.parse(data, limits=limits, origin=place, path="metadata")
    except FormatError:
        try:
            manifest = Manifest.parse(data, limits=limits)
        except ByteloomError:
            manifest = Manifest()
        if not (manifest.version and manifest.fields):
            raise
    found = f"the manifest of version {manifest.version} of a dataset"
    wanted = "a file with rows; byteloom.lance.open_dataset opens datasets"
    raise FormatError("metadata", place, found, wanted)


def _schema(file: BufferedFile, metadata: Metadata, end: int, limits: Limits) -> Schema:
    """Return the schema of the manifest inside the file; without fields if it has none."""
    if not metadata.manifest_position:
        return Schema()
    place = metadata.manifest_position
    data, place = read_framed(file, place, end, "manifest", limits)
    manifest = Manifest.parse(data, limits=limits, origin=place, path="manifest")
    return Schema(fields=manifest.fields, metadata=manifest.schema_metadata)


def _check_batches(metadata: Metadata, at: int) -> None:
    """Refuse batches that do not begin with row 0, or end before they begin."""
    offsets = metadata.batch_offsets
    path = "metadata.batch_offsets"
    if offsets and offsets[0] != 0:
        raise FormatError(f"{path}[0]", at, offsets[0], "0")
    for number, (start, stop) in enumerate(pairwise(offsets)):
        if stop < start:
            raise FormatError(f"{path}[{number + 1}]", at, stop, f"{start} or more")
