"""The statements of a walk: runs of fixed bytes, and how many bytes are known to exist.

A comparison with the end of the bytes includes the least size of the fields after it, so that most
of these need no comparison of their own.
"""

from __future__ import annotations

import builtins
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from byteloom_codegen.python.templates import LOOP
from byteloom_codegen.scanners.loop_frame import Frame
from byteloom_codegen.scanners.walk_numbers import LOADS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.python.statements import Statement

__all__ = ["FUNCTIONS", "WalkFrame"]

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
