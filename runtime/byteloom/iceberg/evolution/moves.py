"""Moves of fields inside their struct.

Source: Iceberg table spec, "Schema Evolution": fields may be reordered within a struct.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom.iceberg.types import NestedField

__all__ = ["Move", "moved"]


@dataclass(frozen=True, slots=True)
class Move:
    """One move of a field.

    Attributes:
        where: ``first``, ``before`` or ``after``; the last two refer to the field with the id
            *mark*.
    """

    field_id: int
    where: str
    mark: int | None = None


def moved(fields: list[NestedField], moves: Iterable[Move]) -> list[NestedField]:
    """Return the fields in the order after all moves, one after the other."""
    for move in moves:
        taken = next(each for each in fields if each.id == move.field_id)
        fields = [each for each in fields if each.id != move.field_id]
        at = 0
        if move.mark is not None:
            beside = next(at for at, each in enumerate(fields) if each.id == move.mark)
            at = beside + (move.where == "after")
        fields.insert(at, taken)
    return fields
