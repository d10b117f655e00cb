"""Choices of what to decode of the fields of an Avro schema."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["Want"]


class Want(Enum):
    """The choice of what to decode of one field.

    PASS   nothing
    LOOK   if it is a record, those of its fields that are chosen
    KEEP   all
    PLACE  everything; for floats, the place of their bytes
    ROWS   for an array of records, the fields that are chosen
    ITEMS  an array of plain items, decoded in one step
    SLOTS  for an array of pairs, the values of some keys
    """

    PASS = auto()
    LOOK = auto()
    KEEP = auto()
    PLACE = auto()
    ROWS = auto()
    ITEMS = auto()
    SLOTS = auto()
