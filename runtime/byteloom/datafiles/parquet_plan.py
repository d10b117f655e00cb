"""How groups of Parquet rows are decoded: one choice a group, made from footers.

A group is one file, or several small files of one form that are read as one (`JoinedFiles`), since
opening each costs more than decoding it.

The rules:

- `own_groups` chooses, before a page is read, whether our own loops decode the plain columns of a
  group.  pyarrow decodes all other columns:

  - of several files, from one file in memory, made of theirs (`byteloom.parquet.held_files`);
  - of one file, from a footer of the wanted columns alone (`byteloom.parquet.narrowing`), or from
    the whole footer if they are most of the file, or the footer is small or unusual.

- `Decoding` says what was chosen, for whoever asks.
- Pages that are damaged or belie their footer are `Unusual`: of several files each is then read by
  itself; a row group of one file, and those after it, are decoded by pyarrow, which names the
  damage.

Source: https://parquet.apache.org/docs/file-format/
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.datafiles.choosing import chosen, late_piece
from byteloom.datafiles.damage import READING_ERRORS
from byteloom.datafiles.data_file import BATCH, Decoding, Piece
from byteloom.datafiles.fields import identified
from byteloom.kernels.parquet_structs import numbers
from byteloom.kernels.parquet_values import take_values
from byteloom.parquet.codecs import COMPRESSED, UNCOMPRESSED
from byteloom.parquet.held_files import (
    CODEC,
    ENCODINGS,
    GROUP,
    LEAF,
    MOST_BYTES,
    RAW,
    Unusual,
    found_chunks,
    joined,
)
from byteloom.parquet.plain import PlainColumns
from byteloom_generated.parquet import footers as spec

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from byteloom.datafiles.data_file import RowFilter
    from byteloom.datafiles.wanted import PlainWanted, Wanted, WantedColumns
    from byteloom.parquet.forms import Form, Forms
    from byteloom.parquet.held_files import Footers

    Numbers = NDArray[np.int64]

__all__ = ["JoinedFiles", "OwnGroups", "decoding", "own_groups"]

_FILE: Final = 16
"""Microseconds that our own loops save for a column of a file."""

_VALUES: Final = 16
"""Values of a column that pyarrow decodes in a microsecond, and our own loops sooner."""

_CHUNK: Final = 4 << 20
"""Most bytes of a column in a row group, on average, that our own loops decode sooner."""

_CODECS: Final = [UNCOMPRESSED, *COMPRESSED]
_ENCODINGS: Final = sum(
    1 << each
    for each in numbers(
        spec.ENCODINGS, "PLAIN", "PLAIN_DICTIONARY", "RLE", "BIT_PACKED", "RLE_DICTIONARY"
    )
)
"""A bit for each encoding of values or of levels that our own loops decode, or need not."""


@dataclass(frozen=True, slots=True)
class OwnGroups:
    """The row groups whose plain columns our own loops decode.

    files   number of rows of each file
    groups  number of rows of each row group
    chunks  int64[chunk, CHUNK_FIELDS]: those of the columns, by row group and leaf
    """

    files: Numbers
    groups: Numbers
    chunks: Numbers


def decoding(
    names: Sequence[str], own: OwnGroups | str, plain: PlainWanted, footer: str, files: int = 1
) -> Decoding:
    """Return how the columns with these names are decoded, by what `own_groups` has returned."""
    if isinstance(own, str):
        return Decoding((), tuple(names), footer, own, files)
    mine = tuple(each.name for each in plain.fields)
    return Decoding(mine, tuple(each for each in names if each not in mine), footer, "", files)


def own_groups(
    footers: Footers, form: Form, plain: PlainWanted, rows: int, most: int
) -> OwnGroups | str:
    """Return the row groups for our own loops; the reason if pyarrow decodes all columns.

    Our own loops decode the plain columns of a group if

    - the footers have the usual form;
    - the loops' machine code is loaded, or there are enough values to load it;
    - the chunks have the usual codecs and encodings;
    - no row group is large: the library decodes one of more than `_CHUNK` bytes a column as fast,
      in parts; and none exceeds the limits.

    footers  those of the files of the group
    plain    the wanted columns that are plain
    rows     their number of rows
    most     most bytes of the values of a row group
    """
    columns = len(plain.leaves)
    if not columns:
        return "no wanted column is plain"
    if not take_values.is_worth_it(columns * (_FILE * len(footers.places) + rows // _VALUES)):
        return f"{rows} rows are too few to load machine code for"
    files, groups, chunks = found_chunks(footers, form, plain.marks)
    if not len(files):
        return "the footer is unusual"
    if not np.isin(chunks[:, CODEC], _CODECS).all() or (chunks[:, ENCODINGS] & ~_ENCODINGS).any():
        return "a column has another codec or encoding"
    raw = np.bincount(chunks[:, GROUP], chunks[:, RAW], len(groups))
    largest = int(max(raw.max(initial=0), plain.row * groups[:, 1].max(initial=0)))
    if largest > min(most, _CHUNK * columns):
        return f"a row group has {largest} bytes"
    return OwnGroups(files[:, 4].copy(), groups[:, 1], chunks)


_HELD: Final = 256 << 20
"""Most bytes of the rows of files; files of long texts stored as codes may exceed it, and are then
read one by one."""


_NO_CHUNKS: Final = (np.zeros(0, np.int64),) * 3
"""What the library reads of files whose columns our own loops all decode."""


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
    others: tuple[Numbers, Numbers, Numbers]
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
        if not isinstance(own, str) and not leaves.any():
            return cls(data, footers, form, columns, own, _NO_CHUNKS, leaves)
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
