"""Which columns of data files are wanted, determined once for all Parquet files of the same form.

Source: Iceberg table spec, "Column Projection".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.datafiles.fields import (
    Places,
    field_id,
    identified_columns,
    inner_fields,
    places_of,
    wanted_by_column,
)
from byteloom.parquet.narrowing import Narrow
from byteloom.parquet.plain_types import plain_type, value_size

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from byteloom.datafiles.fields import Names
    from byteloom.parquet.forms import Form

__all__ = ["NarrowColumns", "PlainWanted", "Wanted", "WantedColumns"]

_MOST: Final = 16
"""Most forms that are cached."""


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
    def ids_by_place(self) -> list[tuple[int, int]]:
        """The index and the id of each column."""
        return [*enumerate(map(field_id, self.fields))]

    @cached_property
    def places(self) -> dict[int, int]:
        """The index of the column with each id, the first of several."""
        return places_of(self.fields)


@dataclass
class WantedColumns:
    """What to read of files with one form.

    wanted   the columns wanted of all files
    fields   the columns of the file, with their ids
    leaves   uint8[leaf]: 1 for the wanted leaves
    plain    the wanted columns that are plain
    """

    wanted: Wanted
    fields: list[pa.Field]
    leaves: NDArray[np.uint8]
    plain: PlainWanted

    @cached_property
    def missing(self) -> bool:
        """Whether a column, or a part of one, is missing from the file."""
        return not set(_ids_of(self.wanted.fields)) <= {-1, *_ids_of(self.fields)}

    @cached_property
    def others(self) -> Wanted:
        """The wanted columns that are not plain."""
        places = self.plain.places
        rest = [each for each in self.wanted.fields if field_id(each) not in places]
        return Wanted(rest, self.wanted.names)


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

    fields  the columns, with their ids at every level
    names   the ids of columns by name, for files that store none

    Threads that open files of one form at the same time wait for the first to determine them.
    """

    def __init__(self, fields: Sequence[pa.Field], names: Names | None = None) -> None:
        """Keep the columns."""
        self.fields, self.names = fields, names
        self._by_form: dict[tuple[bytes, bytes], WantedColumns] = {}
        self._narrowed: dict[tuple[bytes, bytes], NarrowColumns | None] = {}
        self._parts: dict[Collection[int], Wanted] = {}
        self._lock = RLock()  # columns without ids are chosen before they are narrowed

    @cached_property
    def ids(self) -> frozenset[int]:
        """The ids of the columns, without those inside them."""
        return frozenset(map(field_id, self.fields))

    def names_in(self, fields: Iterable[pa.Field]) -> tuple[str, ...]:
        """Return the names of those of a file's columns that are wanted, or parts of them."""
        return tuple(each.name for each in fields if field_id(each) in self.ids)

    def part(self, ids: frozenset[int]) -> Wanted:
        """Return those columns that have one of these ids, or a field inside that has one."""
        with self._lock:
            found = self._parts.get(ids)
            if found is None:
                chosen = [each for each in self.fields if not ids.isdisjoint(_ids_of([each]))]
                found = self._parts[ids] = Wanted(chosen, self.names)
            return found

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
        """Return what to read of a form; None if that is most of it, or if it is unusual."""
        with self._lock:
            if form.key not in self._narrowed:
                if len(self._narrowed) >= _MOST:
                    self._narrowed = {}
                self._narrowed[form.key] = self._narrow(form)
            return self._narrowed[form.key]

    def _narrow(self, form: Form) -> NarrowColumns | None:
        """Return what to read of a new form whose unwanted columns pyarrow need not parse."""
        if form.columns is None:
            return None
        ids = form.columns[0][:, 5]
        if isinstance(self.names, Places) or not (ids >= 0).any():
            return self._named_narrow(form) if form.is_known else None
        chosen = np.flatnonzero(np.isin(ids, list(self.ids)))
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
        fields = identified_columns(form.schema, self.names)
        marks = wanted_by_column(fields, self.fields)
        return WantedColumns(
            self,
            fields,
            np.array([each for of in marks for each in of], np.uint8),
            PlainWanted.of(form, fields, marks),
        )


def _ids_of(fields: Iterable[pa.Field]) -> Iterator[int]:
    """Yield the ids of columns and of all fields inside them."""
    for each in fields:
        yield field_id(each)
        yield from _ids_of(inner_fields(each.type))
