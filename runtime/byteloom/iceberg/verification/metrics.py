"""The statistics of columns in manifests: counts, and bounds in the form of the column's type.

The rules:

- No count is negative, nor are nulls and NaNs more than values.  Planning reads a negative count as
  unknown, and does not use counts that contradict each other; only this check reports them.
- A column has one count of each kind, and one bound of each.  Of several, readers use different
  ones.
- A bound has the bytes of a value: a number as many as its type has, or had before the column was
  promoted, a text valid UTF-8, a geometry a point.
- Planning compares bounds of text by their bytes, valid or not, and ignores those of another size;
  other readers fail, or take a part of the bytes for the value.
- A deletion vector has no columns, and so no bounds of them: by those PyIceberg skips the vector.
- A column of an equality delete file has both bounds or none; only text and bytes may lack the
  upper one.  PyIceberg refuses scans from which bounds do not exclude the file.

Source: Iceberg table spec, "Manifests" (``value_counts``, ``lower_bounds``, ...) and "Appendix D".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.errors import FormatError, Unsupported
from byteloom.iceberg.expressions.stats import Bounds
from byteloom.iceberg.geo_bounds import SIZES
from byteloom.iceberg.manifests.arrow_columns import items_of, packed_spans
from byteloom.iceberg.manifests.decoded_stats import BOUNDS, COUNTS
from byteloom.iceberg.reserved_fields import DELETE_FILE_COLUMNS, METADATA_COLUMNS
from byteloom.iceberg.types import FixedType, GeographyType, GeometryType, StringType
from byteloom.iceberg.values.binary import from_binary
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from byteloom.iceberg.expressions.stats import Spans
    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.types import Type

    Numbers = NDArray[np.int64]

__all__ = ["Statistic", "check_bounds", "check_counts"]

_KEY_BITS: Final = 32


def check_counts(entries: Entries) -> Iterator[FormatError]:
    """Yield what is wrong with counts of a manifest's entries, once per column.

    Args:
        entries: Entries that were read with the columns `COUNTS` and `BOUNDS`.
    """
    statistics = {name: Statistic(entries, name) for name in (*COUNTS, *BOUNDS)}
    for each in statistics.values():
        yield from each.repeated()
    values = statistics["value_counts"]
    missing = np.zeros(len(values.places), np.int64)
    for name in COUNTS:
        counts = statistics[name]
        yield from counts.findings(counts.numbers < 0, "0 or more")
        if name != "value_counts":
            missing += np.maximum(counts.at(values.places), 0)
    wanted = "as many values as nulls and NaNs, or more"
    yield from values.findings((values.numbers >= 0) & (missing > values.numbers), wanted)


class Statistic:
    """One kind of count or bound, of all columns in all entries.

    Attributes:
        places: int64[item], ascending: the row of the entry in the high half, the column's id in
            the low half.
        numbers: int64[item], the counts.
    """

    def __init__(self, entries: Entries, name: str) -> None:
        """Take the items from entries that were read with the column *name*."""
        held = entries.lists[name]
        keys, numbers = items_of(held.runs, held.items)
        places = held.runs.rows << _KEY_BITS | keys & (1 << _KEY_BITS) - 1
        order = np.argsort(places, kind="stable")
        self.name = name
        self.places: Numbers = places[order]
        self.numbers: Numbers = numbers[order]

    def at(self, places: Numbers) -> Numbers:
        """Return the counts at some places; 0 for absent ones."""
        if not len(self.places):
            return np.zeros(len(places), np.int64)
        at = np.minimum(np.searchsorted(self.places, places), len(self.places) - 1)
        return np.where(self.places[at] == places, self.numbers[at], 0)

    def beyond(self, other: Statistic, rows: NDArray[np.bool_]) -> list[tuple[int, int]]:
        """Return the entries and columns that have this one and not the other.

        Args:
            rows: Whether to look at each entry.
        """
        places = np.setdiff1d(self.places, other.places)
        return [_entry_and_column(each) for each in places[rows[places >> _KEY_BITS]]]

    def findings(self, wrong: NDArray[np.bool_], wanted: str) -> Iterator[FormatError]:
        """Yield the first wrong count of each column."""
        seen: set[Any] = set()
        for each in np.flatnonzero(wrong).tolist():
            row, column = _entry_and_column(self.places[each])
            if column not in seen:
                seen.add(column)
                where = f"entries[{row}].{self.name}[{column}]"
                yield FormatError(where, None, int(self.numbers[each]), wanted)

    def repeated(self) -> Iterator[FormatError]:
        """Yield the first entry that has a column twice."""
        for each in np.flatnonzero(np.diff(self.places) == 0)[:1].tolist():
            row, column = _entry_and_column(self.places[each])
            wanted = "each column once; readers use different ones of the two"
            yield FormatError(f"entries[{row}].{self.name}", None, f"column {column} twice", wanted)


def _entry_and_column(place: np.int64) -> tuple[int, int]:
    """Return the row of the entry and the id of the column of a statistic."""
    return divmod(int(place), 1 << _KEY_BITS)


_OF_DELETES: Final = [each.id for each in DELETE_FILE_COLUMNS.values()]
_CUT: Final = frozenset({"string", "binary", "fixed", "variant", "geometry", "geography"})
_READERS: Final = "PyIceberg and DuckDB cannot filter by it"


def check_bounds(entries: Entries, schemas: Iterable[Schema]) -> Iterator[FormatError]:
    """Yield the first invalid bound of each column of a manifest's entries.

    Args:
        entries: Entries that were read with the columns `BOUNDS`.
        schemas: All schemas of the table, since a column may have been dropped.
    """
    columns: dict[int, set[Type]] = {}
    for each in (*METADATA_COLUMNS.values(), *DELETE_FILE_COLUMNS.values()):
        columns.setdefault(each.id, set()).add(each.type)
    for schema in schemas:
        for each in schema.field_by_id.values():
            columns.setdefault(each.id, set()).add(each.type)
    for name in BOUNDS:
        held = entries.lists[name]
        if held.data is None:
            continue
        keys, values = items_of(held.runs, held.items)
        rows = held.runs.rows
        of_vectors = (entries.content_offset[rows] >= 0) & ~np.isin(keys, _OF_DELETES)
        for at in np.flatnonzero(of_vectors)[:1].tolist():
            where = f"entries[{rows[at]}].{name}[{keys[at]}]"
            wanted = "none of a deletion vector; PyIceberg skips the vector by it"
            yield FormatError(where, None, "a bound", wanted)
        for column in sorted(columns.keys() & set(np.unique(keys).tolist())):
            at = np.flatnonzero(keys == column)
            spans = packed_spans(values[at], held.data)
            for place, found, wanted in _invalid(columns[column], spans):
                where = f"entries[{rows[at[place]]}].{name}[{column}]"
                yield FormatError(where, None, found, wanted)
    yield from _one_sided(entries, columns)


def _one_sided(entries: Entries, columns: Mapping[int, set[Type]]) -> Iterator[FormatError]:
    """Yield the first column of an equality delete that has the other bound alone, of each side."""
    is_equality = entries.content == FileContent.EQUALITY_DELETES
    if not is_equality.any():
        return
    sides = [Statistic(entries, name) for name in BOUNDS]
    for own, other in zip(sides, reversed(sides), strict=True):
        for row, column in other.beyond(own, is_equality):
            kinds = {each.kind for each in columns.get(column, ())}
            if kinds and (own.name == BOUNDS[0] or not kinds & _CUT):
                where = f"entries[{row}].{own.name}[{column}]"
                wanted = "a bound, as on the other side; PyIceberg refuses more scans"
                yield FormatError(where, None, "nothing", wanted)
                break


def _invalid(types: set[Type], spans: Spans) -> Iterator[tuple[int, str, str]]:
    """Yield the first invalid bound: its index, its value, and what it should be."""
    sizes, first = np.unique(spans.sizes, return_index=True)
    for size, place in sorted(zip(sizes.tolist(), first.tolist(), strict=True)):
        if not any(_has_form(each, size) for each in types):
            of = " or ".join(sorted({str(each) for each in types}))
            shown = repr(spans.to_arrow()[place].as_py())
            yield place, shown, f"a value of type {of}; {_READERS}"
            return
    if all(isinstance(each, StringType) for each in types):
        shown = Bounds.read(StringType(), spans).to_arrow()
        for place in np.flatnonzero(shown.is_null())[:1].tolist():
            yield place, repr(spans.to_arrow()[place].as_py()), f"UTF-8 text; {_READERS}"


def _has_form(of: Type, size: int) -> bool:
    """Return whether some value of a type takes so many bytes."""
    if isinstance(of, (GeometryType, GeographyType)):
        return size in SIZES
    if isinstance(of, FixedType):
        return size <= of.length  # writers cut long bounds
    try:
        from_binary(of, bytes(size))
    except Unsupported:
        return True  # a type of which bounds have a form of their own
    except FormatError:
        return False
    return True
