"""The numbers of each row that calculated columns are made of."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from byteloom_codegen.scanners.column_views import ColumnView

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_codegen.scanners.calculation import Calculator
    from byteloom_codegen.scanners.variables import Environment

__all__ = ["Numbers"]


@dataclass(slots=True)
class Numbers:
    """The numbers that a column is calculated from, each a column that is not shown.

    home    the record whose instance is calculated
    plain   makes what prints tests of one row
    known   the columns of numbers, by their variables, where records are of one size
    taken   the columns, by the variable and the test whether a row has it; "" where all have it
    checks  the tests of rows that only the record may calculate
    steps   how many parts of the expression were printed
    """

    home: Environment
    plain: Callable[[Environment, frozenset[str], tuple[str, ...]], Calculator]
    known: dict[str, ColumnView] | None = None
    taken: dict[tuple[str, str], ColumnView] = field(default_factory=dict)
    checks: list[tuple[str, ...]] = field(default_factory=list)
    steps: int = 0

    def take(self, source: str, form: str, test: str) -> str:
        """Return the name that a number has in the calculation; *form* is NumPy's, or ``flag``."""
        column = self.taken.get((source, test))
        if column is None:
            name = f"{source.rstrip('_')}_" if source.isidentifier() else "value_"
            there = {each.name for each in self.taken.values()}
            if name in there:
                name = next(new for n in range(2, 10**6) if (new := f"{name}{n}_") not in there)
            if self.known is None:
                shown = "Flag" if form == "flag" else "Number"
                column = ColumnView(shown, name, [f'"{"u1" if form == "flag" else form}"'])
            else:
                column = replace(self.known[source], name=name)
            self.taken[source, test] = column
        return column.name

    def take_none(self) -> None:
        """Take a number that is not used: a column of a loop has at least one."""
        if self.known is None:
            self.take("0", "u1", "")
