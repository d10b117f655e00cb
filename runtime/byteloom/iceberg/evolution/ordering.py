"""Sort orders by the names of columns.

Source: Iceberg table spec, "Sorting"; Java's ``BaseReplaceSortOrder``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from byteloom.errors import FormatError
from byteloom.iceberg.sort_order import SortField, SortOrder
from byteloom.iceberg.transforms import UnknownTransform, parse_transform

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from byteloom.iceberg.schema import Schema

__all__ = ["SortKey", "sort_order"]


@dataclass(frozen=True, slots=True)
class SortKey:
    """One key of an order, by the name of its column.

    Attributes:
        nulls_first: By default, only for ascending keys.
    """

    column: str
    transform: str = "identity"
    descending: bool = False
    nulls_first: bool | None = None


def sort_order(
    keys: Iterable[SortKey], schema: Schema, known: Mapping[int, SortOrder]
) -> SortOrder:
    """Return the order of *keys*: one of *known* if there is an equal one, else with a new id.

    Args:
        keys: What rows are sorted by, the first one first; empty for unsorted, which is order 0.
        schema: The table's schema.
        known: The table's sort orders by id.

    Returns:
        The order.

    Raises:
        FormatError: A column that does not exist, or to which the transform cannot be applied.
    """
    fields = tuple(_sort_field(each, schema) for each in keys)
    if not fields:
        return known.get(0, SortOrder())
    for each in known.values():
        if each.fields == fields:
            return each
    return SortOrder(fields, max(max(known, default=0), 0) + 1)


def _sort_field(key: SortKey, schema: Schema) -> SortField:
    """Return the sort field of one key."""
    found = schema.find(key.column)
    if found is None:
        raise FormatError(key.column, None, "no such column", "a column of the schema")
    transform = parse_transform(key.transform)
    if isinstance(transform, UnknownTransform):
        raise FormatError(key.column, None, repr(key.transform), "a transform of the spec")
    if not found.type.is_primitive or not transform.can_transform(found.type):
        made = f"{transform} of {found.type}"
        raise FormatError(key.column, None, made, "a type it is defined for")
    if schema.is_in_repeated(found.id):
        raise FormatError(
            key.column, None, "a field in a list or map", "a field with one value per row"
        )
    nulls_first = not key.descending if key.nulls_first is None else key.nulls_first
    return SortField(
        (found.id,),
        transform,
        "desc" if key.descending else "asc",
        "nulls-first" if nulls_first else "nulls-last",
    )
