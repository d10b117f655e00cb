"""Which columns of Parquet files are wanted, determined once for all files of the same form.

Source: Iceberg table spec, "Column Projection".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from threading import Lock, RLock
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.iceberg.reading.fields import (
    carries_ids,
    field_id,
    identified,
    inner_fields,
    wanted_by_column,
)
from byteloom.iceberg.reading.unnumbered import NamesAlone
from byteloom.parquet.forms import Forms
from byteloom.parquet.narrowing import Narrow
from byteloom.parquet.plain import plain_type, value_size

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from byteloom.iceberg.name_mapping import NameMapping
    from byteloom.iceberg.types import NestedField
    from byteloom.parquet.forms import Form

__all__ = ["KnownColumns", "NarrowColumns", "PlainWanted", "Wanted", "WantedColumns", "ids_of"]

_MOST: Final = 16
"""Most choices of columns that are cached, and most forms of each."""


@dataclass(frozen=True)
class PlainWanted:
    """The wanted columns that are plain (`byteloom.parquet.plain`).

    fields  their fields, with ids
    leaves  the leaf of each column, and its type when decoded
    marks   uint8[leaf]: 1 for these
    others  uint8[leaf]: 1 for the wanted leaves that are not plain
    """

    fields: list[pa.Field]
    leaves: list[tuple[int, pa.DataType]]
    marks: NDArray[np.uint8]
    others: NDArray[np.uint8]

    @classmethod
    def of(cls, form: Form, fields: Sequence[pa.Field], marks: Sequence[list[bool]]) -> PlainWanted:
        """Choose from a form's columns, whose wanted leaves are marked."""
        wanted = np.array([each for of in marks for each in of], np.uint8)
        chosen, leaves, plain, first = [], [], np.zeros(len(wanted), np.uint8), 0
        forms = form.leaves.tolist()
        for column, of in zip(fields, marks, strict=True):
            decoded = plain_type(column.type, forms[first]) if of == [True] else None
            if decoded is not None:
                chosen.append(column)
                leaves.append((first, decoded))
                plain[first] = 1
            first += len(of)
        return cls(chosen, leaves, plain, wanted & ~plain)

    @cached_property
    def row(self) -> int:
        """The bytes of a row, without those of texts."""
        return sum(value_size(of) for _, of in self.leaves)

    @cached_property
    def places(self) -> dict[int, int]:
        """The index of the column with each id, the first of several."""
        numbers = [field_id(each) for each in self.fields]
        return dict(zip(reversed(numbers), reversed(range(len(numbers))), strict=True))


@dataclass
class WantedColumns:
    """What to read of files with one form.

    wanted   the columns wanted of all files
    fields   the columns of the file, with their ids
    leaves   uint8[leaf]: 1 for the wanted leaves
    plain    the wanted columns that are plain
    """

    wanted: Sequence[NestedField]
    fields: list[pa.Field]
    leaves: NDArray[np.uint8]
    plain: PlainWanted

    @cached_property
    def missing(self) -> bool:
        """Whether a column, or a part of one, is missing from the file."""
        return not set(ids_of(self.wanted)) <= set(_ids_of_file(self.fields))


@dataclass(frozen=True, slots=True)
class NarrowColumns:
    """Those columns of a form with many columns that have wanted leaves.

    narrow  the columns, in the form that pyarrow gets
    fields  the same, with their ids
    leaves  the leaves to read, numbered among those of these columns
    """

    narrow: Narrow
    fields: list[pa.Field]
    leaves: list[int]


class Wanted:
    """The columns that are wanted of all files.

    Threads that open files of one form at the same time wait for the first to determine them.
    """

    def __init__(self, fields: Sequence[NestedField], mapping: NameMapping | None) -> None:
        """Keep the columns, and the ids of columns for files that store none."""
        self.fields, self.mapping = fields, mapping
        self._by_form: dict[tuple[bytes, bytes], WantedColumns] = {}
        self._narrowed: dict[tuple[bytes, bytes], NarrowColumns | None] = {}
        self._lock = RLock()  # columns without ids are chosen before they are narrowed

    def of(self, form: Form) -> WantedColumns:
        """Return what to read of a form; `FormatError` for columns without ids."""
        with self._lock:
            found = self._by_form.get(form.key)
            if found is None:
                if len(self._by_form) >= _MOST:
                    self._by_form = {}
                found = self._by_form[form.key] = self._chosen(form)
            return found

    def narrowed(self, form: Form) -> NarrowColumns | None:
        """Return what to read of a wide form; None if that is most of it, or if it is unusual."""
        with self._lock:
            if form.key not in self._narrowed:
                if len(self._narrowed) >= _MOST:
                    self._narrowed = {}
                self._narrowed[form.key] = self._narrow(form)
            return self._narrowed[form.key]

    def _narrow(self, form: Form) -> NarrowColumns | None:
        """Return what to read of a new wide form."""
        if form.columns is None:
            return None
        ids = form.columns[0][:, 5]
        if not (ids >= 0).any():
            return self._named_narrow(form) if form.is_known else None
        chosen = np.flatnonzero(np.isin(ids, [each.id for each in self.fields]))
        narrow = Narrow.of(form, chosen.tolist()) if 2 * len(chosen) <= len(ids) else None
        if narrow is None:
            return None
        fields = list(narrow.schema)
        marks = [each for of in wanted_by_column(fields, self.fields) for each in of]
        return NarrowColumns(narrow, fields, np.flatnonzero(marks).tolist())

    def _named_narrow(self, form: Form) -> NarrowColumns | None:
        """Return what to read of a form whose columns get their ids from their names."""
        whole = self.of(form)
        if form.columns is None:
            return None
        leaves = enumerate(form.columns[0][:, 3:5].tolist())
        chosen = [number for number, (first, end) in leaves if whole.leaves[first:end].any()]
        narrow = Narrow.of(form, chosen) if 2 * len(chosen) <= len(whole.fields) else None
        if narrow is None:
            return None
        marked = np.flatnonzero(whole.leaves[narrow.leaves]).tolist()
        return NarrowColumns(narrow, [whole.fields[each] for each in chosen], marked)

    def _chosen(self, form: Form) -> WantedColumns:
        """Return what to read of a new form."""
        fields = identified(list(form.schema), self.mapping)
        if isinstance(self.mapping, NamesAlone) and not carries_ids(form.schema):
            self.mapping.check_places(fields)
        marks = wanted_by_column(fields, self.fields)
        return WantedColumns(
            self.fields,
            fields,
            np.array([each for of in marks for each in of], np.uint8),
            PlainWanted.of(form, fields, marks),
        )


class KnownColumns:
    """What the files of a scan have in common: their forms, and the columns to read.

    forms  the forms of their columns
    """

    def __init__(self) -> None:
        """Begin without any files."""
        self.forms = Forms()
        self._wanted: dict[Hashable, Wanted] = {}
        self._lock = Lock()

    def wanted(self, fields: Sequence[NestedField], mapping: NameMapping | None) -> Wanted:
        """Return which columns to read for *fields*; the result is cached."""
        key = id(mapping), tuple((each.id, each.type) for each in fields)
        with self._lock:
            found = self._wanted.get(key)
            if found is None:
                if len(self._wanted) >= _MOST:
                    self._wanted = {}
                # Keeps the mapping alive, and so its id.
                found = self._wanted[key] = Wanted(fields, mapping)
            return found


def ids_of(fields: Iterable[NestedField]) -> Iterator[int]:
    """Yield the ids of columns and of all fields inside them."""
    for each in fields:
        yield each.id
        yield from ids_of(getattr(each.type, "fields", ()))


def _ids_of_file(fields: Iterable[pa.Field]) -> Iterator[int]:
    """Yield the ids of a file's columns and of all fields inside them."""
    for each in fields:
        yield field_id(each)
        yield from _ids_of_file(inner_fields(each.type))
