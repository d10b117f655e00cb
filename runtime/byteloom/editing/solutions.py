"""Find numbers for which a formula has a wanted result.

A formula is only evaluated, with other numbers in place of the stored ones; what it
looks like is not known.  A number is found if the formula is linear in it, and bits of
the number that the formula ignores are kept.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from byteloom.editing.formulas import Changes
from byteloom.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from byteloom.editing.formulas import Member

__all__ = ["solutions"]

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
