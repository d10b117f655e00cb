"""What calculated positions and sizes of parts have to be, so that stored numbers can follow."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from byteloom.editing.numbers import position_formula
from byteloom.editing.sizes import calculated
from byteloom.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Demand", "positions_of"]


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


def positions_of(record: Any) -> Iterator[tuple[str, str]]:
    """Yield the parts of *record* whose position is calculated, and the properties that do so."""
    names = ((name, position_formula(type(record), name)) for name in type(record).LAZY)
    return (each for each in names if each[1])
