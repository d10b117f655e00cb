"""Compare the statistics in a file's own footer with its rows, and those of its manifest with them.

The rules:

- Readers skip row groups and stripes by their own statistics: bounds must include all values, and
  the number of nulls must be right.
- Where rows are not read, a footer stands for them.  Its bounds of text may be truncated, those of
  moments rounded, and it does not count NaNs, so that less can be compared.

Source: Iceberg table spec, "Manifests"; Parquet's ``Statistics``; ORC's ``ColumnStatistics``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError
from byteloom.iceberg.manifests.column_stats import BOUNDS
from byteloom.iceberg.verification.comparing import check_counts, check_range

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from byteloom.iceberg.expressions.stats import FieldStats, FileStats, Spans
    from byteloom.iceberg.types import NestedField
    from byteloom.iceberg.verification.observed import Seen

__all__ = ["check_footer"]

_NAMES: Final = {"null_value_counts": "null_count", "lower_bounds": "min", "upper_bounds": "max"}


def check_footer(
    stats: FileStats, groups: Sequence[Mapping[int, Seen]], columns: Mapping[int, NestedField]
) -> Iterator[FormatError]:
    """Yield what is wrong with the statistics of row groups or stripes.

    groups   the values of columns in each of them, by id
    columns  the columns that the table's files may have
    """
    for number in dict.fromkeys(each for group in groups for each in group):
        of = columns.get(number)
        if of is None or not of.type.is_primitive:
            continue
        stated = stats.of(number)
        for at, group in enumerate(groups):
            if number in group:
                yield from _group(at, of, stated, group[number])


def _group(at: int, of: NestedField, stated: FieldStats, values: Seen) -> Iterator[FormatError]:
    """Yield what is wrong with the statistics of a column in one of them."""

    def error(name: str, found: object, wanted: str) -> FormatError:
        where = f"row_groups[{at}].column {of.name}.{_NAMES[name]}"
        return FormatError(where, None, str(found), wanted)

    yield from check_counts({"null_value_counts": int(stated.null_count[at])}, values, error)
    bounds = (_bytes(stated.lower, at), _bytes(stated.upper, at))
    yield from check_range(of.type, values, dict(zip(BOUNDS, bounds, strict=True)), error)


def _bytes(spans: Spans, at: int) -> bytes | None:
    """Return one of several runs of bytes."""
    place, size = int(spans.places[at]), int(spans.sizes[at])
    return None if size < 0 else spans.data[place : place + size].tobytes()
