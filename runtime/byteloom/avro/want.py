"""What is wanted of the fields of an Avro schema."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["Want"]


class Want(Enum):
    """What is wanted of a field.

    PASS   nothing
    LOOK   those of its fields, if it is a record, that are chosen
    KEEP   all
    PLACE  all; of floats, where their bytes are
    ROWS   of an array of records, those of their fields that are chosen
    ITEMS  an array of plain items, decoded at once
    SLOTS  of an array of pairs, what belongs to some keys
    """

    PASS = auto()
    LOOK = auto()
    KEEP = auto()
    PLACE = auto()
    ROWS = auto()
    ITEMS = auto()
    SLOTS = auto()
