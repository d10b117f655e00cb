"""Parquet data files.

The rules:

- Only the leaves that are wanted are read; of a struct of which none is, one that tells its nulls.
- Row groups whose statistics show that no row matches are not read; positions count on over them.
- Text that is kept as codes of a dictionary is read as such: rows go before codes become text.
- As many rows are taken at a time as come to a budget by what the footer and the pages say: of a
  file that decompresses to any size, no more is in memory than these and a page of each column.

Source: Iceberg table spec, "Appendix A", Parquet.
"""

from __future__ import annotations

from itertools import groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from byteloom.errors import FormatError
from byteloom.iceberg.expressions import metrics
from byteloom.iceberg.expressions.ast import TRUE
from byteloom.iceberg.reading.data_file import BATCH, Piece
from byteloom.iceberg.reading.fields import carries_ids, identified, wanted_leaves
from byteloom.iceberg.reading.opening import about
from byteloom.iceberg.reading.parquet_dictionaries import coded_columns, has_all_entries
from byteloom.iceberg.reading.parquet_footer import check_footer
from byteloom.iceberg.reading.parquet_pages import row_bytes
from byteloom.iceberg.reading.row_groups import RowGroupStats
from byteloom.iceberg.reading.unnumbered import NamesAlone
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.storage.native import native_file
from byteloom.storage.sources import LocalSource
from byteloom.storage.spans import begins_in

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from byteloom.iceberg.expressions.ast import Expression
    from byteloom.iceberg.name_mapping import NameMapping
    from byteloom.iceberg.types import NestedField
    from byteloom.storage import Source
    from byteloom.storage.spans import Span

__all__ = ["ParquetData"]

_BATCH_BYTES: Final = 256 << 20
"""Bytes that the rows taken at a time come to, as the footer says of each row group."""

_TEXT_BYTES: Final = 64 << 20
"""Bytes that the text of codes comes to at most in the rows taken at a time."""

_WORTH: Final = 500
"""Values that cost as much to make of codes as a column of a file does when it is opened."""


class ParquetData:
    """An open Parquet file."""

    def __init__(
        self,
        source: Source,
        path: str,
        mapping: NameMapping | None,
        limits: Limits = DEFAULT_LIMITS,
        *,
        threads: bool = False,
    ) -> None:
        """Read the footer; `FormatError` for a damaged one."""
        self._source, self._path, self._mapping = source, path, mapping
        self._threads, self._limits = threads, limits
        with about(path):
            self._file = self._opened()
            check_footer(self._file.metadata, source)
            self._schema: pa.Schema = self._file.schema_arrow
            self.fields = identified(list(self._schema), mapping)
            if isinstance(mapping, NamesAlone) and not carries_ids(self._schema):
                mapping.check_places(self.fields)
            count = self._file.metadata.num_row_groups
            groups = [self._file.metadata.row_group(each) for each in range(count)]
        self._starts = np.cumsum([0, *(each.num_rows for each in groups)], dtype=np.int64)

    def _opened(self, **options: Any) -> Any:
        """The file, to be read in some way."""
        return pq.ParquetFile(
            native_file(self._source),
            coerce_int96_timestamp_unit="us",
            page_checksum_verification=True,
            arrow_extensions_enabled=False,
            # For a store, all ranges at once; of a local file that is memory to fill, and no gain.
            pre_buffer=not isinstance(self._source, LocalSource),
            **options,
        )

    @property
    def rows(self) -> int:
        """How many rows the footer says that there are."""
        return int(self._starts[-1])

    def pieces(
        self, wanted: Sequence[NestedField], residual: Expression = TRUE, span: Span = None
    ) -> Iterator[Piece]:
        """Yield the rows of the row groups that may match."""
        leaves = self._leaves(wanted)
        with about(self._path):
            keep = self._matching(residual) & self._inside(span)
        for first, last in _runs(keep):
            yield from self._run(leaves, first, last)

    def close(self) -> None:
        """Give back the file."""
        self._file.close()
        self._source.close()

    def _leaves(self, wanted: Sequence[NestedField]) -> list[int]:
        """The numbers of the leaves to read."""
        return np.flatnonzero(np.array(wanted_leaves(self.fields, wanted), np.bool_)).tolist()

    def _matching(self, residual: Expression) -> NDArray[np.bool_]:
        """Which row groups may hold a matching row."""
        if residual == TRUE:
            return np.ones(len(self._starts) - 1, np.bool_)
        return metrics.inclusive(residual, RowGroupStats(self._file.metadata, self.fields))

    def _inside(self, span: Span) -> NDArray[np.bool_]:
        """Which row groups begin in a span."""
        if span is None:
            return np.ones(len(self._starts) - 1, np.bool_)
        metadata = self._file.metadata
        groups = [metadata.row_group(each) for each in range(metadata.num_row_groups)]
        return np.array([begins_in(span, _place(each)) for each in groups], np.bool_)

    def _run(
        self, leaves: list[int], first: int, last: int, *, as_codes: bool = True
    ) -> Iterator[Piece]:
        """The rows of some row groups that follow one another."""
        start, end = int(self._starts[first]), int(self._starts[last])
        if not leaves:
            for at in range(start, end, BATCH):
                yield Piece(at, min(BATCH, end - at), [], [])
            return
        groups = range(first, last)
        coded = self._coded(leaves, groups) if as_codes and self._gains(leaves) else {}
        fields: list[pa.Field] = []
        for batch in self._batches(leaves, groups, coded):
            group = int(np.searchsorted(self._starts, start, "right")) - 1
            is_first = start == self._starts[group]
            if coded and is_first and not has_all_entries(batch, group, coded):
                yield from self._run(leaves, group, last, as_codes=False)
                return
            fields = fields or self._fields_of(batch.schema)
            yield Piece(start, batch.num_rows, fields, batch.columns)
            start += batch.num_rows
        if start != end:  # pyarrow ends with the shortest column, of a damaged page
            found = f"{start - int(self._starts[first])} rows of row groups {first} to {last - 1}"
            wanted = f"{end - int(self._starts[first])}, as the footer says"
            raise FormatError(self._path, None, found, wanted)

    def _gains(self, leaves: list[int]) -> bool:
        """Whether codes may save more than it costs to open the file again for them."""
        return self.rows * len(leaves) >= _WORTH * int(self._file.metadata.num_columns)

    def _coded(self, leaves: list[int], groups: Sequence[int]) -> dict[str, dict[int, int]]:
        """Which columns to read as codes, and their entries by row group."""
        with about(self._path):
            metadata = self._file.metadata
            return coded_columns(self._source, metadata, self._schema, leaves, groups)

    def _batches(
        self, leaves: list[int], groups: Sequence[int], coded: Collection[str]
    ) -> Iterator[pa.RecordBatch]:
        """The batches of row groups, some columns as codes."""
        with about(self._path):
            file = self._file
            if coded:
                file = self._opened(metadata=file.metadata, read_dictionary=[*coded])
            held = [(self._batch_rows(leaves, each), each) for each in groups]
        for rows, alike in groupby(held, itemgetter(0)):
            batches = file.reader.iter_batches(
                rows,
                row_groups=[each for _, each in alike],
                column_indices=leaves,
                use_threads=self._threads,
            )
            while True:
                with about(self._path):
                    batch = next(batches, None)
                if batch is None:
                    break
                yield batch

    def _batch_rows(self, leaves: list[int], group: int) -> int:
        """How many rows of a row group to take at a time: a power of 2, lower for large rows."""
        metadata = self._file.metadata
        here = metadata.row_group(group)
        coded, plain = row_bytes(self._source, metadata, leaves, group, self._limits)
        most = min(_TEXT_BYTES // max(coded, 1), _BATCH_BYTES // max(plain, 1))
        if int(here.total_byte_size) * BATCH > _BATCH_BYTES * here.num_rows:
            size = sum(int(here.column(each).total_uncompressed_size) for each in leaves)
            most = min(most, _BATCH_BYTES * here.num_rows // max(size, 1))
        return 1 << max(1, min(BATCH, most)).bit_length() - 1

    def _fields_of(self, schema: pa.Schema) -> list[pa.Field]:
        """What the columns of a batch are, of which leaves may be missing."""
        if schema.equals(self._schema):
            return self.fields
        return identified(list(schema), self._mapping)


def _place(group: Any) -> int:
    """Where a row group begins."""
    if not group.num_columns:
        return 0
    first = group.column(0)
    return int(first.dictionary_page_offset or first.data_page_offset)


def _runs(keep: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Where runs of flags that are set begin and end."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], keep, [False]]).astype(np.int8)))
    return list(pairwise(edges.tolist()))[::2]
