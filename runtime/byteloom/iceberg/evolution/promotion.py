"""Which type a column may become, and under which transforms.

The rules:

- Versions 1 and 2: int to long, float to double, a decimal to one of more digits, its scale kept.
- Version 3: unknown to anything, date to timestamp or timestamp_ns, never to those with a zone.
- A column that a partition field takes may only become what gives the same partition values: a date
  that became a timestamp keeps its year, month and day, not its value and not its bucket.

Source: Iceberg table spec, "Schema Evolution", type promotion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError
from byteloom.iceberg.transforms import Day, Month, Void, Year
from byteloom.iceberg.types import DateType, DecimalType, UnknownType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.types import NestedField, Type

__all__ = ["can_promote", "check_promotion"]

_WIDENED: Final = {("int", "long"), ("float", "double")}
_DATE_TO: Final = {"timestamp", "timestamp_ns"}
_SINCE: Final = 3
_SAME_OF_DATES: Final = (Year, Month, Day, Void)


def can_promote(old: Type, new: Type, *, version: int) -> bool:
    """Return whether a column of type *old* may become one of type *new*."""
    if old == new or (old.kind, new.kind) in _WIDENED:
        return True
    if isinstance(old, DecimalType) and isinstance(new, DecimalType):
        return old.scale == new.scale and old.precision <= new.precision
    if version < _SINCE:
        return False
    return isinstance(old, UnknownType) or (isinstance(old, DateType) and new.kind in _DATE_TO)


def check_promotion(
    name: str, old: NestedField, new: Type, version: int, specs: Iterable[PartitionSpec]
) -> None:
    """Refuse a promotion that the version, or a partition field, does not allow.

    FormatError  names the column, and the partition field
    """
    if not can_promote(old.type, new, version=version):
        raise FormatError(name, None, f"{old.type} to {new}", f"a promotion of version {version}")
    if not isinstance(old.type, DateType) or old.type == new:
        return
    for spec in specs:
        for field in spec.fields:
            if old.id in field.source_ids and not isinstance(field.transform, _SAME_OF_DATES):
                found = (
                    f"{old.type} to {new} under {field.transform} of partition field {field.name}"
                )
                raise FormatError(name, None, found, "the same partition values")
