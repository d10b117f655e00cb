"""A data file of any format, as pieces of Arrow columns in the order of its rows.

Source: Iceberg table spec, "Appendix A".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Final, Protocol

from byteloom.errors import Unsupported
from byteloom.files.kinds import AVRO, ORC, PARQUET, expecting
from byteloom.iceberg.expressions.ast import TRUE
from byteloom.iceberg.reading.opening import fitting
from byteloom.iceberg.reading.wanted import KnownColumns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    import pyarrow as pa

    from byteloom.iceberg.expressions.ast import Expression
    from byteloom.iceberg.metadata import Relocation
    from byteloom.iceberg.name_mapping import NameMapping
    from byteloom.iceberg.reading.part_stats import PartStats
    from byteloom.iceberg.reading.wanted import Wanted
    from byteloom.iceberg.types import NestedField
    from byteloom.limits import Limits
    from byteloom.storage import Source
    from byteloom.storage.spans import Span

__all__ = ["DataFile", "Files", "Piece"]

BATCH: Final = 1 << 17
"""Rows of a piece: enough to make the cost per column negligible, few enough for the CPU's cache.
"""


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive rows of a data file.

    start   the position of the first row, from 0
    fields  the columns, with their ids
    places  of the columns by id; None if not looked up yet
    again   for a piece whose columns are decoded when they are asked for: yields the same rows with
            all columns decoded, and raises what is wrong with them
    """

    start: int
    rows: int
    fields: Sequence[pa.Field]
    arrays: Sequence[pa.Array]
    places: Mapping[int, int] | None = None
    again: Callable[[], Iterator[Piece]] | None = None


class DataFile(Protocol):
    """An open data file.

    rows     the number of rows that it states; None if only reading shows it
    size     its bytes
    columns  all its columns as Arrow fields with their ids; -1 for one that has none
    """

    @property
    def columns(self) -> Sequence[pa.Field]:
        """All columns of the file."""

    @property
    def rows(self) -> int | None:
        """The number of rows that the file states; None if it states none."""

    @property
    def size(self) -> int:
        """Bytes of the file."""

    def statistics(self, wanted: Sequence[NestedField]) -> PartStats | None:
        """Return what the file states of its row groups or stripes; None if it states nothing.

        wanted  the columns, in whose types bounds are returned
        """

    def pieces(
        self,
        wanted: Sequence[NestedField],
        residual: Expression = TRUE,
        span: Span = None,
        *,
        lazily: bool = False,
    ) -> Iterator[Piece]:
        """Yield the rows, with those *wanted* columns that the file has.

        residual  a bound filter: rows that certainly do not match may be left out
        span      read only the row groups, stripes or blocks that begin in these bytes
        lazily    whether pieces may have `Piece.again`
        """

    def close(self) -> None:
        """Close the file."""


@dataclass(frozen=True, slots=True)
class Files:
    """How the files of a table are opened.

    mapping  ids of columns by name, for files that store none
    threads  whether several columns of a file may be decoded at the same time
    known    what earlier files had in common
    turn     held by the thread that opens many local files: that is work of the interpreter, which
             threads doing it at the same time would only take from each other
    """

    relocation: Relocation
    limits: Limits
    mapping: NameMapping | None = None
    threads: bool = False
    known: KnownColumns = field(default_factory=KnownColumns, compare=False)
    turn: AbstractContextManager[bool] = field(default_factory=Lock, compare=False)

    def wanted(self, fields: Sequence[NestedField]) -> Wanted:
        """Return which columns to read for *fields*."""
        return self.known.wanted(fields, self.mapping)

    def open(self, kind: str, path: str, size: int, source: Source | None = None) -> DataFile:
        """Open a file of format *kind*: ``parquet``, ``orc`` or ``avro``.

        size          the size that its manifest entry states, which explains damage
        source        the file, if it is open already; it is closed with the result, or on an error
        Unsupported   another format
        FormatError   a damaged file
        StorageError  no such file
        """
        if (opened := _FORMATS.get(kind.lower())) is None:
            raise Unsupported(path, None, f"format {kind!r}", "parquet, orc or avro")
        if source is None:
            source = self.relocation.open(path)
        try:
            with fitting(path, source.size, size), expecting(_KINDS[kind.lower()], source, path):
                return opened(source, path, self)
        except BaseException:
            source.close()
            raise


_KINDS: Final = {"parquet": PARQUET, "orc": ORC, "avro": AVRO}
"""What errors call each format."""


def _parquet(source: Source, path: str, files: Files) -> DataFile:
    from byteloom.iceberg.reading.parquet_file import ParquetData

    return ParquetData(
        source, path, files.mapping, files.limits, threads=files.threads, known=files.known
    )


def _orc(source: Source, path: str, files: Files) -> DataFile:
    from byteloom.iceberg.reading.orc_file import OrcData

    return OrcData(source, path, files.mapping, files.limits)


def _avro(source: Source, path: str, files: Files) -> DataFile:
    from byteloom.iceberg.reading.avro_file import AvroData

    return AvroData(source, path, files.mapping, files.limits)


_FORMATS: Final[dict[str, Callable[[Source, str, Files], DataFile]]] = {
    "parquet": _parquet,
    "orc": _orc,
    "avro": _avro,
}
