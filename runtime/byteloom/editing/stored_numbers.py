"""Update stored numbers after an edit: those of sizes, counts and ends of lists.

If a value's size differs from the result of its formula, one of the stored numbers that the formula
uses is set to the value that makes both agree.  Several numbers may have to change: each
new size of a box changes that of the box around it.

- A number that was edited stays as it is.
- A number is changed at most once: two values that share it must agree, or are refused.
- A flag that ends a list follows where the list ends: it is set in the last element alone.
- The result must be read back as the same record, and there must be only one solution.
- A formula is only evaluated, with other numbers in place of the stored ones; what it looks like is
  not known.  A number is found if the formula is linear in it, and bits of the number that the
  formula ignores are kept.
"""

from __future__ import annotations

from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Final

from byteloom.editing.differences import note_followed
from byteloom.editing.edited import FreeNumbers
from byteloom.editing.formulas import Changes, Member, calculated, numbers_of
from byteloom.errors import FormatError
from byteloom.wire.contradictions import Unended, Unequal
from byteloom.wire.members import is_record, stored
from byteloom.wire.passes import size_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from byteloom.editing.edited import Edited

__all__ = [
    "mended",
    "solutions",
]

_WIDEST: Final = 64
"""Bits of a number."""


def solutions(
    formula: Callable[[], int], numbers: Sequence[Member], wanted: int
) -> Iterator[dict[Member, int]]:
    """Yield numbers for which *formula* returns *wanted*: single ones, or digits of one number."""
    for number in numbers:
        value = _Single(formula, number).solved(wanted)
        if value is not None:
            yield {number: value}
    digits = _digits(formula, numbers, wanted)
    if digits:
        yield digits


class _Single:
    """A formula as a function of one number; the others stay as they are."""

    def __init__(self, formula: Callable[[], int], number: Member) -> None:
        self._formula, self._number = formula, number
        self._known: dict[int, int | None] = {}

    def at(self, value: int) -> int | None:
        """Return the result for *value*; None if there is none."""
        if value not in self._known:
            self._known[value] = _result(self._formula, {self._number: value})
        return self._known[value]

    def step(self) -> int:
        """Return the value of the lowest bit that changes the result."""
        now = self._number.value
        start, bits = self.at(now), 0
        while bits < _WIDEST:
            low = (2 << bits) - 1
            if not self.at(now & ~low) == start == self.at(now | low):
                break
            bits += 1
        return 1 << bits

    def slope(self) -> int:
        """Return the increase of the result for one step; 0 if it is not known."""
        now = self._number.value
        start, after = self.at(now), self.at(now + 1)
        return 0 if start is None or after is None else after - start

    def solved(self, wanted: int) -> int | None:
        """Return the number with the result *wanted*, if its neighbours have other results."""
        now: int = self._number.value
        step = self.step()
        start = self.at(now)
        if start is None:
            return None
        for other in (now + step, now - step):
            there = self.at(other)
            slope = 0 if there is None else (there - start) * (1 if other > now else -1)
            if slope == 0 or (wanted - start) % slope:
                continue
            value = now + step * ((wanted - start) // slope)
            near = self.at(value - step), self.at(value + step)
            if value >= min(now, 0) and self.at(value) == wanted and wanted not in near:
                return value
        return None


def _digits(
    formula: Callable[[], int], numbers: Sequence[Member], wanted: int
) -> dict[Member, int] | None:
    """Return *numbers* as the digits of one number for which *formula* returns *wanted*."""
    slopes = {number: _Single(formula, number).slope() for number in numbers}
    digits = sorted((each for each in numbers if slopes[each] > 0), key=lambda each: -slopes[each])
    if len(digits) < 2:  # noqa: PLR2004  (one alone has been tried)
        return None
    for higher, lower in pairwise(digits):
        base, rest = divmod(slopes[higher], slopes[lower])
        if rest or not 0 <= lower.value < base:
            return None
    rest = wanted - formula() + sum(slopes[each] * each.value for each in digits)
    values: dict[Member, int] = {}
    for each in digits:
        values[each], rest = divmod(rest, slopes[each])
    changed = [each for each in digits if values[each] != each.value]
    if rest or len(changed) == 1 or min(values.values()) < 0:
        return None
    return values if _result(formula, values) == wanted else None


def _result(formula: Callable[[], int], values: Mapping[Member, int]) -> int | None:
    """Return the result of *formula* with other *values* of numbers; None if it has none."""
    changes = Changes(values)
    try:
        return formula()
    except FormatError:
        return None
    finally:
        changes.undo()


_MOST: Final = 40
"""How often a record may be written during the search."""


def mended(edited: Edited, error: Unequal, written: Callable[[], bytes]) -> bytes:
    """Return the bytes of a record, with unedited numbers changed so that everything agrees.

    error    what is wrong with it now; raised if there is no solution, or more than one
    written  returns the bytes, or raises `Unequal` if another number may have to change
    """
    ways = list(islice(_Search(edited, written).ways(error), 2))
    if len(ways) != 1:
        raise error
    ((values, data),) = ways
    for number, value in values.items():
        number.put(value)
    note_followed(edited.record, values)
    return data


class _Search:
    """The state of a search: what has been tried."""

    def __init__(self, edited: Edited, written: Callable[[], bytes]) -> None:
        self._free = FreeNumbers(edited)
        self._written = written
        self._fixed: dict[tuple[int, str | int], tuple[Member, int]] = {}
        self._left = _MOST

    def ways(self, error: Unequal) -> Iterator[tuple[dict[Member, int], bytes]]:
        """Yield sets of numbers to change after *error*, each with the bytes that result."""
        for values in self._candidates(error):
            self._left -= 1
            if self._left < 0:
                return
            changes = Changes(values)
            self._fixed |= {number.id: (number, value) for number, value in values.items()}
            try:
                data = self._written()
                yield dict(self._fixed.values()), data
            except Unequal as other:
                yield from self.ways(other)
            except FormatError:
                pass
            finally:
                changes.undo()
                for number in values:
                    del self._fixed[number.id]

    def _candidates(self, error: Unequal) -> Iterator[dict[Member, int]]:
        if isinstance(error, Unended):
            yield from self._ends(error.element)
            return
        record, formula = error.record, _formula(error)
        if not formula:
            return
        try:
            wanted = _wanted(error)
            calculated(record, formula)
        except FormatError:
            return
        numbers = [each for each in numbers_of(record, formula) if self._is_free(each)]
        yield from solutions(lambda: calculated(record, formula), numbers, wanted)

    def _ends(self, element: Any) -> Iterator[dict[Member, int]]:
        """Yield flags of *element* that may say whether a list goes on after it."""
        for name in stored(element) if is_record(element) else ():
            number = Member(element, name)
            if isinstance(number.value, bool) and self._is_free(number):
                yield {number: not number.value}

    def _is_free(self, number: Member) -> bool:
        return number.id not in self._fixed and number in self._free


def _formula(error: Unequal) -> str:
    """Return the name of the property with the size formula of the field in *error*, or ""."""
    kind: Any = type(error.record)
    name = f"_{'size' if error.count is None else 'number'}_of_{error.field}"
    return name if isinstance(getattr(kind, name, None), property) else ""


def _wanted(error: Unequal) -> int:
    """Return the size of the value in *error*."""
    found = error.size if error.count is None else error.count
    return size_of(error.field, error.value) if found is None else found
