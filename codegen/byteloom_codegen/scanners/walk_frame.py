"""The statements of a walk: runs of fixed bytes, and how many bytes are known to exist.

A comparison with the end of the bytes includes the least size of the fields after it, so that most
of these need no comparison of their own.  The order of records (``-loom-order``) is checked by
statements after each record.
"""

from __future__ import annotations

import builtins
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from byteloom_codegen.python.templates import LOOP, WALK
from byteloom_codegen.scanners.loop_frame import Frame
from byteloom_codegen.scanners.refusals import NotScannableError
from byteloom_codegen.scanners.walk_numbers import LOADS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.model import Location
    from byteloom_codegen.python.statements import Statement

__all__ = ["FUNCTIONS", "Ascent", "WalkFrame"]


_RESERVED: Final = {
    *LOADS, "hadoop_at", "put_hadoop", "base", "begin", "compare", "counts", "disorder", "first",
    "order", "part", "put_view", "ranges", "room", "state", "total",
}  # fmt: skip

FUNCTIONS: Final = {
    "native.integers": {"hadoop_at", "put_hadoop", "uleb128_at", "zigzag_at"},
    "native.loads": {*LOADS},
    "columns.byte_runs": {"compare", "is_ascii", "is_utf8", "put_view"},
}
"""The functions that walks call, by their module in `byteloom`."""

_OF_COLUMNS: Final = ("ends_", "from_", "items_", "of_", "offsets_", "out_", "room_", "to_")
"""What the variables of columns begin with; no other variable does."""


@dataclass(slots=True)
class WalkFrame(Frame):
    """Statements of a walk.

    full   how a walk ends where a record has no room, after it has kept what it remembers
    known  bytes that are proved to be there after the run
    ahead  bytes that what follows the run takes at least
    """

    refuse: str = "return 1, part, row, place"
    full: str = "return 2, part, row, place"
    known: int = 0
    ahead: int = 0

    def __post_init__(self) -> None:
        """Reserve the names that every walk has."""
        self._names |= _RESERVED.union(*FUNCTIONS.values())

    def reserve(self, names: set[str]) -> None:
        """Do not use these names for variables."""
        self._names |= names

    def fresh(self) -> WalkFrame:
        """Return a frame without statements, whose variables have names of their own."""
        other = WalkFrame(refuse=self.refuse)
        other._names = self._names
        return other

    def name(self, wanted: str) -> str:
        """Return a variable's name that nothing else has, nor is it a function of Python's."""
        if wanted.startswith(_OF_COLUMNS):
            return Frame.name(self, f"its_{wanted}")
        return Frame.name(self, f"{wanted}_" if wanted in dir(builtins) else wanted)

    def flush(self) -> None:
        """End the run: its bytes are checked before it, and passed after it."""
        self.align()
        size, run = self._bits // 8, self._run
        self._bits, self._run = 0, []
        if size:
            self.need(size)
            run = [*run, *LOOP.lines("passed", size=size)]
            self.known -= size
        self.statements += run

    def need(self, size: int) -> None:
        """Refuse the record unless there are *size* bytes, and room for what follows them."""
        if self.known < size:
            self.known = size + self.ahead
            self.statements += LOOP.lines(
                "needed", end=self.end, size=self.known, refuse=self.refuse
            )

    @contextmanager
    def apart(self) -> Iterator[list[Statement]]:
        """Collect the block's statements in a separate list; restore what was known before it."""
        self.flush()
        known, ahead, outer = self.known, self.ahead, self.statements
        self.statements = []
        body = self.statements
        yield body
        self.flush()
        self.statements, self.known, self.ahead = outer, known, ahead

    @contextmanager
    def inside(self, end: str, least: int) -> Iterator[None]:
        """Read what is read inside from a window up to *end*, of at least *least* bytes."""
        self.flush()
        outer, self.known, self.ahead = (self.known, self.ahead), least, 0
        self._ends.append(end)
        yield
        self.flush()
        self._ends.pop()
        self.known, self.ahead = outer


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
