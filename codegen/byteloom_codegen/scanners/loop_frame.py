"""The statements of a loop while it is being built: runs of bytes checked at once, names, slots."""

from __future__ import annotations

import keyword
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from byteloom_codegen.python.templates import LOOP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.python.statements import Statement

__all__ = ["Frame", "Row"]

_RESERVED: Final = {
    "data", "start", "at", "end", "row", "count", "most", "place", "int", "len", "min", "range",
}  # fmt: skip


_LONGEST: Final = 48
"""The most characters of a variable's name, which is the path to a value; its end is kept."""


@dataclass(frozen=True, slots=True)
class Row:
    """The row being filled: the table's number, and the variable that counts its rows."""

    table: int
    index: str

    def stored(self, slot: str, value: str) -> list[Statement]:
        """Return the statement that stores a value of the row in a slot."""
        return LOOP.lines("stored", slot=slot, index=self.index, value=value)


@dataclass(slots=True)
class Frame:
    """Statements, and the run of fixed bytes at their end.

    counters  the counter of every list, with the slot of its ends and the row it is counted for
    refuse    how a loop ends at a record that breaks a rule
    kept      the slots of numbers, by their variables
    """

    statements: list[Statement] = field(default_factory=list)
    slots: list[str] = field(default_factory=list)
    counters: list[tuple[str, str, Row]] = field(default_factory=list)
    first_slots: dict[int, str] = field(default_factory=dict)
    refuse: str = "return 1, row, place"
    kept: dict[str, str] = field(default_factory=dict)
    _run: list[Statement] = field(default_factory=list)
    _bits: int = 0
    _names: set[str] = field(default_factory=lambda: set(_RESERVED))
    _ends: list[str] = field(default_factory=lambda: ["end"])

    # Names

    def name(self, wanted: str) -> str:
        """Return a variable's name that nothing else has."""
        wanted = wanted if len(wanted) <= _LONGEST else f"{wanted[:8]}_{wanted[8 - _LONGEST :]}"
        name, number = f"{wanted}_" if keyword.iskeyword(wanted) else wanted, 2
        while name in self._names:
            name, number = f"{wanted}_{number}", number + 1
        self._names.add(name)
        return name

    def slot(self, wanted: str, row: Row, *, more: bool = False) -> str:
        """Return the name of a new array to fill, one for each row of a table."""
        name = self.name(f"out_{wanted}")
        self.slots.append(name)
        length = f"len({name}) - 1" if more else f"len({name})"
        self.first_slots.setdefault(row.table, length)
        return name

    def slot_before(self, place: int, name: str, row: Row) -> None:
        """Make *name* an array to fill, and insert it at number *place*."""
        self.slots.insert(place, name)
        self.first_slots.setdefault(row.table, f"len({name})")

    def replace(self, slot: str, by: str) -> None:
        """Replace *slot* by *by*, which is as long."""
        if slot in self.slots:
            self.slots.remove(slot)
        for table, length in self.first_slots.items():
            if length == f"len({slot})":
                self.first_slots[table] = f"len({by})"

    def refusing(self, test: str) -> list[Statement]:
        """Return the statements that refuse a record if *test* is true for it."""
        return LOOP.lines("refused", test=test, refuse=self.refuse)

    # Runs

    @property
    def end(self) -> str:
        """The source of where the stream being read ends."""
        return self._ends[-1]

    @property
    def bits(self) -> int:
        """The number of bits in the run so far."""
        return self._bits

    def take(self, bits: int) -> int:
        """Lengthen the run; return the bit at which these begin."""
        begin = self._bits
        self._bits += bits
        return begin

    def take_bytes(self, count: int) -> int:
        """Lengthen the run by whole bytes; return the byte at which these begin."""
        self.align()
        return self.take(8 * count) // 8

    def align(self) -> None:
        """Skip the remaining bits of the current byte."""
        self._bits = (self._bits + 7) // 8 * 8

    def within(self, *statements: Statement) -> None:
        """Add statements that use the run's bytes: they are checked before, and passed after."""
        self._run += statements

    def add(self, *statements: Statement) -> None:
        """Add statements after the run."""
        self.flush()
        self.statements += statements

    def flush(self) -> None:
        """End the run: its bytes are checked before it, and passed after it."""
        self.align()
        size, run = self._bits // 8, self._run
        self._bits, self._run = 0, []
        if size:
            needed = LOOP.lines("needed", end=self.end, size=size, refuse=self.refuse)
            run = [*needed, *run, *LOOP.lines("passed", size=size)]
        self.statements += run

    # Blocks

    @contextmanager
    def apart(self) -> Iterator[list[Statement]]:
        """Collect the statements that the block adds in a separate list."""
        self.flush()
        outer, self.statements = self.statements, []
        body = self.statements
        yield body
        self.flush()
        self.statements = outer

    @contextmanager
    def window(self, end: str) -> Iterator[None]:
        """Read what is read inside from a stream that ends at *end*."""
        self.flush()
        self._ends.append(end)
        yield
        self.flush()
        self._ends.pop()
