"""Compare statistics, of manifests and of the files themselves, with the values that columns have.

The rules:

- A lower bound may be below the least value, an upper bound above the greatest, since writers
  truncate them; the reverse hides rows from filters.
- Bounds of UUIDs may be in either of the two orders that writers use. Zeros of either sign are
  equal.
- Values that are absent with their parents may be counted or not, as writers do.
- A column that has statistics must be in the file.
- Readers skip row groups and stripes by their own statistics: bounds must include all values, and
  the number of nulls must be right.
- Where rows are not read, the footer represents plain columns outside of structs.  It does not
  count NaNs; its bounds of long text may be truncated, and those of moments in ORC are rounded.

Source: Iceberg table spec, "Manifests" (``value_counts``, ``lower_bounds``, ...); Parquet's
``Statistics``; ORC's ``ColumnStatistics``.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError
from byteloom.iceberg.expressions.stats import WORD_SIGNS
from byteloom.iceberg.manifests.decoded_stats import BOUNDS, COUNTS
from byteloom.iceberg.observed import Seen
from byteloom.iceberg.reserved_fields import DELETE_FILE_COLUMNS, METADATA_COLUMNS
from byteloom.iceberg.transforms import Identity, to_human
from byteloom.iceberg.values import from_binary

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from byteloom.datafiles.data_file import PartStats, Stated
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom.iceberg.types import NestedField, Type
    from byteloom.iceberg.verification.claims import Claim

    Error = Callable[[str, object, str], FormatError]

__all__ = [
    "check_counts",
    "check_footer",
    "check_range",
    "check_statistics",
    "columns_of",
]

_BYTES: Final = frozenset({"fixed", "binary"})
_LONGEST: Final = 60
_LOSES: Final = "filters lose rows"


def columns_of(table: StoredTable) -> dict[int, NestedField]:
    """Return all columns that the table's files may have, each in its newest type, by id.

    Columns in lists and maps are left out.
    """
    known = table.metadata.schemas
    reserved = (*METADATA_COLUMNS.values(), *DELETE_FILE_COLUMNS.values())
    made = {each.id: each for each in reserved}
    for schema in (*(known[each] for each in sorted(known)), table.schema):
        held = schema.field_by_id.items()
        made |= {number: each for number, each in held if not schema.is_in_repeated(number)}
    return made


def check_statistics(
    claim: Claim,
    present: Collection[int],
    seen: Mapping[int, Seen],
    columns: Mapping[int, NestedField],
) -> Iterator[FormatError]:
    """Yield what is wrong with the statistics of an entry of a file.

    Bounds in entries of deletion vectors are left to `check_bounds`, which needs no files.

    Args:
        present: Ids of the columns in the file.
        seen: The values of some of them.
        columns: The columns that the table's files may have.
    """
    stated = claim.statistics
    is_vector = claim.file["content_offset"] is not None
    for number in sorted({each for of_map in stated.values() for each in of_map}):
        of, values = columns.get(number), seen.get(number)
        if of is None or not of.type.is_primitive or of.type.kind == "unknown":
            continue
        held = {name: of_map[number] for name, of_map in stated.items() if number in of_map}
        if number not in present:
            if is_vector and not held.keys().isdisjoint(BOUNDS):
                continue
            where = f"{next(iter(held))}[{number}]"
            wanted = f"none: the file has no column {of.name}, and filters skip it"
            yield claim.error(where, "statistics", wanted)
        elif values is not None:

            def error(name: str, found: object, wanted: str, of: NestedField = of) -> FormatError:
                return claim.error(f"{name}[{of.id}]", found, f"{wanted}, in column {of.name}")

            yield from check_counts(held, values, error)
            yield from check_range(of.type, values, [held.get(each) for each in BOUNDS], error)


def check_counts(held: Mapping[str, Any], values: Seen, error: Error) -> Iterator[FormatError]:
    """Yield the counts that are wrong.

    Args:
        held: Counts by their names in manifests.
        error: Makes a finding of a name, its value and what is right.
    """
    counts = (values.present + values.nulls, values.nulls, values.nans)
    for name, right in zip(COUNTS, counts, strict=True):
        stated = held.get(name, -1)
        most = right if name == "nan_value_counts" else right + values.missing
        if min(stated, right) >= 0 and not right <= stated <= most:
            wanted = f"{right}" if most == right else f"{right} to {most}"
            yield error(name, stated, f"{wanted}, since {_LOSES}")


def check_range(
    of: Type, values: Seen, bounds: Sequence[bytes | None], error: Error
) -> Iterator[FormatError]:
    """Yield the bounds that exclude values.

    Args:
        bounds: The lower and the upper one.
        error: Makes a finding of a name, its value and what is right.
    """
    held = values.range(of)
    for at, (name, bound) in enumerate(zip(BOUNDS, bounds, strict=True)):
        if bound is None or held is None or (name, bound) in values.right:
            continue
        try:
            stated = bound if of.kind in _BYTES else from_binary(of, bound)
        except FormatError:
            continue  # which is a finding by itself
        if isinstance(stated, float) and math.isnan(stated):
            if values.nans == 0:
                yield error(name, "NaN", "a number, since no value is NaN")
        elif (stated > held[0] if at == 0 else stated < held[1]) and not (
            values.signed and _in_signed_order(values, bound, at)
        ):
            right = _shown_value(of, held[at])
            wanted = f"at most {right}" if at == 0 else f"at least {right}"
            yield error(name, _shown_value(of, stated), f"{wanted}, since {_LOSES}")
        else:
            values.right.add((name, bound))


def _shown_value(of: Type, value: Any) -> str:
    """Return a storage value in readable form."""
    text = to_human(Identity(), of, value) or "no characters"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _in_signed_order(values: Seen, bound: bytes, at: int) -> bool:
    """Return whether a bound of UUIDs is right in the order of two signed words."""
    signed = bytes(each ^ sign for each, sign in zip(bound, WORD_SIGNS, strict=True))
    return signed <= min(values.signed) if at == 0 else signed >= max(values.signed)


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
