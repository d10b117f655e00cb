"""What the footer of a data file states of its columns, as the values that were seen.

The rules:

- Only plain columns outside of lists and maps are represented, and only if every row group or
  stripe states how many nulls it has. NaNs are not counted.
- Bounds of long text may be truncated, and those of moments in ORC are rounded: neither is a range.

Source: Parquet's ``Statistics``; ORC's ``ColumnStatistics``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError
from byteloom.iceberg.observed import Seen
from byteloom.iceberg.values import from_binary

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from byteloom.datafiles.data_file import PartStats, Stated
    from byteloom.iceberg.types import NestedField, Type

__all__ = ["stated_values"]

_LONG: Final = 32
"""Bytes of a bound from which on it may be one that was truncated."""


def stated_values(
    stats: PartStats, columns: Iterable[NestedField], *, is_orc: bool
) -> dict[int, Seen]:
    """Return what a footer states about the values of columns in all rows, by id."""
    rows, found = stats.record_count.tolist(), dict[int, Seen]()
    for each in columns:
        stated = stats.stated(each.id) if each.type.is_primitive else ()
        if not stated or any(part.null_count < 0 for part in stated):
            continue
        nulls = sum(part.null_count for part in stated)
        seen = found[each.id] = Seen(sum(rows) - nulls, nulls, nans=-1)
        if not (is_orc and each.type.kind.startswith("timestamp")):
            seen.know_range(each.type, _range(each.type, rows, stated))
    return found


def _range(of: Type, rows: Sequence[int], stated: Sequence[Stated]) -> tuple[Any, Any] | None:
    """Return the least and the greatest value that a footer states; None if it may be another.

    Args:
        rows: The number of rows of each row group or stripe.
    """
    ends = []
    for count, part in zip(rows, stated, strict=True):
        bounds = (part.lower, part.upper)
        if count > part.null_count:
            if any(each is None or len(each) >= _LONG for each in bounds):
                return None
            try:
                ends += [from_binary(of, each or b"") for each in bounds]
            except FormatError:
                return None
    return (min(ends), max(ends)) if ends else None
