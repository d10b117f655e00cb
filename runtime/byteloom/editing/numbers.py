"""Find the stored numbers that a formula of a record is calculated from.

A formula is a property of a generated record.  It is evaluated once with stand-ins for the record
and for everything it uses: they return the same values, and record each number that was
used.  Calculated values are traced to the stored numbers behind them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from byteloom.errors import FormatError
from byteloom.wire.members import is_record, parameter_names

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Number", "asks_stream", "numbers_of", "position_formula"]


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """A number stored in a record or a list.

    owner  the record, or the list
    key    the name of the attribute, or the index
    """

    owner: Any
    key: str | int

    @property
    def id(self) -> tuple[int, str | int]:
        """A key that identifies this number."""
        return id(self.owner), self.key

    @property
    def value(self) -> int:
        """The present value."""
        value: int = self.of(self.owner)
        return value

    def put(self, value: int) -> None:
        """Set the number to *value*."""
        if isinstance(self.key, str):
            setattr(self.owner, self.key, value)
        else:
            self.owner[self.key] = value

    def of(self, twin: Any) -> Any:
        """Return the value at the same place in *twin*, a record or list like the owner."""
        return getattr(twin, self.key) if isinstance(self.key, str) else twin[self.key]


def numbers_of(record: Any, formula: str) -> list[Number]:
    """Return the stored numbers that the property *formula* of *record* is calculated from."""
    seen: dict[tuple[int, str | int], Number] = {}
    try:
        getattr(_Record(record, seen), formula)
    except (FormatError, AttributeError, TypeError, ValueError):
        return []  # a stand-in did not suffice
    return [each for each in seen.values() if each.key != "_io"]


def position_formula(kind: Any, name: str) -> str:
    """Return the property that calculates where the part *name* of a *kind* of record is, or ""."""
    formula = f"_position_of_{name}"
    return formula if isinstance(getattr(kind, formula, None), property) else ""


def asks_stream(record: Any, formula: str) -> bool:
    """Whether the property *formula* of *record* depends on a stream, as far as that is known."""
    seen: dict[tuple[int, str | int], Number] = {}
    try:
        getattr(_Record(record, seen), formula)
    except (FormatError, AttributeError, TypeError, ValueError):
        return True
    return any(key == "_io" for _, key in seen)


def _watched(value: Any, seen: dict[tuple[int, str | int], Number], number: Number) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        seen.setdefault(number.id, number)
        return value
    if isinstance(value, list):
        return _List(value, seen)
    return _Record(value, seen) if is_record(value) else value


class _Record:
    """A stand-in for a record."""

    __slots__ = ("_watched_by", "_watched_of")

    def __init__(self, record: Any, seen: dict[tuple[int, str | int], Number]) -> None:
        self._watched_of, self._watched_by = record, seen

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """The class of the record, for `isinstance`."""
        return type(self._watched_of)

    def __getattr__(self, name: str) -> Any:
        record, seen = self._watched_of, self._watched_by
        found = getattr(type(record), name, None)
        if isinstance(found, property) and found.fget is not None and name not in record.LAZY:
            try:
                return found.fget(self)
            except (AttributeError, TypeError):
                return getattr(record, name)
        value = getattr(record, name)
        if name == "_io":
            seen[id(record), name] = Number(record, name)
        kind: Any = type(record)
        if name in parameter_names(kind) or isinstance(found, int):
            return value  # its parent or the spec decides its value
        return _watched(value, seen, Number(record, name))


class _List:
    """A stand-in for a list."""

    __slots__ = ("_watched_by", "_watched_of")

    def __init__(self, values: list[Any], seen: dict[tuple[int, str | int], Number]) -> None:
        self._watched_of, self._watched_by = values, seen

    def __len__(self) -> int:
        return len(self._watched_of)

    def __getitem__(self, index: int) -> Any:
        return _watched(self._watched_of[index], self._watched_by, Number(self._watched_of, index))

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self)))
