"""Formulas of a record for sizes and positions, and the stored numbers that each uses.

A formula is a property of a generated record.  It is evaluated once with stand-ins for the record
and for everything it uses: they return the same values, and record each number that was
used.  Calculated values are traced to the stored numbers behind them.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from byteloom.errors import FormatError, found_by
from byteloom.wire.members import is_record, parameter_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = [
    "Changes",
    "Demand",
    "Member",
    "asks_stream",
    "calculated",
    "numbers_of",
    "position_formula",
    "positions_of",
]


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """A value stored in a record or a list, mostly a number.

    owner  the record, or the list
    key    the name of the attribute, or the index
    """

    owner: Any
    key: str | int

    @property
    def id(self) -> tuple[int, str | int]:
        """A key that identifies this member."""
        return id(self.owner), self.key

    @property
    def value(self) -> Any:
        """The present value."""
        return self.of(self.owner)

    def put(self, value: Any) -> None:
        """Set the value."""
        if isinstance(self.key, str):
            setattr(self.owner, self.key, value)
        else:
            self.owner[self.key] = value

    def of(self, twin: Any) -> Any:
        """Return the value at the same place in *twin*, a record or list like the owner."""
        return getattr(twin, self.key) if isinstance(self.key, str) else twin[self.key]


class Changes:
    """Numbers that got other values, and what each was before."""

    def __init__(self, values: Mapping[Member, int] | None = None) -> None:
        """Set numbers to their *values*, if there are any yet."""
        self._before: dict[tuple[int, str | int], tuple[Member, int]] = {}
        self.put(values or {})

    def __bool__(self) -> bool:
        """Whether any number changed."""
        return bool(self._before)

    @property
    def numbers(self) -> list[Member]:
        """The numbers that changed."""
        return [number for number, _ in self._before.values()]

    def put(self, values: Mapping[Member, int]) -> None:
        """Set numbers to their *values*."""
        for number, value in values.items():
            self._before.setdefault(number.id, (number, number.value))
            number.put(value)

    def add(self, later: Changes) -> None:
        """Add changes that were made *later*."""
        self._before = later._before | self._before

    def undo(self) -> None:
        """Give all numbers back what they had."""
        for number, value in self._before.values():
            number.put(value)
        self._before.clear()

    @contextmanager
    def undone(self) -> Iterator[None]:
        """Let all numbers be what they were during the block."""
        after = [(number, number.value) for number in self.numbers]
        for number, value in self._before.values():
            number.put(value)
        try:
            yield
        finally:
            for number, value in after:
                number.put(value)


class Demand(NamedTuple):
    """The property *formula* of *record*, about its part *name*, must have the result *wanted*.

    stays  nothing says that it moved, so it has that result now
    """

    record: Any
    name: str
    formula: str
    wanted: int
    stays: bool = False

    def result(self) -> int:
        """Return what it has now."""
        return calculated(self.record, self.formula)

    def holds(self) -> bool:
        """Whether it has the wanted result."""
        with suppress(FormatError):
            return self.result() == self.wanted
        return False


def calculated(record: Any, formula: str) -> int:
    """Return the result of *formula*; a FormatError if values have types that it cannot use."""
    try:
        value = getattr(record, formula)
    except (TypeError, AttributeError, ValueError, IndexError) as error:
        raise FormatError(formula, None, found_by("no value", error), "a number") from error
    if not isinstance(value, int):
        raise FormatError(formula, None, repr(value), "a number")
    return value


def position_formula(kind: Any, name: str) -> str:
    """Return the property that calculates where the part *name* of a *kind* of record is, or ""."""
    formula = f"_position_of_{name}"
    return formula if isinstance(getattr(kind, formula, None), property) else ""


def positions_of(record: Any) -> Iterator[tuple[str, str]]:
    """Yield the parts of *record* whose position is calculated, and the properties that do so."""
    names = ((name, position_formula(type(record), name)) for name in type(record).LAZY)
    return (each for each in names if each[1])


def numbers_of(record: Any, formula: str) -> list[Member]:
    """Return the stored numbers that the property *formula* of *record* is calculated from."""
    used = _used_by(record, formula) or {}
    return [each for each in used.values() if each.key != "_io"]


def asks_stream(record: Any, formula: str) -> bool:
    """Whether the property *formula* of *record* depends on a stream, as far as that is known."""
    used = _used_by(record, formula)
    return used is None or any(key == "_io" for _, key in used)


def _used_by(record: Any, formula: str) -> dict[tuple[int, str | int], Member] | None:
    """Return what *formula* uses, the stream included; None if a stand-in does not suffice."""
    used: dict[tuple[int, str | int], Member] = {}
    try:
        getattr(_Record(record, used), formula)
    except (FormatError, AttributeError, TypeError, ValueError):
        return None
    return used


def _watched(value: Any, seen: dict[tuple[int, str | int], Member], number: Member) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        seen.setdefault(number.id, number)
        return value
    if isinstance(value, list):
        return _List(value, seen)
    return _Record(value, seen) if is_record(value) else value


class _Record:
    """A stand-in for a record."""

    __slots__ = ("_watched_by", "_watched_of")

    def __init__(self, record: Any, seen: dict[tuple[int, str | int], Member]) -> None:
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
            seen[id(record), name] = Member(record, name)
        kind: Any = type(record)
        if name in parameter_names(kind) or isinstance(found, int):
            return value  # its parent or the spec decides its value
        return _watched(value, seen, Member(record, name))


class _List:
    """A stand-in for a list."""

    __slots__ = ("_watched_by", "_watched_of")

    def __init__(self, values: list[Any], seen: dict[tuple[int, str | int], Member]) -> None:
        self._watched_of, self._watched_by = values, seen

    def __len__(self) -> int:
        return len(self._watched_of)

    def __getitem__(self, index: int) -> Any:
        return _watched(self._watched_of[index], self._watched_by, Member(self._watched_of, index))

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self)))
