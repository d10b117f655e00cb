"""The bounds of text columns, which must be valid UTF-8, and of geometries, which must be points.

Planning compares bounds of text by their bytes, valid or not, and metadata tables show an invalid
bound as null; only this check reports it.

Source: Iceberg table spec, "Manifests" (``lower_bounds``, ``upper_bounds``) and "Appendix D".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.errors import FormatError
from byteloom.iceberg.expressions.stats import Bounds
from byteloom.iceberg.geo_bounds import SIZES
from byteloom.iceberg.manifests.arrow_columns import items_of, packed_spans
from byteloom.iceberg.manifests.column_stats import BOUNDS
from byteloom.iceberg.types import GeographyType, GeometryType, StringType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.types import Type

__all__ = ["check_bounds"]

_CHECKED: Final = (StringType, GeometryType, GeographyType)


def check_bounds(entries: Entries, schemas: Iterable[Schema]) -> Iterator[FormatError]:
    """Yield the first invalid bound of each such column of a manifest's entries.

    entries  entries that were read with the columns `BOUNDS`
    schemas  all schemas of the table, since a column may have been dropped
    """
    columns = {
        each.id: each.type
        for schema in schemas
        for each in schema.field_by_id.values()
        if isinstance(each.type, _CHECKED)
    }
    for name in BOUNDS:
        held = entries.lists[name]
        if held.data is None or not columns:
            continue
        keys, values = items_of(held.runs, held.items)
        rows = np.repeat(np.arange(len(entries)), held.runs.ends - held.runs.starts)
        for column in sorted(columns.keys() & set(np.unique(keys).tolist())):
            at = np.flatnonzero(keys == column)
            for place, found, wanted in _invalid(columns[column], values[at], held.data):
                where = f"entries[{rows[at[place]]}].{name}[{column}]"
                yield FormatError(where, None, found, wanted)


def _invalid(
    of: Type, packed: NDArray[np.int64], data: NDArray[np.uint8]
) -> Iterator[tuple[int, str, str]]:
    """Yield the first invalid bound: its index, its value, and what it should be."""
    spans = packed_spans(packed, data)
    if not isinstance(of, StringType):
        for place in np.flatnonzero(~np.isin(spans.sizes, list(SIZES)))[:1].tolist():
            wanted = f"{', '.join(map(str, sorted(SIZES)))} bytes of a point"
            yield place, f"{spans.sizes[place]} bytes", wanted
        return
    shown = Bounds.read(of, spans).to_arrow()
    for place in np.flatnonzero(shown.is_null())[:1].tolist():
        yield place, repr(spans.to_arrow()[place].as_py()), "UTF-8 text"
