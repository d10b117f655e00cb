"""Fast access to members of enums.

Python 3.11 asks a descriptor for `Kinds.TEXT`, and calls two functions for `Kinds(2)`: both take
longer than reading a number from bytes does.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, TypeVar

__all__ = ["labels", "named", "numbered"]

_E = TypeVar("_E", bound=IntEnum)

_BY_NUMBER: Final[dict[type[IntEnum], dict[int, IntEnum]]] = {}
"""The members by number, of each enum that `named` was called for."""


def labels(enum: type[_E]) -> type[_E]:
    """Store the members of *enum* as plain class attributes, as Python 3.12 does."""
    for name, member in enum.__members__.items():
        type.__setattr__(enum, name, member)
    return enum


def named(enum: type[_E], value: int) -> _E | int:
    """Return the member of *enum* with this value, or the value itself if there is none."""
    members = _BY_NUMBER.get(enum)
    if members is None:
        members = numbered(enum)
    found: _E | int = members.get(value, value)
    return found


def numbered(enum: type[IntEnum]) -> dict[int, IntEnum]:
    """Return the members of *enum* by their values."""
    members = _BY_NUMBER.get(enum)
    if members is None:
        members = _BY_NUMBER[enum] = {each.value: each for each in enum.__members__.values()}
    return members
