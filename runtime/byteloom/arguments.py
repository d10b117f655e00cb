"""Check arguments that must be whole numbers or distinct names, as soon as they are given."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any

from byteloom.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["check_distinct", "whole_number"]


def check_distinct(name: str, values: Iterable[str], what: str) -> None:
    """Refuse two equal names.

    name           the error's path: what the names are called together
    what           what each is the name of, in the plural: ``columns``
    ArgumentError  the first name that another one is equal to
    """
    seen: set[str] = set()
    for each in values:
        if each in seen:
            raise ArgumentError(name, None, f"two {what} named {each!r}", "distinct names")
        seen.add(each)


def whole_number(name: str, value: Any, wanted: str, *, least: int | None = None) -> int:
    """Return *value*, an integer of Python's or NumPy's.

    name         the error's path
    wanted       how the error describes what is wanted
    least        the smallest number that is accepted; None for any
    ArgumentError  anything but an integer (True and False included), or a smaller one
    """
    try:
        found = None if isinstance(value, bool) else index(value)
    except TypeError:
        found = None
    if found is None or (least is not None and found < least):
        raise ArgumentError(name, None, repr(value), wanted)
    return found
