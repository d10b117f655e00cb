"""A data file of any format, as pieces of Arrow columns in the order of its rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.parquet.forms import Forms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from byteloom.datafiles.fields import Names
    from byteloom.datafiles.part_stats import PartStats
    from byteloom.datafiles.wanted import Wanted
    from byteloom.storage.spans import Span

__all__ = ["BATCH", "DataFile", "Opening", "PartFilter", "Piece"]

BATCH: Final = 1 << 17
"""Rows of a piece: enough to make the cost per column negligible, few enough for the CPU's cache.
"""


@dataclass(frozen=True, slots=True)
class Opening:
    """How the files of a table are opened.

    names    ids of columns by name, for files that store none
    threads  whether several columns of a file may be decoded at the same time
    forms    the forms of Parquet files that were opened before
    """

    names: Names | None = None
    limits: Limits = DEFAULT_LIMITS
    threads: bool = False
    forms: Forms = field(default_factory=Forms, compare=False)


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


@dataclass(frozen=True, slots=True)
class PartFilter:
    """Which row groups or stripes may have wanted rows, by their statistics.

    ids      the columns whose statistics are asked for
    matches  returns a flag for each part, which is not set if no row of it is wanted
    """

    ids: frozenset[int]
    matches: Callable[[PartStats], NDArray[np.bool_]]


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

    def statistics(self, wanted: Wanted) -> PartStats | None:
        """Return what the file states of its row groups or stripes; None if it states nothing.

        wanted  the columns, in whose types bounds are returned
        """

    def pieces(
        self,
        wanted: Wanted,
        parts: PartFilter | None = None,
        span: Span = None,
        *,
        lazily: bool = False,
    ) -> Iterator[Piece]:
        """Yield the rows, with those *wanted* columns that the file has.

        parts   row groups or stripes without wanted rows may be left out; None for all
        span    read only the row groups, stripes or blocks that begin in these bytes
        lazily  whether pieces may have `Piece.again`
        """

    def close(self) -> None:
        """Close the file."""
