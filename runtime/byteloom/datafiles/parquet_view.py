"""Open Parquet files for some of their columns, at the cost of these columns alone.

The rules:

- A footer is checked before pyarrow parses it (`byteloom.parquet.footer`).
- Our own loops find the parts of a footer that is large, or of a file that is, and pyarrow parses
  only those of the wanted columns (`byteloom.parquet.narrowing`), unless they are most of the file,
  or anything in the footer is unusual.

Source: https://parquet.apache.org/docs/file-format/metadata/
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.datafiles.data_file import Decoding
from byteloom.datafiles.fields import identified_columns, wanted_by_column
from byteloom.datafiles.parquet_plan import decoding, own_groups
from byteloom.kernels.parquet_narrowing import find_chunks
from byteloom.parquet.footer import check_footer, footer_bytes, refuse_unreadable
from byteloom.parquet.forms import opened
from byteloom.parquet.held_files import Footers
from byteloom.parquet.narrowing import IndexedFooter
from byteloom.parquet.plain_groups import PlainGroup
from byteloom.storage.native import native_file
from byteloom_generated.parquet.parquet import Tail

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from byteloom.datafiles.fields import Names
    from byteloom.datafiles.parquet_plan import OwnGroups
    from byteloom.datafiles.wanted import Wanted, WantedColumns
    from byteloom.parquet.forms import Form, Forms
    from byteloom.storage import Source
    from byteloom.storage.native import Readable

__all__ = ["IndexedFile", "OwnFile", "View", "WholeFile", "library_file", "opened_file"]

_WIDE: Final = 1 << 15
"""Bytes of a footer that pyarrow parses in half a millisecond; of larger ones only parts are
parsed.
"""

_BYTES: Final = 16
"""Bytes of a file that pyarrow reads and decodes in a microsecond or more."""

_SMALL: Final = 1 << 16
"""Bytes of a file below which the kernels of footers are not worth importing."""


def library_file(source: Readable, **options: Any) -> Any:
    """Return a file in the form that pyarrow reads."""
    # A file in a store is read from ranges held in memory, so pyarrow need not fetch any.
    return opened(native_file(source), pre_buffer=False, **options)


@dataclass(frozen=True, slots=True)
class View:
    """Some columns of a file, as pyarrow reads them.

    file       the open file
    schema     the columns' schema in Arrow
    fields     the same columns, with their ids
    leaves     numbers of the leaves to read, among all that `file` knows
    unreadable numbers of leaves that cannot be read: pyarrow may end the process when asked about
               one
    numbers    the number in the stored file of each leaf that `file` knows; None where it knows all
    """

    file: Any
    schema: pa.Schema
    fields: Sequence[pa.Field]
    leaves: list[int]
    unreadable: Collection[int] = ()
    numbers: Sequence[int] | None = None


class WholeFile:
    """A Parquet file whose whole schema pyarrow has parsed.

    rows    number of rows of each row group
    fields  all columns, with their ids
    places  where each row group begins
    """

    def __init__(self, source: Source, names: Names | None, footer: bytes | None = None) -> None:
        """Parse the footer; errors of pyarrow, and `FormatError`, for a damaged one.

        footer  its bytes, if they were read already
        """
        self._file = library_file(source)
        metadata = self._file.metadata
        self._unreadable = check_footer(metadata, source, footer)
        self._schema: pa.Schema = self._file.schema_arrow
        self.fields = identified_columns(self._schema, names)
        groups = [metadata.row_group(each) for each in range(metadata.num_row_groups)]
        self.rows = [int(each.num_rows) for each in groups]
        self._groups = groups

    @property
    def places(self) -> list[int]:
        """Offset of each row group's first readable column; 0 if it has none."""
        leaves = range(self._file.metadata.num_columns)
        first = next((each for each in leaves if each not in self._unreadable), None)
        return [_place(each, first) for each in self._groups]

    def view(self, wanted: Wanted) -> View:
        """Return the view of the file that has the wanted columns."""
        marks = wanted_by_column(self.fields, wanted.fields)
        leaves = np.flatnonzero(np.array([each for of in marks for each in of], np.bool_)).tolist()
        refuse_unreadable(self._file.metadata.schema, leaves, self._unreadable)
        return View(self._file, self._schema, self.fields, leaves, self._unreadable)

    def own_groups(self, wanted: Wanted, most: int) -> str:  # noqa: ARG002  as below
        """Return why pyarrow decodes all columns."""
        return "the file is small, or its footer is unusual"

    def decoding(self, wanted: Wanted, most: int) -> Decoding:
        """Return how rows with the wanted columns are decoded."""
        names = wanted.names_in(self.fields)
        return Decoding((), names, "whole", self.own_groups(wanted, most))


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file whose plain columns our own loops decode, a row group at a time.

    columns  what is read of the file
    groups   its row groups
    most     most bytes of the values of a row group
    """

    file: IndexedFile
    columns: WantedColumns
    groups: OwnGroups
    most: int

    def group(self, number: int) -> PlainGroup:
        """Return the plain columns of a row group."""
        file, rows, all_chunks = self.file, self.groups.groups, self.groups.chunks
        chunks = all_chunks.reshape(len(rows), -1, all_chunks.shape[1])[number]
        return PlainGroup(file.source, file.form, chunks, int(rows[number]), self.most)


class IndexedFile:
    """A Parquet file in whose footer our own loops have found the parts of each column.

    source  the file
    data    the footer
    form    the form of its columns
    rows    number of rows of each row group
    places  where each row group begins
    """

    def __init__(
        self, source: Source, names: Names | None, data: bytes, footer: IndexedFooter
    ) -> None:
        """Keep what was found in the bytes of the footer."""
        self.source, self.data, self._names, self._footer = source, data, names, footer
        self.form: Form = footer.form
        self.rows: NDArray[np.int64] = footer.rows
        self.places: NDArray[np.int64] = footer.places

    @property
    def fields(self) -> Sequence[pa.Field]:
        """All columns, with their ids."""
        return self._whole.fields

    def own_groups(self, wanted: Wanted, most: int) -> OwnFile | str:
        """Return what our own loops decode; the reason if pyarrow decodes all columns.

        most  most bytes of the values of a row group
        """
        if not self.form.is_known:
            return "the library does not know the columns"
        columns = wanted.of(self.form)
        place = (0, self.source.size - Tail.SIZE - len(self.data), 0, len(self.data))
        footers = Footers(np.frombuffer(self.data, np.uint8), [place])
        own = own_groups(footers, self.form, columns.plain, int(self.rows.sum()), most)
        return own if isinstance(own, str) else OwnFile(self, columns, own, most)

    def decoding(self, wanted: Wanted, most: int) -> Decoding:
        """Return how rows with the wanted columns are decoded."""
        own, names = self.own_groups(wanted, most), wanted.names_in(self.fields)
        if isinstance(own, str):
            return Decoding((), names, self._footer_of(wanted), own)
        return decoding(names, own.groups, own.columns.plain, self._footer_of(own.columns.others))

    @cached_property
    def _whole(self) -> WholeFile:
        """Return the file with all of its columns, whose whole footer pyarrow parses."""
        return WholeFile(self.source, self._names, self.data)

    def view(self, wanted: Wanted) -> View:
        """Return the view of the file that has the wanted columns; errors as in `WholeFile`."""
        return self._narrowed(wanted) or self._whole.view(wanted)

    def _footer_of(self, wanted: Wanted) -> str:
        """Return what pyarrow reads wanted columns from, see `Decoding`."""
        return "whole" if self._narrowed(wanted) is None else "narrowed"

    def _narrowed(self, wanted: Wanted) -> View | None:
        """Return the view of a footer of the wanted columns alone; None if they are most of it."""
        columns = wanted.narrowed(self.form)
        metadata = None if columns is None else self._footer.metadata(columns.narrow)
        if columns is None or metadata is None:
            return None
        return View(
            library_file(self.source, metadata=metadata),
            columns.narrow.schema,
            columns.fields,
            columns.leaves,
            numbers=columns.narrow.leaves.tolist(),
        )


def opened_file(source: Source, names: Names | None, forms: Forms) -> WholeFile | IndexedFile:
    """Open a file.

    forms    the forms of files that were read before
    raises   errors of pyarrow for a damaged footer, and `FormatError`
    """
    data = footer_bytes(source)
    if data is not None and (len(data) >= _WIDE or _gains(source.size)):
        footer = IndexedFooter.of(np.frombuffer(data, np.uint8), forms)
        if footer is not None:
            return IndexedFile(source, names, data, footer)
    return WholeFile(source, names, data)


def _gains(size: int) -> bool:
    """Return whether compiled loops find the parts of a footer, of a file of *size* bytes."""
    if size < _SMALL:
        return False

    return find_chunks.is_worth_it(size // _BYTES)


def _place(group: Any, leaf: int | None) -> int:
    """Return where a leaf of a row group begins."""
    if leaf is None or not group.num_columns:
        return 0
    first = group.column(leaf)
    return int(first.dictionary_page_offset or first.data_page_offset)
