"""Compare the statistics in a file's own footer with its rows, and those of its manifest with them.

The rules:

- Readers skip row groups and stripes by their own statistics: bounds must include all values, and
  the number of nulls must be right.
- Where rows are not read, the footer represents plain columns outside of structs.  It does not
  count NaNs; its bounds of long text may be truncated, and those of moments in ORC are rounded.

Source: Iceberg table spec, "Manifests"; Parquet's ``Statistics``; ORC's ``ColumnStatistics``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError
from byteloom.iceberg.values import from_binary
from byteloom.iceberg.verification.comparing import check_counts, check_range
from byteloom.iceberg.verification.observed import Seen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from byteloom.datafiles.part_stats import PartStats, Stated
    from byteloom.iceberg.types import NestedField, Type

__all__ = ["check_footer", "stated_values"]

_LONG: Final = 32
"""Bytes of a bound from which on it may be one that was truncated."""

_NAMES: Final = {"null_value_counts": "null_count", "lower_bounds": "min", "upper_bounds": "max"}


def check_footer(
    stats: PartStats, groups: Sequence[Mapping[int, Seen]], columns: Mapping[int, NestedField]
) -> Iterator[FormatError]:
    """Yield what is wrong with the statistics of row groups or stripes.

    Args:
        groups: The values of columns in each of them, by id.
        columns: The columns that the table's files may have.
    """
    for number in dict.fromkeys(each for group in groups for each in group):
        of = columns.get(number)
        if of is None or not of.type.is_primitive:
            continue
        for at, (stated, group) in enumerate(zip(stats.stated(number), groups, strict=True)):
            if number in group:
                yield from _group(at, of, stated, group[number])


def _group(at: int, of: NestedField, stated: Stated, values: Seen) -> Iterator[FormatError]:
    """Yield what is wrong with the statistics of a column in one of them."""

    def error(name: str, found: object, wanted: str) -> FormatError:
        where = f"row_groups[{at}].column {of.name}.{_NAMES[name]}"
        return FormatError(where, None, str(found), wanted)

    if stated.null_count not in {-1, values.nulls}:
        yield from check_counts({"null_value_counts": stated.null_count}, values, error)
    yield from check_range(of.type, values, (stated.lower, stated.upper), error)


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
