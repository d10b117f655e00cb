"""New ids for the fields inside a type, in the order in which Java gives them.

Source: Java's ``AssignFreshIds``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from byteloom.iceberg.types import ListType, MapType, StructType

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.iceberg.types import Type

__all__ = ["with_fresh_ids"]


def with_fresh_ids(of: Type, next_id: Callable[[], int]) -> Type:
    """Return *of* with a new id for every inner field: all of one level, then those below."""
    if isinstance(of, StructType):
        ids = [next_id() for _ in of.fields]
        return StructType(
            tuple(
                replace(each, id=new, type=with_fresh_ids(each.type, next_id))
                for new, each in zip(ids, of.fields, strict=True)
            )
        )
    if isinstance(of, ListType):
        element_id = next_id()
        return ListType(element_id, with_fresh_ids(of.element, next_id), of.element_required)
    if isinstance(of, MapType):
        key_id, value_id = next_id(), next_id()
        key = with_fresh_ids(of.key, next_id)
        return MapType(key_id, key, value_id, with_fresh_ids(of.value, next_id), of.value_required)
    return of
