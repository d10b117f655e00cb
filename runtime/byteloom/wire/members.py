"""The members of generated classes: of records by what each is for, of enums by their numbers.

- Fields of a record that are compared are stored or compared parameters, and arguments of `read`
  are parameters, but for those that begin with an underscore.  All is found in the class.
- Python 3.11 asks a descriptor for `Kinds.TEXT`, and calls two functions for `Kinds(2)`: both take
  longer than reading a number from bytes does, so that members of enums are kept ready.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import IntEnum
from functools import lru_cache
from inspect import signature
from typing import Any, Final, TypeVar

__all__ = [
    "compared_parameters",
    "is_record",
    "labels",
    "named",
    "numbered",
    "parameter_names",
    "parameters",
    "passed_records",
    "places",
    "stored",
    "stored_of",
]


def is_record(value: Any) -> bool:
    """Whether *value* is a generated record, and not an instance of a handwritten opaque type."""
    return _is_kind_of_record(value if isinstance(value, type) else type(value))


@lru_cache(maxsize=1024)
def _is_kind_of_record(kind: type) -> bool:
    return hasattr(kind, "LAZY") and is_dataclass(kind)


@lru_cache(maxsize=1024)
def parameter_names(kind: Any) -> tuple[str, ...]:
    """Return the arguments of `read`, and attributes of *kind*, that hold parameters."""
    _, *names = signature(kind.read).parameters  # the reader, and attributes of our own
    return tuple(each for each in names if not each.startswith("_"))


def parameters(record: Any) -> dict[str, Any]:
    """Return the arguments that `read` takes for the parameters of *record*, with its values."""
    kind: Any = type(record)
    return {name: getattr(record, name) for name in parameter_names(kind)}


@lru_cache(maxsize=1024)
def compared_parameters(kind: Any) -> tuple[str, ...]:
    """Return the parameters of *kind* that count when two records are compared."""
    given = parameter_names(kind)
    return tuple(each.name for each in fields(kind) if each.compare and each.name in given)


@lru_cache(maxsize=1024)
def passed_records(kind: Any) -> tuple[str, ...]:
    """Return the parameters of *kind* that are, or may hold, parts of the records around it."""
    given = parameter_names(kind)
    return tuple(each.name for each in fields(kind) if not each.compare and each.name in given)


def stored(record: Any) -> tuple[str, ...]:
    """Return the attributes of *record* that are stored in its bytes."""
    kind: Any = type(record)
    return stored_of(kind)


@lru_cache(maxsize=1024)
def stored_of(kind: Any) -> tuple[str, ...]:
    """Return the attributes that hold values of its bytes in a record of *kind*."""
    given = parameter_names(kind)
    return tuple(each.name for each in fields(kind) if each.compare and each.name not in given)


@lru_cache(maxsize=1024)
def places(kind: Any) -> tuple[str, ...]:
    """Return the attributes of records of *kind* that are positions and may be set."""
    parts = kind.LAZY.values()
    hidden = [each.name for each in fields(kind) if not each.compare and each.name not in parts]
    return tuple(each for each in hidden if getattr(getattr(kind, each[1:], None), "fset", None))


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
