"""Parquet data files.

The rules:

- Only wanted leaves are read; of a struct without a wanted leaf, one that shows its nulls.
- Row groups whose statistics show that no row matches are not read; their positions are still
  counted.
- Text that is stored as codes of a dictionary is read as codes, which become text only after rows
  were filtered.
- Rows are read some at a time, within a budget of bytes estimated from the footer and the pages: no
  more than these and a page of each column is in memory, however large the file's content is.

Source: Iceberg table spec, "Appendix A", Parquet.
"""

from __future__ import annotations

from functools import partial
from itertools import groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.datafiles.choosing import chosen, late_piece
from byteloom.datafiles.damage import about
from byteloom.datafiles.data_file import BATCH, Piece
from byteloom.datafiles.fields import identified
from byteloom.datafiles.parquet_dictionaries import coded_columns, has_all_entries
from byteloom.datafiles.parquet_view import OwnFile, View, library_file, opened_file
from byteloom.datafiles.row_groups import RowGroupStats
from byteloom.errors import FormatError
from byteloom.parquet.held_files import Unusual
from byteloom.parquet.pages import chunk_range
from byteloom.parquet.weights import batch_rows
from byteloom.storage.native import HeldRanges
from byteloom.storage.ranges import begins_in
from byteloom.storage.sources import LocalSource

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from byteloom.datafiles.data_file import Decoding, OpenOptions, PartFilter, RowFilter
    from byteloom.datafiles.wanted import Wanted
    from byteloom.storage import Source
    from byteloom.storage.native import Readable
    from byteloom.storage.ranges import Span

__all__ = ["ParquetData"]

_FETCH: Final = 32 << 20
"""Bytes that are read at once from a store: the chunks of one row group or several."""

_WORTH: Final = 500
"""Number of values that take as long to decode as opening one column of a file takes."""


_HELD: Final = 512 << 20
"""Most bytes of the values of a row group that is not read in parts."""


class ParquetData:
    """An open Parquet file."""

    def __init__(self, source: Source, path: str, options: OpenOptions) -> None:
        """Read the footer; `FormatError` for a damaged one."""
        self._source, self._path, self._names = source, path, options.names
        self._threads, self._limits = options.threads, options.limits
        with about(path):
            self._file = opened_file(source, options.names, options.forms)
        self._starts = np.cumsum([0, *self._file.rows], dtype=np.int64)

    @property
    def rows(self) -> int:
        """The number of rows that the footer states."""
        return int(self._starts[-1])

    @property
    def columns(self) -> Sequence[pa.Field]:
        """All columns of the file."""
        with about(self._path):
            return self._file.fields

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._source.size

    def statistics(self, wanted: Wanted) -> RowGroupStats:
        """Return what the footer states of row groups."""
        with about(self._path):
            return _statistics(self._file.view(wanted))

    def decoding(self, wanted: Wanted) -> Decoding:
        """Return how rows with the *wanted* columns are decoded."""
        with about(self._path):
            return self._file.decoding(wanted, self._most)

    def pieces(
        self,
        wanted: Wanted,
        parts: PartFilter | None = None,
        span: Span = None,
        rows: RowFilter | None = None,
    ) -> Iterator[Piece]:
        """Yield the rows of the row groups that may match."""
        with about(self._path):
            own = None if rows is None else self._file.own_groups(wanted, self._most)
            keep = self._inside(span)
        if rows is not None and isinstance(own, OwnFile):
            with about(self._path):
                # The filter's columns are decoded first; that of one row group costs less to decode
                # than its statistics to find.
                if parts is not None and parts.ids and len(keep) > 1:
                    keep &= self._matching(self._file.view(wanted.part(parts.ids)), parts)
            yield from self._own(own, keep, rows)
            if not keep.any():
                return
        with about(self._path):
            view = self._file.view(wanted)
            keep &= self._matching(view, parts)
        for first, last in _runs(keep):
            for piece in self._run(view, first, last):
                with about(self._path):
                    left = chosen(piece, rows)
                yield left

    @property
    def _most(self) -> int:
        """Return the most bytes of the values of a row group that is not read in parts."""
        return min(_HELD, self._limits.decompressed_size)

    def _own(self, own: OwnFile, keep: NDArray[np.bool_], rows: RowFilter) -> Iterator[Piece]:
        """Yield row groups that our own loops decode, up to one with anything unusual.

        keep  which row groups are read; those that were are removed
        """
        columns, others = own.columns, None
        if columns.plain.others.any():
            with about(self._path):
                others = self._file.view(columns.others)
        for group in np.flatnonzero(keep).tolist():
            span = range(int(self._starts[group]), int(self._starts[group + 1]))
            plain, rest = own.group(group), None
            if others is not None:
                rest = partial(self._at_once, others, group)
            try:
                with about(self._path):
                    piece = late_piece(span, plain, columns.plain, rest, rows)
            except Unusual:
                return
            keep[group] = False
            yield piece

    def _at_once(self, view: View, group: int) -> list[Piece]:
        """Return the columns of a row group; `Unusual` if they are too large for one piece."""
        found, size = [], 0
        for each in self._run(view, group, group + 1, as_codes=False):
            found.append(each)
            size += sum(array.nbytes for array in each.arrays)
            if size > self._most:
                raise Unusual("", None, f"{size} bytes of values", "fewer")
        return found

    def close(self) -> None:
        """Close the file."""
        self._source.close()

    def _matching(self, view: View, parts: PartFilter | None) -> NDArray[np.bool_]:
        """Return which row groups may have a matching row."""
        if parts is None:
            return np.ones(len(self._starts) - 1, np.bool_)
        return parts.matches(_statistics(view))

    def _inside(self, span: Span) -> NDArray[np.bool_]:
        """Return which row groups begin in a span."""
        if span is None:
            return np.ones(len(self._starts) - 1, np.bool_)
        return np.array([begins_in(span, each) for each in self._file.places], np.bool_)

    def _run(self, view: View, first: int, last: int, *, as_codes: bool = True) -> Iterator[Piece]:
        """Yield the rows of some consecutive row groups."""
        start, end = int(self._starts[first]), int(self._starts[last])
        if not view.leaves:
            for at in range(start, end, BATCH):
                yield Piece(at, min(BATCH, end - at), [], [])
            return
        groups = range(first, last)
        coded = self._coded(view, groups) if as_codes and self._gains(view) else {}
        fields: Sequence[pa.Field] = []
        for batch in self._batches(view, groups, coded):
            group = int(np.searchsorted(self._starts, start, "right")) - 1
            is_first = start == self._starts[group]
            if coded and is_first and not has_all_entries(batch, group, coded):
                yield from self._run(view, group, last, as_codes=False)
                return
            fields = fields or self._fields_of(view, batch.schema)
            yield Piece(start, batch.num_rows, fields, batch.columns)
            start += batch.num_rows
        if start != end:  # pyarrow ends with the shortest column, of a damaged page
            found = f"{start - int(self._starts[first])} rows of row groups {first} to {last - 1}"
            wanted = f"{end - int(self._starts[first])}, as the footer says"
            raise FormatError("", None, found, wanted).in_file(self._path)

    def _gains(self, view: View) -> bool:
        """Return whether reading codes may save more than opening the file again for them costs."""
        return self.rows * len(view.leaves) >= _WORTH * int(view.file.metadata.num_columns)

    def _coded(self, view: View, groups: Sequence[int]) -> dict[str, dict[int, int]]:
        """Return which columns to read as codes, and their numbers of entries by row group."""
        with about(self._path):
            metadata = view.file.metadata
            return coded_columns(self._source, metadata, view.schema, view.leaves, groups)

    def _batches(
        self, view: View, groups: Sequence[int], coded: Collection[str]
    ) -> Iterator[pa.RecordBatch]:
        """Yield the batches of row groups, with some columns as codes."""
        metadata = view.file.metadata
        if isinstance(self._source, LocalSource):
            file = view.file
            if coded:
                with about(self._path):
                    file = library_file(self._source, metadata=metadata, read_dictionary=[*coded])
            yield from self._decoded(self._source, file, view, groups)
            return
        for ranges, some in _fetches(metadata, view.leaves, groups):
            with about(self._path):
                held = HeldRanges(self._source, ranges)
                file = library_file(held, metadata=metadata, read_dictionary=[*coded])
            yield from self._decoded(held, file, view, some)

    def _decoded(
        self, source: Readable, file: Any, view: View, groups: Sequence[int]
    ) -> Iterator[pa.RecordBatch]:
        """Yield the batches of row groups of an open file."""
        bounds = self._limits, BATCH, view.numbers
        with about(self._path):
            held = [
                (batch_rows(source, file.metadata, view.leaves, each, *bounds), each)
                for each in groups
            ]
        for rows, alike in groupby(held, itemgetter(0)):
            batches = file.reader.iter_batches(
                rows,
                row_groups=[each for _, each in alike],
                column_indices=view.leaves,
                use_threads=self._threads,
            )
            while True:
                with about(self._path):
                    batch = next(batches, None)
                if batch is None:
                    break
                yield batch

    def _fields_of(self, view: View, schema: pa.Schema) -> Sequence[pa.Field]:
        """Return the fields of the columns of a batch, of which leaves may be missing."""
        if schema.equals(view.schema):
            return view.fields
        return identified(list(schema), self._names)


def _statistics(view: View) -> RowGroupStats:
    """Return the statistics of the row groups of a file."""
    return RowGroupStats(view.file.metadata, view.fields, view.unreadable)


def _fetches(
    metadata: Any, leaves: list[int], groups: Sequence[int]
) -> Iterator[tuple[list[tuple[int, int]], list[int]]]:
    """Yield where the chunks are that one read of a store fetches, and their row groups."""
    ranges: list[tuple[int, int]] = []
    some: list[int] = []
    for group in groups:
        here = metadata.row_group(group)
        ranges += [chunk_range(here.column(each)) for each in leaves]
        some.append(group)
        if sum(size for _, size in ranges) >= _FETCH:
            yield ranges, some
            ranges, some = [], []
    if some:
        yield ranges, some


def _runs(keep: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return where runs of set flags begin and end."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], keep, [False]]).astype(np.int8)))
    return list(pairwise(edges.tolist()))[::2]
