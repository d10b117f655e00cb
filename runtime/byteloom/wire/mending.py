"""Update stored numbers after an edit, through the formulas that say how large something is.

Where a value's size differs from what its formula gives, one of the stored numbers that the formula
is calculated from gets the value that makes both agree.  Several numbers may have to change: each
new size of a box changes that of the box around it.

- A number that was edited stays as it is.
- A number is changed at most once: two values that share it agree, or are refused.
- The result has to be read back as the same record, and only one solution may lead there.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError, found_by
from byteloom.wire.edits import twins
from byteloom.wire.passes import size_of
from byteloom.wire.solving import solutions
from byteloom.wire.unequal import Unequal
from byteloom.wire.watching import Number, numbers_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from byteloom.wire.record import Record

__all__ = ["mended"]

_MOST: Final = 40
"""How often a record may be written in the search for its numbers."""


def mended(record: Record, as_read: Record, error: Unequal, written: Callable[[], bytes]) -> bytes:
    """Return *record* as bytes, numbers that nobody edited changed so that all agree.

    as_read  what it was before it was edited
    error    what is wrong with it as it is, raised where there is no way to mend it, or more ways
    written  gives the bytes, or raises: `Unequal` where another number may have to change
    """
    ways = list(islice(_Search(record, as_read, written).ways(error), 2))
    if len(ways) != 1:
        raise error
    ((values, data),) = ways
    for number, value in values.items():
        number.put(value)
    followed = [(number.owner, number.key, value) for number, value in values.items()]
    record._followed = [*getattr(record, "_followed", ()), *followed]  # noqa: SLF001  (its own)
    return data


class _Search:
    """What has been tried."""

    def __init__(self, record: Record, as_read: Record, written: Callable[[], bytes]) -> None:
        self._twins = twins(record, as_read)
        followed: list[tuple[Any, str | int, int]] = getattr(record, "_followed", [])
        self._followed = {(id(owner), key): value for owner, key, value in followed}
        self._written = written
        self._fixed: dict[tuple[int, str | int], tuple[Number, int]] = {}
        self._left = _MOST

    def ways(self, error: Unequal) -> Iterator[tuple[dict[Number, int], bytes]]:
        """Yield the numbers that have to change after *error*, with what is written then."""
        for values in self._candidates(error):
            self._left -= 1
            if self._left < 0:
                return
            before = {number: number.value for number in values}
            for number, value in values.items():
                number.put(value)
                self._fixed[number.id] = number, value
            try:
                data = self._written()
                yield dict(self._fixed.values()), data
            except Unequal as other:
                yield from self.ways(other)
            except FormatError:
                pass
            finally:
                for number, value in before.items():
                    number.put(value)
                    del self._fixed[number.id]

    def _candidates(self, error: Unequal) -> Iterator[dict[Number, int]]:
        record, formula = error.record, _formula(error)
        if not formula:
            return
        try:
            wanted = _wanted(error)
            _calculated(record, formula)
        except FormatError:
            return
        numbers = [each for each in numbers_of(record, formula) if self._is_free(each)]
        yield from solutions(lambda: _calculated(record, formula), numbers, wanted)

    def _is_free(self, number: Number) -> bool:
        """Whether *number* has been neither edited nor found."""
        if number.id in self._fixed:
            return False
        if self._followed.get(number.id) == number.value:
            return True
        twin = self._twins.get(id(number.owner))
        try:
            return twin is None or number.of(twin) == number.value
        except (AttributeError, IndexError):
            return True


def _formula(error: Unequal) -> str:
    """Return the property that says how large the field is which *error* is about, or ""."""
    kind: Any = type(error.record)
    name = f"_{'size' if error.count is None else 'number'}_of_{error.field}"
    return name if isinstance(getattr(kind, name, None), property) else ""


def _calculated(record: Any, formula: str) -> int:
    """Return what *formula* gives; a FormatError where values are of types that it cannot have."""
    try:
        value = getattr(record, formula)
    except (TypeError, AttributeError, ValueError, IndexError) as error:
        raise FormatError(formula, None, found_by("no value", error), "a number") from error
    if not isinstance(value, int):
        raise FormatError(formula, None, repr(value), "a number")
    return value


def _wanted(error: Unequal) -> int:
    """Return how large the value is that *error* is about."""
    found = error.size if error.count is None else error.count
    return size_of(error.field, error.value) if found is None else found
