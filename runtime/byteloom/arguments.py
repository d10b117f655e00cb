"""Arguments that are numbers, checked where they are given."""

from __future__ import annotations

from operator import index
from typing import Any

from byteloom.errors import ArgumentError

__all__ = ["whole_number"]


def whole_number(name: str, value: Any, wanted: str, *, least: int | None = None) -> int:
    """Return *value*, an integer of Python's or NumPy's.

    name         what the error calls it
    wanted       what the error asks for
    least        the smallest number that is taken; None for any
    ArgumentError  anything but an integer (True and False included), or a smaller one
    """
    try:
        found = None if isinstance(value, bool) else index(value)
    except TypeError:
        found = None
    if found is None or (least is not None and found < least):
        raise ArgumentError(name, None, repr(value), wanted)
    return found
