"""Parquet files by themselves: the footer, the places of all parts, every page, and every row.

The rules:

- Column chunks, the indexes of their pages and their Bloom filters are before the footer, and do
  not overlap; the pages of a chunk fill it.
- A chunk without values has no pages that a reader looks for: writers put any offset there.
- Rows are read only if nothing else is wrong: they would repeat the finding.
- A file that only refers to row groups in other files, as ``_metadata`` does, has no rows to read.

Source: https://parquet.apache.org/docs/file-format/
"""

from __future__ import annotations

import zlib
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from byteloom.errors import ByteloomError, ChecksumMismatch, FormatError
from byteloom.limits import DEFAULT_LIMITS
from byteloom.parquet.layout import ParquetLayout
from byteloom.parquet.pages import DATA_PAGE, DATA_PAGE_V2, DICTIONARY_PAGE, chunk_range, pages
from byteloom.parquet.structs import StructWalk
from byteloom.verification.damage import Damage, counted
from byteloom.verification.data_rows import check_rows
from byteloom_generated.parquet.parquet import Parquet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.parquet.layout import ColumnChunk, Element, RowGroup
    from byteloom.parquet.pages import Page
    from byteloom.storage import Source

__all__ = ["verify"]

_FIRST: Final = len(Parquet.magic)
_DATA: Final = (DATA_PAGE, DATA_PAGE_V2)
_BITS: Final = 0xFFFF_FFFF


def verify(source: Source) -> str:
    """Check the footer, all column chunks and their pages, and all rows.

    raises  the error of a file without a sound footer, or `Damage` with all errors
    """
    layout = ParquetLayout(source, DEFAULT_LIMITS)
    audit = _Audit(source, layout)
    found: list[ByteloomError] = list(audit.errors())
    if not found and not audit.has_elsewhere:
        found += check_rows("parquet", source)
    if found:
        raise Damage(found)
    parts = [counted(audit.rows, "row"), counted(audit.groups, "row group")]
    parts.append(counted(len(layout.leaves), "column"))
    note = "; its rows are in other files, which were not read" if audit.has_elsewhere else ""
    return f"{', '.join(parts)}{note}"


class _Audit:
    """The checks of a file's structure.

    rows, groups   how many there are
    has_elsewhere  whether there are column chunks in other files
    """

    def __init__(self, source: Source, layout: ParquetLayout) -> None:
        """Nothing but the footer is read yet."""
        self._source, self._layout = source, layout
        self._places: list[tuple[int, int, str]] = []
        self.rows = self.groups = 0
        self.has_elsewhere = False

    def errors(self) -> Iterator[FormatError]:
        """Yield what is wrong."""
        for group in self._layout.row_groups():
            self.groups += 1
            yield from self._group(group)
        stated = self._layout.facts.get("num_rows")
        if stated != self.rows:
            wanted = f"{self.rows}, the sum of all row groups"
            yield self._layout.facts.error("num_rows", stated, wanted)
        for (_, end, before), (start, _, name) in pairwise(sorted(self._places)):
            if start < end:
                found = f"{end - start} bytes of {before}"
                yield FormatError(name, start, found, "bytes of its own")

    def _group(self, group: RowGroup) -> Iterator[FormatError]:
        """Yield what is wrong with a row group."""
        rows, leaves = group.get("num_rows"), self._layout.leaves
        if rows < 0:
            yield group.error("num_rows", rows, "0 or more")
        self.rows += rows
        if len(group.chunks) != len(leaves):
            wanted = f"{len(leaves)}, one for each leaf of the schema"
            yield group.error("num_columns", len(group.chunks), wanted)
            return
        stated, sizes = group.get("total_compressed_size"), 0
        for chunk, leaf in zip(group.chunks, leaves, strict=True):
            if chunk.get("file_path"):
                self.has_elsewhere = True
            if not chunk.is_in_file:
                stated = None
                continue
            sizes += chunk.total_compressed_size
            found = list(self._chunk(chunk, leaf, rows))
            yield from found
            if not found and chunk.is_here and chunk.of("num_values"):
                yield from self._pages(chunk)
        if stated not in {None, sizes}:
            wanted = f"{sizes}, the sum of its column chunks"
            yield group.error("total_compressed_size", stated, wanted)

    def _chunk(self, chunk: ColumnChunk, leaf: Element, rows: int) -> Iterator[FormatError]:
        """Yield what is wrong with the metadata of a column chunk."""
        path, kind, values = (chunk.of(each) for each in ("path_in_schema", "type", "num_values"))
        if tuple(path) != leaf.names:
            wanted = f"{'.'.join(leaf.names)}, as the schema says"
            yield chunk.error("meta_data.path_in_schema", ".".join(path), wanted)
        if kind != leaf.get("type"):
            wanted = f"{_name(leaf.get('type'))}, as the schema says"
            yield chunk.error("meta_data.type", _name(kind), wanted)
        if values < rows or (values > rows and not leaf.is_repeated):
            wanted = f"{rows}{' or more' if leaf.is_repeated else ''}, for the rows of the group"
            yield chunk.error("meta_data.num_values", values, wanted)
        if values:
            start, size = chunk_range(chunk)
            yield from self._place(chunk, "meta_data.data_page_offset", chunk.path, start, size)
        for name, offset, length in chunk.parts():
            yield from self._place(chunk, f"{name}_offset", f"{chunk.path}.{name}", offset, length)

    def _place(
        self, chunk: ColumnChunk, field: str, name: str, start: int, size: int
    ) -> Iterator[FormatError]:
        """Yield the error of a part that is not between magic and footer; note where it is."""
        end = self._layout.start
        if size < 0 or start < _FIRST or start + size > end:
            found = f"{size} bytes at byte {start}"
            yield chunk.error(
                field, found, f"a place between byte {_FIRST} and the footer at {end}"
            )
        elif size:
            self._places.append((start, start + size, name))

    def _pages(self, chunk: ColumnChunk) -> Iterator[FormatError]:
        """Yield what is wrong with the pages of a column chunk."""
        at, size = chunk_range(chunk)
        end, values, count = at + size, 0, 0
        try:
            for page in pages(self._source, chunk, chunk.path):
                yield from self._page(page, f"{chunk.path}.pages[{count}]", is_first=not count)
                values += page.values if page.kind in _DATA else 0
                at, count = page.start + page.packed, count + 1
        except FormatError as error:
            yield error
            return
        stated = chunk.of("num_values")
        if at != end:
            wanted = f"a page, up to the end of the column chunk at byte {end}"
            found = f"{end - at} other bytes"
            yield FormatError(f"{chunk.path}.pages[{count}]", at, found, wanted)
        elif values != stated:
            wanted = f"{values}, the sum of its pages"
            yield chunk.error("meta_data.num_values", stated, wanted)

    def _page(self, page: Page, where: str, *, is_first: bool) -> Iterator[FormatError]:
        """Yield what is wrong with a page."""
        stored = self._source.read(page.header, page.start - page.header)
        fields = StructWalk(stored, page.header).fields("PageHeader", where)
        header = {each.name: each for each in fields if not each.depth}
        if page.kind == DICTIONARY_PAGE and not is_first:
            wanted = "a data page: a dictionary comes first"
            yield FormatError(f"{where}.type", page.header, "a dictionary page", wanted)
        crc = header.get("crc")
        if crc is None:
            return
        found = zlib.crc32(self._source.read(page.start, page.packed))
        if found != crc.value & _BITS:
            wanted = f"{crc.value & _BITS:08x}, as the header says"
            yield ChecksumMismatch(f"{where}.crc", crc.place, f"{found:08x}", wanted)


def _name(number: object) -> str:
    """Return the name of a number that has one."""
    return str(getattr(number, "name", number))
