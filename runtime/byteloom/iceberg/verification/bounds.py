"""The bounds of text columns: valid UTF-8.

Planning compares bounds of text by their bytes, valid or not, and metadata tables show an invalid
one as null; here it is found.

Source: Iceberg table spec, "Manifests" (``lower_bounds``, ``upper_bounds``) and "Appendix D".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.iceberg.manifests.column_stats import BOUNDS
from byteloom.iceberg.manifests.columns import items_of, packed_spans, texts
from byteloom.iceberg.types import StringType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.schema import Schema

__all__ = ["check_bounds"]


def check_bounds(entries: Entries, schemas: Iterable[Schema]) -> Iterator[FormatError]:
    """Yield the first invalid bound of each text column of a manifest's entries.

    entries  that were read with the columns `BOUNDS`
    schemas  all of the table: a column may have been dropped since
    """
    columns = {
        each.id
        for schema in schemas
        for each in schema.field_by_id.values()
        if isinstance(each.type, StringType)
    }
    for name in BOUNDS:
        yield from _check(entries, name, columns)


def _check(entries: Entries, name: str, columns: set[int]) -> Iterator[FormatError]:
    """The first invalid bound of each column, of one side."""
    held = entries.lists[name]
    if held.data is None:
        return
    keys, values = items_of(held.runs, held.items)
    rows = np.repeat(np.arange(len(entries)), held.runs.ends - held.runs.starts)
    for column in sorted(columns & set(np.unique(keys).tolist())):
        spans = packed_spans(values[keys == column], held.data)
        try:
            texts(spans, pa.large_string(), name)
        except FormatError:
            found = (each.as_py() for each in spans.to_arrow())
            for row, bound in zip(rows[keys == column].tolist(), found, strict=True):
                if not _is_text(bound):
                    where = f"entries[{row}].{name}[{column}]"
                    yield FormatError(where, None, repr(bound), "UTF-8 text")
                    break


def _is_text(bound: bytes) -> bool:
    try:
        bound.decode()
    except UnicodeDecodeError:
        return False
    return True
