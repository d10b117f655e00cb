"""The files of a table: data files of any format, asked for the table's columns and filters.

Source: Iceberg table spec, "Appendix A".
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.datafiles.data_file import PartFilter
from byteloom.datafiles.opening import check_format, open_data_file
from byteloom.datafiles.wanted import Wanted
from byteloom.iceberg.arrow_types import arrow_field
from byteloom.iceberg.expressions import metrics
from byteloom.iceberg.expressions.ast import TRUE
from byteloom.iceberg.expressions.binding import references
from byteloom.iceberg.expressions.stats import FieldStats, Spans
from byteloom.iceberg.reading.hints import fitting

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence
    from contextlib import AbstractContextManager

    import pyarrow as pa
    from numpy.typing import NDArray

    from byteloom.datafiles.data_file import (
        DataFile,
        Decoding,
        OpenOptions,
        PartStats,
        Piece,
        RowFilter,
    )
    from byteloom.datafiles.fields import Names
    from byteloom.iceberg.expressions.ast import Expression
    from byteloom.iceberg.metadata import Relocation
    from byteloom.iceberg.types import NestedField
    from byteloom.storage import Source
    from byteloom.storage.ranges import Span

__all__ = ["TableFile", "TableFiles"]

_MOST: Final = 16
"""Most choices of columns that are cached."""


@dataclass(frozen=True, slots=True)
class TableFile:
    """An open file of a table.

    Attributes:
        file: The data file.
        files: How the table's files are opened.
    """

    file: DataFile
    files: TableFiles

    @property
    def columns(self) -> Sequence[pa.Field]:
        """All columns of the file as Arrow fields with their ids; -1 for one that has none."""
        return self.file.columns

    @property
    def rows(self) -> int | None:
        """The number of rows that the file states; None if only reading shows it."""
        return self.file.rows

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self.file.size

    def statistics(self, wanted: Sequence[NestedField]) -> PartStats | None:
        """Return what the file states of its row groups or stripes; None if it states nothing.

        Args:
            wanted: The columns, in whose types bounds are returned.
        """
        return self.file.statistics(self.files.wanted(wanted))

    def decoding(self, wanted: Sequence[NestedField]) -> Decoding:
        """Return how rows with the *wanted* columns are decoded; no row is read."""
        return self.file.decoding(self.files.wanted(wanted))

    def pieces(
        self,
        wanted: Sequence[NestedField],
        residual: Expression = TRUE,
        span: Span = None,
        rows: RowFilter | None = None,
    ) -> Iterator[Piece]:
        """Yield the rows, with those *wanted* columns that the file has.

        Args:
            residual: A bound filter: rows that certainly do not match may be left out.
            span: Read only the row groups, stripes or blocks that begin in these bytes.
            rows: Which rows are left; None for all.
        """
        parts = None
        if residual != TRUE:
            parts = PartFilter(frozenset(references(residual)), partial(_matching, residual))
        return self.file.pieces(self.files.wanted(wanted), parts, span, rows)

    def close(self) -> None:
        """Close the file."""
        self.file.close()


@dataclass(frozen=True, slots=True)
class TableFiles:
    """How the files of a table are opened.

    Attributes:
        relocation: Where the files are.
        options: How each is opened, by its format.
        turn: Held by the thread that opens many local files: that is work of the interpreter, which
            threads doing it at the same time would only take from each other.
    """

    relocation: Relocation
    options: OpenOptions
    turn: AbstractContextManager[bool] = field(default_factory=Lock, compare=False)
    _chosen: dict[Hashable, Wanted] = field(default_factory=dict, compare=False)

    def named(self, names: Names | None) -> TableFiles:
        """Return how files are opened that get their ids from other *names*."""
        return replace(self, options=replace(self.options, names=names))

    def wanted(self, fields: Sequence[NestedField]) -> Wanted:
        """Return which columns to read for *fields*; the result is cached.

        Two threads may make the same at the same time, of which one stays.
        """
        names = self.options.names
        key = id(names), tuple((each.id, each.type) for each in fields)
        found = self._chosen.get(key)
        if found is None:
            if len(self._chosen) >= _MOST:
                self._chosen.clear()
            # Keeps the names alive, and so their id.
            made = Wanted([arrow_field(each) for each in fields], names)
            found = self._chosen.setdefault(key, made)
        return found

    def open(self, kind: str, path: str, size: int, source: Source | None = None) -> TableFile:
        """Open a file of format *kind*: ``parquet``, ``orc`` or ``avro``.

        Args:
            size: The size that its manifest entry states, which explains damage.
            source: The file, if it is open already; it is closed with the result, or on an error.

        Raises:
            Unsupported: Another format.
            FormatError: A damaged file.
            StorageError: No such file.
        """
        check_format(kind, path)
        if source is None:
            source = self.relocation.open(path)
        try:
            with fitting(path, source.size, size):
                return TableFile(open_data_file(kind, source, path, self.options), self)
        except BaseException:
            source.close()
            raise


@dataclass(frozen=True, slots=True)
class _OfParts:
    """The statistics of a file's parts, in the form of those of files."""

    parts: PartStats

    @property
    def record_count(self) -> NDArray[np.int64]:
        """The number of rows of each part."""
        return self.parts.record_count

    def of(self, field_id: int) -> FieldStats:
        """Return what the parts state of a column."""
        stated = self.parts.stated(field_id)
        counts = np.array([each[:2] for each in stated], np.int64).reshape(-1, 2)
        nans = np.full(len(stated), -1, np.int64)
        lower = Spans.of(each.lower for each in stated)
        upper = Spans.of(each.upper for each in stated)
        return FieldStats(counts[:, 0], counts[:, 1], nans, lower, upper)


def _matching(residual: Expression, parts: PartStats) -> NDArray[np.bool_]:
    """Return which parts may have a matching row."""
    return metrics.inclusive(residual, _OfParts(parts))
