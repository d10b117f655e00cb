"""Many small Parquet files of one form, read at once: opening each costs more than decoding it.

The rules:

- Files that have the same form become one file (`byteloom.parquet.joining`).
- Damage is not described: files that cannot be read together are left to be read one by one, which
  names the right file in the error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.datafiles.choosing import chosen, late_piece
from byteloom.datafiles.damage import READING_ERRORS
from byteloom.datafiles.data_file import BATCH, Piece
from byteloom.datafiles.fields import identified
from byteloom.kernels.parquet_values import take_values
from byteloom.parquet.held_files import Footers
from byteloom.parquet.joining import Joined, joined
from byteloom.parquet.plain import PlainColumns, Unusual

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from byteloom.datafiles.data_file import RowFilter
    from byteloom.datafiles.fields import Names
    from byteloom.datafiles.wanted import PlainWanted, Wanted, WantedColumns
    from byteloom.parquet.forms import Form, Forms

__all__ = ["JoinedFiles", "joined_files"]

_HELD: Final = 256 << 20
"""Most bytes of the rows of files; files of long texts stored as codes may exceed it, and are then
read one by one."""

_WORK: Final = 16
"""Microseconds that our own loop saves for a column of a file."""


@dataclass(frozen=True, slots=True)
class JoinedFiles:
    """The rows of several files, one file after the other.

    rows     the number of rows of each file
    columns  the wanted columns
    """

    rows: NDArray[np.int64]
    columns: WantedColumns
    _plain: PlainColumns | None
    _others: Sequence[Piece]

    @property
    def missing(self) -> bool:
        """Whether a wanted column, or a part of one, is missing from the files."""
        return self.columns.missing

    def pieces(self, rows: RowFilter) -> list[Piece]:
        """Return the rows that are left of all files, counted from the first one.

        raises  `ByteloomError`; each file may then be readable by itself or not
        """
        if self._plain is None:
            return [chosen(each, rows) for each in self._others]
        span = range(self._plain.rows)
        return [late_piece(span, self._plain, self.columns.plain, lambda: self._others, rows)]


def joined_files(
    data: NDArray[np.uint8],
    ends: Sequence[int],
    counts: NDArray[np.int64],
    wanted: Wanted,
    forms: Forms,
) -> JoinedFiles | None:
    """Return the rows of the first of some files: as many files as have the same form.

    data    the files, one after the other
    ends    where each of them ends
    counts  the number of rows that each should have
    return  None if the first file is unusual, or has another number of rows
    raises  `ByteloomError`; each file may then be readable by itself or not
    """
    footers = Footers.of(data, ends)
    form = footers.form(forms)
    if form is None:
        return None
    columns = wanted.of(form)
    plain = _plain(data, footers, form, columns.plain)
    leaves = columns.leaves if plain is None else columns.plain.others
    if plain is None or leaves.any():
        held = joined(data, footers, form, leaves)
    else:
        held = Joined(plain.files, None)
    if held is None or not len(held.rows) or (held.rows != counts[: len(held.rows)]).any():
        return None
    others = _pieces(held, leaves, wanted.names)
    return None if others is None else JoinedFiles(held.rows, columns, plain, others)


def _plain(
    data: NDArray[np.uint8], footers: Footers, form: Form, wanted: PlainWanted
) -> PlainColumns | None:
    """Return the plain columns of files; None if they are unusual or the library is as fast."""
    work = _WORK * len(footers.places) * len(wanted.leaves)
    if not wanted.leaves or not take_values.is_worth_it(work):
        return None
    try:
        return PlainColumns.of_files(data, footers, form, wanted.marks)
    except Unusual:
        return None


def _pieces(held: Joined, wanted: NDArray[np.uint8], names: Names | None) -> list[Piece] | None:
    """Return the rows of a joined file with its wanted leaves; None if it cannot be read."""
    total = int(held.rows.sum())
    if held.file is None:
        return [Piece(0, total, [], [])]
    pieces, start, size = [], 0, 0
    fields: Sequence[pa.Field] = []
    try:
        groups = range(held.file.metadata.num_row_groups)
        leaves = np.flatnonzero(wanted).tolist()
        at_a_time = min(BATCH, held.at_a_time)
        batches = held.file.reader.iter_batches(
            at_a_time, row_groups=list(groups), column_indices=leaves, use_threads=False
        )
        for batch in batches:
            fields = fields or identified(list(batch.schema), names)
            pieces.append(Piece(start, batch.num_rows, fields, batch.columns))
            start += batch.num_rows
            size += batch.nbytes
            if size > _HELD:
                return None
    except READING_ERRORS:
        return None
    return pieces if start == total else None
