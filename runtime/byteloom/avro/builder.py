"""Build the steps, columns and lists of a program that decodes Avro values.

Lists of plain items are decoded by a single step each.

Source: https://avro.apache.org/docs/1.12.0/specification/#binary-encoding
"""

from __future__ import annotations

from enum import Enum, auto
from itertools import pairwise
from typing import Final

from byteloom.avro.nodes import Items, Node, Plain, Program, Slots
from byteloom.errors import LimitExceeded, Unsupported
from byteloom.kernels import avro_columns as ops

__all__ = ["Builder", "BulkLists", "Want"]


class Want(Enum):
    """The choice of what to decode of one field.

    PASS   nothing
    LOOK   if it is a record, those of its fields that are chosen
    KEEP   all
    PLACE  everything; for floats, the place of their bytes
    ROWS   for an array of records, the fields that are chosen
    ITEMS  an array of plain items, decoded in one step
    SLOTS  for an array of pairs, the values of some keys
    """

    PASS = auto()
    LOOK = auto()
    KEEP = auto()
    PLACE = auto()
    ROWS = auto()
    ITEMS = auto()
    SLOTS = auto()


_STEPS: Final = 1 << 16
"""Most steps of one program, since a schema that repeats its named types could need any number."""


class Builder:
    """A builder of one program, whose steps are in the order of the values that they decode.

    program  the program so far
    path     names of the fields that lead to the next value, for errors and for `Program.names`
    """

    def __init__(self) -> None:
        """Begin an empty program."""
        self.program = Program()
        self.path: list[str] = []
        self._level = 0
        self._unions = 0
        self._outer: list[tuple[int, int]] = []

    @property
    def where(self) -> str:
        """The path of the next value."""
        return ".".join(self.path) or "value"

    # Steps and columns

    def step(self, op: int, a: int = 0, b: int = 0, c: int = 0) -> None:
        """Add a step; the program continues with the step after it."""
        code = self.program.code
        if len(code) >= _STEPS:
            raise LimitExceeded("schema", None, "more", f"at most {_STEPS} types")
        code.append([op, a, b, c, len(code) + 1])
        self.program.names.append(self.where)

    def columns(self, *fills: int | None) -> int:
        """Add a column for each of *fills*; return the number of the first.

        fills  the value for rows in which a union has another branch
        """
        program = self.program
        program.levels += [self._level] * len(fills)
        program.fills += [each if self._unions else None for each in fills]
        return len(program.levels) - len(fills)

    def columns_of(self, number: int, *fills: int | None) -> int:
        """Add columns whose rows are the items of a list; return the number of the first.

        number  of the list
        """
        outer, self._level = self._level, number + 1
        first = self.columns(*fills)
        self._level = outer
        return first

    def slot_columns(self, slots: int, fill: int) -> int:
        """Add *slots* columns whose rows may lack a value; return the number of the first."""
        first = self.columns(*[fill] * slots)
        self.program.fills[first:] = [fill] * slots
        return first

    # Lists

    def begin_list(self) -> int:
        """Begin a list, whose items follow; return its number."""
        program = self.program
        self.step(ops.LIST)
        program.bodies.append(len(program.code))
        self._outer.append((self._level, self._unions))
        self._level, self._unions = len(program.bodies), 0
        return self._level - 1

    def end_list(self, number: int, column: int, least: int) -> None:
        """End a list.

        column       the column of its first items; -1 for none
        least        least bytes of an item
        Unsupported  *least* is 0
        """
        if least == 0:
            raise Unsupported(
                self.where, None, "a list of items that take no bytes", "items of a byte or more"
            )
        code = self.program.code
        start = self.program.bodies[number] - 1
        self.step(ops.NEXT, number, column)
        code[start] = [ops.LIST, number, column, 0, len(code)]
        self._close_list()

    def steps_of_items(self, number: int) -> list[int]:
        """Return the operations of the steps that were added since a list began."""
        return [step[0] for step in self.program.code[self.program.bodies[number] :]]

    def drop_items(self, number: int) -> int:
        """End a list and drop the steps of its items; return the index of the list's own step."""
        program = self.program
        start = program.bodies[number]
        del program.code[start:], program.names[start:]
        self._close_list()
        return start - 1

    def _close_list(self) -> None:
        self._level, self._unions = self._outer.pop()

    # Unions

    def begin_union(self, column: int, branches: int) -> int:
        """Begin a union; return the index of its first branch among the jumps."""
        jumps = self.program.jumps
        table = len(jumps)
        jumps += [0] * branches
        if len(jumps) > _STEPS:
            raise LimitExceeded("schema", None, "more", f"at most {_STEPS} branches")
        self.step(ops.UNION, column, branches, table)
        self._unions += 1
        return table

    @property
    def mark(self) -> tuple[int, int]:
        """The numbers of steps and jumps so far."""
        return len(self.program.code), len(self.program.jumps)

    def end_union(self, table: int, marks: list[tuple[int, int]]) -> None:
        """End a union: each of its branches continues after the last one.

        table  as `begin_union` returned it
        marks  the `mark` before each branch, and after the last one
        """
        self._unions -= 1
        code, jumps = self.program.code, self.program.jumps
        after = len(code)
        for number, ((start, first), (end, last)) in enumerate(pairwise(marks)):
            jumps[table + number] = after if start == end else start
            for step in code[start:end]:
                step[4] = after if step[4] == end else step[4]
            for jump in range(first, last):
                jumps[jump] = after if jumps[jump] == end else jumps[jump]


_KINDS: Final = {(1, 0): ops.NUMBERS, (2, 0): ops.PAIRS, (1, 1): ops.RUNS}
"""Steps that append the items of a list, by the numbers and the runs of bytes in one item."""

_NAMES: Final = {ops.NUMBERS: "number", ops.PAIRS: "number number", ops.RUNS: "number bytes"}


class BulkLists:
    """The lists of a program that are decoded by a single step."""

    def __init__(self, builder: Builder, slots: int, absent: int) -> None:
        """Begin without lists.

        slots   number of columns of each list whose items go into slots
        absent  the value for an absent number, or for the length of absent bytes
        """
        self._builder, self._slots, self._absent = builder, slots, absent
        self._shared: tuple[int, int] | None = None

    def end(self, number: int, want: Want, least: int) -> Node | None:
        """End list *number* by one step for all its items; None if there is no such step.

        want   ITEMS, SLOTS, or any other value to skip the list
        least  least bytes of an item
        """
        steps = self._builder.steps_of_items(number)
        numbers = sum(op in {ops.INT, ops.LONG} for op in steps)
        runs = sum(op == ops.BYTES for op in steps)
        is_plain = bool(steps) and all(op == ops.BYTES for op in steps[numbers:])
        if least > 0 and not (is_plain and numbers + runs == len(steps)):
            return None
        start = self._builder.drop_items(number)
        kind = _KINDS.get((numbers, runs))
        node: Node = Plain("array", -1)
        if least == 0:
            step = [ops.EMPTY, 0, 0, 0]
        elif want is Want.ITEMS and kind is not None:
            step, node = self._items(number, kind)
        elif want is Want.SLOTS and kind in {ops.PAIRS, ops.RUNS}:
            step, node = self._in_slots(kind)
        else:
            step = [ops.PASS, numbers, runs, 0]
        self._builder.program.code[start] = [*step, start + 1]
        return node

    def _items(self, number: int, kind: int) -> tuple[list[int], Node]:
        """Return the step that appends items to the columns that all such lists share."""
        column = self._builder.columns(0, 0)
        if self._shared is None:
            self._shared = number, self._builder.columns_of(number, None, None)
        shared, keys = self._shared
        return [kind, shared, column, keys], Items(shared, column, _NAMES[kind], keys)

    def _in_slots(self, kind: int) -> tuple[list[int], Node]:
        """Return the step that puts the values of some keys into one column for each key."""
        if kind == ops.PAIRS:
            column = self._builder.slot_columns(self._slots, self._absent)
            return [ops.SLOT_NUMBER, column, -1, 0], Slots(_NAMES[kind], column)
        column = self._builder.slot_columns(self._slots, 0)
        sizes = self._builder.slot_columns(self._slots, self._absent)
        return [ops.SLOT_RUN, column, sizes, 0], Slots(_NAMES[kind], column, sizes)
