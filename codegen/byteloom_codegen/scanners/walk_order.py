"""The order of a walk's records (``-loom-order``), checked by statements after each record."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from byteloom_codegen.python.templates import WALK
from byteloom_codegen.scanners.refusals import NotScannableError

if TYPE_CHECKING:
    from byteloom_codegen.model import Location
    from byteloom_codegen.python.statements import Statement

__all__ = ["Ascent"]

_NAME: Final = re.compile(r"\w+")


@dataclass(slots=True)
class Ascent:
    """The values by which the order of records is checked.

    parts  by rank: the sources of a value, which are one for a number and two for bytes, their
           place and size; and whether it descends.  A source that is not a variable is
           calculated from the variables of the others
    """

    parts: dict[int, tuple[tuple[str, ...], bool]] = field(default_factory=dict)
    _locations: list[Location] = field(default_factory=list)

    def add(self, rank: int, sources: tuple[str, ...], location: Location) -> None:
        """Compare by this value, too; its rank is below 0 if it descends."""
        if abs(rank) in self.parts:
            raise NotScannableError(location, f"two fields are number {abs(rank)} of the order")
        self.parts[abs(rank)] = sources, rank < 0
        self._locations.append(location)

    @property
    def variables(self) -> list[str]:
        """All variables, in the order of their ranks."""
        return [
            each
            for rank in sorted(self.parts)
            for each in self.parts[rank][0]
            if each.isidentifier()
        ]

    @property
    def last(self) -> list[str]:
        """The variables for the values of the record before."""
        return [f"last_{each}" for each in self.variables]

    @property
    def are_places(self) -> list[bool]:
        """For each variable, whether it is the place of bytes."""
        ranks = [self.parts[rank][0] for rank in sorted(self.parts)]
        return [
            len(sources) > 1 and number == 0
            for sources in ranks
            for number, each in enumerate(sources)
            if each.isidentifier()
        ]

    def statements(self) -> list[Statement]:
        """Return the statements that compare a record with the one before, and then remember it."""
        if not self.parts:
            return []
        return WALK.lines("ascending", comparisons=self._comparisons(), remembered=self.variables)

    def counted(self) -> list[Statement]:
        """Return the same, which also count the ranks in which both records are equal."""
        return WALK.lines(
            "ascending_and_counted", comparisons=self._comparisons(), remembered=self.variables
        )

    def _comparisons(self) -> list[str]:
        return [self._compared(*self.parts[rank]) for rank in sorted(self.parts)]

    def _compared(self, sources: tuple[str, ...], descends: bool) -> str:  # noqa: FBT001  (of a pair)
        one, two = [self._of_last(each) for each in sources], list(sources)
        if descends:
            one, two = two, one
        if len(sources) == 2:  # noqa: PLR2004  (the place and the size of bytes)
            return WALK.value("bytes_compared", one=one, two=two)
        plain = sources[0].isidentifier()
        macro = "numbers_compared" if plain else "results_compared"
        return WALK.value(macro, one=one[0], two=two[0])

    def _of_last(self, source: str) -> str:
        """Return the source of the same value of the record before."""
        known = set(self.variables)
        names = {name for name in _NAME.findall(source) if not name.isdigit()}
        if not names <= known:
            reason = (
                f"the order is calculated from {', '.join(sorted(names - known))}, not its part"
            )
            raise NotScannableError(self._locations[0], reason)
        return _NAME.sub(
            lambda found: f"last_{found[0]}" if found[0] in known else found[0], source
        )
