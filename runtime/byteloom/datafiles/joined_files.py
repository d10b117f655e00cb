"""Many small Parquet files of one form, read as one: opening each costs more than decoding it.

The rules:

- Files that have the same form are one group (`byteloom.datafiles.parquet_plan`).
- Damage is not described: `ByteloomError` means that each file is to be read by itself, which names
  the right file in the error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.datafiles.choosing import chosen, late_piece
from byteloom.datafiles.damage import READING_ERRORS
from byteloom.datafiles.data_file import BATCH, Piece
from byteloom.datafiles.fields import identified
from byteloom.datafiles.parquet_plan import OwnGroups, decoding, own_groups
from byteloom.parquet.held_files import LEAF, MOST_BYTES, Unusual, found_chunks
from byteloom.parquet.joining import joined
from byteloom.parquet.plain import PlainColumns

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from byteloom.datafiles.data_file import Decoding, RowFilter
    from byteloom.datafiles.wanted import Wanted, WantedColumns
    from byteloom.parquet.forms import Form, Forms
    from byteloom.parquet.held_files import Footers

__all__ = ["JoinedFiles"]

_HELD: Final = 256 << 20
"""Most bytes of the rows of files; files of long texts stored as codes may exceed it, and are then
read one by one."""


@dataclass(frozen=True, slots=True)
class JoinedFiles:
    """The rows of several files, one file after the other.

    data     the files
    form     that of all files
    columns  the wanted columns
    own      the row groups whose plain columns our own loops decode; otherwise why they do not
    others   the files that the library reads as one: as `found_chunks` returns them
    leaves   uint8[leaf]: 1 for the leaves that the library decodes
    """

    data: NDArray[np.uint8]
    footers: Footers
    form: Form
    columns: WantedColumns
    own: OwnGroups | str
    others: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
    leaves: NDArray[np.uint8]

    @classmethod
    def of(
        cls, data: NDArray[np.uint8], footers: Footers, rows: int, wanted: Wanted, forms: Forms
    ) -> JoinedFiles:
        """Return the first of some files: as many as have the same form.  No page is read.

        data     the files, one after the other
        rows     the number of rows that all should have
        Unusual  the first file
        """
        form = footers.form(forms)
        if form is None:
            raise _unusual("footer")
        columns = wanted.of(form)
        own = own_groups(footers, form, columns.plain, rows, MOST_BYTES)
        leaves = columns.leaves if isinstance(own, str) else columns.plain.others
        others = found_chunks(footers, form, leaves)
        found = cls(data, footers, form, columns, own, others, leaves)
        if not len(others[0]) or len(found.rows) != len(others[0]):
            raise _unusual("footer")
        return found

    @property
    def rows(self) -> NDArray[np.int64]:
        """The number of rows of each file."""
        return self.others[0][:, 4] if isinstance(self.own, str) else self.own.files

    @property
    def missing(self) -> bool:
        """Whether a wanted column, or a part of one, is missing from the files."""
        return self.columns.missing

    @property
    def decoding(self) -> Decoding:
        """How the rows are decoded."""
        names = self.columns.wanted.names_in(self.columns.fields)
        return decoding(names, self.own, self.columns.plain, "joined", len(self.rows))

    def pieces(self, rows: RowFilter) -> list[Piece]:
        """Return the rows that are left of all files, counted from the first one.

        raises  `ByteloomError`; each file may then be readable by itself or not
        """
        if isinstance(self.own, str):
            return [chosen(each, rows) for each in self._others()]
        chunks = self.own.chunks
        chunks = chunks[np.argsort(chunks[:, LEAF], kind="stable")]
        plain = PlainColumns(self.data, self.form, chunks, self.own.files)
        others = self._others if self.leaves.any() else None
        return [late_piece(range(plain.rows), plain, self.columns.plain, others, rows)]

    def _others(self) -> list[Piece]:
        """Return the rows with the columns that the library decodes."""
        total = int(self.rows.sum())
        if not self.leaves.any():
            return [Piece(0, total, [], [])]
        held = joined(self.data, self.footers, self.form, self.others)
        pieces, start, size = [], 0, 0
        fields: Sequence[pa.Field] = []
        try:
            batches = held.file.reader.iter_batches(
                min(BATCH, held.at_a_time),
                row_groups=list(range(held.file.metadata.num_row_groups)),
                column_indices=np.flatnonzero(self.leaves).tolist(),
                use_threads=False,
            )
            for batch in batches:
                fields = fields or identified(list(batch.schema), self.columns.wanted.names)
                pieces.append(Piece(start, batch.num_rows, fields, batch.columns))
                start += batch.num_rows
                size += batch.nbytes
                if size > _HELD:
                    raise _unusual("sizes of values")
        except READING_ERRORS as error:
            raise _unusual("values") from error
        if start != total:
            raise _unusual("numbers of rows")
        return pieces


def _unusual(what: str) -> Unusual:
    return Unusual("parquet", None, f"an unusual {what}", "files that can be read as one")
