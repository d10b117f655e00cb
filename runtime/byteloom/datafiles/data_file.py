"""A data file of any format: pieces of Arrow columns in the order of its rows, and its statistics.

Bounds in statistics are bytes: numbers as little-endian ones of their type, decimals as two's
complement with the most significant byte first, text and bytes as they are.

Source: Iceberg table spec, "Appendix D: Single-value serialization", whose form this is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import numpy as np

from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.parquet.forms import Forms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from byteloom.datafiles.fields import Names
    from byteloom.datafiles.wanted import Wanted
    from byteloom.storage.ranges import Span

__all__ = [
    "ALL_ROWS",
    "BATCH",
    "UNKNOWN",
    "Choice",
    "DataFile",
    "Decoding",
    "OpenOptions",
    "PartFilter",
    "PartStats",
    "Piece",
    "RowFilter",
    "Stated",
]


class Stated(NamedTuple):
    """What a part states of a column; -1 and None for unknown.

    value_count  values, nulls and NaNs included
    null_count   nulls
    lower        the lower bound
    upper        the upper bound
    """

    value_count: int
    null_count: int
    lower: bytes | None
    upper: bytes | None


UNKNOWN: Final = Stated(-1, -1, None, None)


class PartStats(Protocol):
    """The statistics of each part, one row per part."""

    @property
    def record_count(self) -> NDArray[np.int64]:
        """The number of rows of each part."""

    def stated(self, field_id: int) -> Sequence[Stated]:
        """Return what each part states of a column; `UNKNOWN` if it is absent or inside a list."""


BATCH: Final = 1 << 17
"""Rows of a piece: enough to make the cost per column negligible, few enough for the CPU's cache.
"""


_FEW: Final = 3
"""Most names of columns in a line about them."""


@dataclass(frozen=True, slots=True)
class OpenOptions:
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
class Decoding:
    """How the rows of a file, or of several that are read as one, are decoded: chosen before.

    own      names of the columns that our own loops decode
    library  names of the columns that pyarrow decodes
    footer   what pyarrow reads these from: the ``whole`` footer, a ``narrowed`` one of these
             columns alone, or one of ``joined`` files
    reason   why our own loops decode no column; empty if they do
    files    number of files that are read as one
    """

    own: tuple[str, ...]
    library: tuple[str, ...]
    footer: str = "whole"
    reason: str = ""
    files: int = 1

    def __str__(self) -> str:
        """The same in words."""
        parts = [f"read as one of {self.files} files"] if self.files > 1 else []
        if self.own:
            parts.append(f"own loops decode {_columns(self.own)}")
        if self.library:
            of = {"narrowed": ", by a footer of these alone", "whole": ", by the whole footer"}
            parts.append(f"pyarrow decodes {_columns(self.library)}{of.get(self.footer, '')}")
        if self.reason:
            parts.append(self.reason)
        return "; ".join(parts)


def _columns(names: Sequence[str]) -> str:
    """Return how many columns there are, and the names of a few."""
    few = ", ".join(names[:_FEW]) + (", ..." if len(names) > _FEW else "")
    return f"{len(names)} column{'' if len(names) == 1 else 's'} ({few})"


@dataclass(frozen=True)
class Choice:
    """Which rows of a piece are left.

    keep   a flag for each row, set for those that are left; None for all
    marks  a flag for each row that the filter wants to know of those that are left; None for none
    """

    keep: NDArray[np.bool_] | None = None
    marks: NDArray[np.bool_] | None = None

    @cached_property
    def rows(self) -> NDArray[np.int64] | None:
        """The indexes of the rows that are left; None for all."""
        return None if self.keep is None else np.flatnonzero(self.keep)

    @cached_property
    def _count(self) -> int | None:
        return None if self.keep is None else int(np.count_nonzero(self.keep))

    def count_of(self, count: int) -> int:
        """Return how many rows are left of *count*."""
        return count if self._count is None else self._count


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive rows of a data file.

    start    the position of the first row, from 0
    rows     their number, with those that are left out
    fields   the columns, with their ids; none if no row is left
    arrays   the values of the rows that are left
    places   of the columns by id; None if not looked up yet
    choice   which rows are left; None if nobody chose
    checked  the number of columns, from the first on, whose text is known to be UTF-8
    """

    start: int
    rows: int
    fields: Sequence[pa.Field]
    arrays: Sequence[pa.Array]
    places: Mapping[int, int] | None = None
    choice: Choice | None = None
    checked: int = 0

    @property
    def left(self) -> int:
        """The number of rows that are left."""
        return self.rows if self.choice is None else self.choice.count_of(self.rows)


@dataclass(frozen=True, slots=True)
class RowFilter:
    """Which rows of a piece are left.

    ids     the columns that it looks at; it is given those that the file has
    choose  returns the choice; nothing but the piece decides, and it may be asked again
    """

    ids: frozenset[int]
    choose: Callable[[Piece], Choice]


@dataclass(frozen=True, slots=True)
class PartFilter:
    """Which row groups or stripes may have wanted rows, by their statistics.

    ids      the columns whose statistics are asked for
    matches  returns a flag for each part, which is not set if no row of it is wanted
    """

    ids: frozenset[int]
    matches: Callable[[PartStats], NDArray[np.bool_]]


ALL_ROWS: Final = RowFilter(frozenset(), lambda _: Choice())
"""Leaves all rows; for columns in any form."""


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

    def decoding(self, wanted: Wanted) -> Decoding:
        """Return how rows with the *wanted* columns are decoded; no row is read."""

    def pieces(
        self,
        wanted: Wanted,
        parts: PartFilter | None = None,
        span: Span = None,
        rows: RowFilter | None = None,
    ) -> Iterator[Piece]:
        """Yield the rows, with those *wanted* columns that the file has.

        parts  row groups or stripes without wanted rows may be left out; None for all
        span   read only the row groups, stripes or blocks that begin in these bytes
        rows   which rows are left; None for all, in the form in which the file has their columns:
               text as codes of a dictionary, say
        """

    def close(self) -> None:
        """Close the file."""
