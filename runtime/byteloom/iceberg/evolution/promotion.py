"""The types to which a column may be promoted, and what partition transforms permit.

The rules:

- ``specs/iceberg/types.yaml`` says which type may become which, since which version and under which
  transforms; a decimal may gain digits, its scale is kept.
- The source column of a partition field may only get a type that gives the same partition values: a
  date promoted to a timestamp has the same year, month and day, but another value and bucket.

Source: Iceberg table spec, "Schema Evolution", type promotion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError
from byteloom.iceberg.types import DecimalType
from byteloom_generated.iceberg.types import PROMOTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.types import NestedField, Type
    from byteloom_generated.iceberg.types import PromotionRow

__all__ = ["can_promote", "check_promotion"]

_ROWS: Final = {(each.old, each.new): each for each in PROMOTIONS}


def can_promote(old: Type, new: Type, *, version: int) -> bool:
    """Return whether a column of type *old* may become one of type *new*."""
    if old == new:
        return True
    row = _row(old, new)
    if row is None or version < row.since:
        return False
    if isinstance(old, DecimalType) and isinstance(new, DecimalType):
        return old.scale == new.scale and old.precision <= new.precision
    return True


def check_promotion(
    name: str, old: NestedField, new: Type, version: int, specs: Iterable[PartitionSpec]
) -> None:
    """Refuse a promotion that the version, or a partition field, does not allow.

    Raises:
        FormatError: A promotion that changes partitions; the error names the column and the field.
    """
    if not can_promote(old.type, new, version=version):
        raise FormatError(name, None, f"{old.type} to {new}", f"a promotion of version {version}")
    row = None if old.type == new else _row(old.type, new)
    if row is None or not row.transforms:
        return
    for spec in specs:
        for field in spec.fields:
            if old.id in field.source_ids and str(field.transform) not in row.transforms:
                found = (
                    f"{old.type} to {new} under {field.transform} of partition field {field.name}"
                )
                raise FormatError(name, None, found, "the same partition values")


def _row(old: Type, new: Type) -> PromotionRow | None:
    """Return the spec's row about a promotion; None if the spec does not allow it."""
    return _ROWS.get((old.kind, new.kind)) or _ROWS.get((old.kind, "any"))
