"""What statistics say of the rows of a replacement, which must be those that it removed.

The rules:

- Rows that were carried over say in which commit they last changed; where files store that, a null
  means the commit that added the file.
- If no row was deleted before, files that were added have as many nulls and NaNs in each column as
  those that were removed, and the same least and greatest numbers.  Bounds of text may be cut.
- Only columns of the schema of which all files have a statistic are compared, none inside others:
  writers count nulls of absent parents in several ways.

Source: Iceberg table spec, "Snapshots" (``operation``) and "Row Lineage".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.errors import ByteloomError
from byteloom.iceberg.reserved_fields import METADATA_COLUMNS
from byteloom.iceberg.values.binary import from_binary
from byteloom.iceberg.verification.claims import statistics_of
from byteloom_generated.iceberg.manifests import EntryStatus, FileContent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.schema import Schema

__all__ = ["changed_rows"]

_CHANGED_IN: Final = METADATA_COLUMNS["_last_updated_sequence_number"].id
_NUMBERS: Final = frozenset({"int", "long", "float", "double", "date", "time", "decimal"})
_COUNTS: Final = ("null_value_counts", "nan_value_counts")
_BOUNDS: Final[dict[str, Callable[[Any], Any]]] = {"lower_bounds": min, "upper_bounds": max}


def changed_rows(
    parts: Sequence[Entries], own: int, schema: Schema, *, is_whole: bool
) -> str | None:
    """Return how statistics say that a replacement changed rows; None if they do not.

    Args:
        parts: The entries of manifests of the snapshot *own*, with statistics.
        is_whole: Whether no row of the removed files was deleted before.
    """
    added = [_statistics(each, own, EntryStatus.ADDED) for each in parts]
    new = [one for some in added for one in some]
    changed = sum(each["null_value_counts"].get(_CHANGED_IN, 0) for each in new)
    if changed:
        return f"changed {changed} rows, as _last_updated_sequence_number of its files says"
    removed = [_statistics(each, own, EntryStatus.DELETED) for each in parts]
    old = [one for some in removed for one in some]
    if not is_whole or not new or not old:
        return None
    for name in _COUNTS:
        for number in _in_all(name, [*new, *old], schema):
            before, after = (sum(each[name][number] for each in some) for some in (old, new))
            if before != after:
                what = name.partition("_")[0]
                return f"removed {before} and added {after} {what} values of column {number}"
    return _other_bounds(new, old, schema)


def _other_bounds(new: list[Any], old: list[Any], schema: Schema) -> str | None:
    """Return which column has another least or greatest number; None if none has."""
    for name, end in _BOUNDS.items():
        for number in _in_all(name, [*new, *old], schema):
            field = schema.field_by_id[number]
            if field.type.kind not in _NUMBERS:
                continue
            try:
                ends = [
                    end(from_binary(field.type, each[name][number]) for each in some)
                    for some in (old, new)
                ]
            except ByteloomError:
                continue  # a bound that has not the form of its type is a finding by itself
            if ends[0] != ends[1]:
                return f"moved the {name[:-1]} of {field.name} from {ends[0]} to {ends[1]}"
    return None


def _statistics(entries: Entries, own: int, status: int) -> list[dict[str, dict[int, Any]]]:
    """Return the statistics of the data files that a snapshot added, or deleted."""
    chosen = (entries.status == status) & (entries.snapshot_id == own)
    rows = np.flatnonzero(chosen & (entries.content == FileContent.DATA))
    maps = statistics_of(entries, rows)
    return [{name: each[at] for name, each in maps.items()} for at in range(len(rows))]


def _in_all(name: str, files: list[Any], schema: Schema) -> list[int]:
    """Return the columns of a schema of which all files have a statistic."""
    return [each.id for each in schema.fields if all(each.id in of[name] for of in files)]
