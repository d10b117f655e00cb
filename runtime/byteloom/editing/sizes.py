"""Update stored numbers after an edit: those of sizes, counts and ends of lists.

If a value's size differs from the result of its formula, one of the stored numbers that the formula
uses is set to the value that makes both agree.  Several numbers may have to change: each
new size of a box changes that of the box around it.

- A number that was edited stays as it is.
- A number is changed at most once: two values that share it must agree, or are refused.
- A flag that ends a list follows where the list ends: it is set in the last element alone.
- The result must be read back as the same record, and there must be only one solution.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from byteloom.editing.differences import note_followed
from byteloom.editing.edited import FreeNumbers
from byteloom.editing.formulas import Changes, Member, calculated, numbers_of
from byteloom.editing.solutions import solutions
from byteloom.errors import FormatError
from byteloom.wire.contradictions import Unended, Unequal
from byteloom.wire.members import is_record, stored
from byteloom.wire.passes import size_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from byteloom.editing.edited import Edited

__all__ = ["mended"]

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
