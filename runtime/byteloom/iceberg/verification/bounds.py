"""The bounds of columns, each of which must have the form of the column's type.

The rules:

- A bound has the bytes of a value: a number as many as its type has, or had before the column was
  promoted, a text valid UTF-8, a geometry a point.
- Planning compares bounds of text by their bytes, valid or not, and ignores those of another size;
  other readers fail, or take a part of the bytes for the value.
- A deletion vector has no columns, and so no bounds of them: by those PyIceberg skips the vector.
- A column of an equality delete file has both bounds or none; only text and bytes may lack the
  upper one.  PyIceberg refuses scans from which bounds do not exclude the file.

Source: Iceberg table spec, "Manifests" (``lower_bounds``, ``upper_bounds``) and "Appendix D".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.errors import FormatError, Unsupported
from byteloom.iceberg.expressions.stats import Bounds
from byteloom.iceberg.geo_bounds import SIZES
from byteloom.iceberg.manifests.arrow_columns import items_of, packed_spans
from byteloom.iceberg.manifests.column_stats import BOUNDS
from byteloom.iceberg.reserved_fields import DELETE_FILE_COLUMNS, METADATA_COLUMNS
from byteloom.iceberg.types import FixedType, GeographyType, GeometryType, StringType
from byteloom.iceberg.values.binary import from_binary
from byteloom.iceberg.verification.counts import Statistic
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from byteloom.iceberg.expressions.stats import Spans
    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.types import Type

__all__ = ["check_bounds"]

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
