"""Lists of plain items, each decoded by a single step.

Source: https://avro.apache.org/docs/1.12.0/specification/#arrays
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.avro.nodes import Items, Node, Plain, Slots
from byteloom.avro.want import Want
from byteloom.kernels import avro_columns as ops

if TYPE_CHECKING:
    from byteloom.avro.builder import Builder

__all__ = ["BulkLists"]

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
        least   least bytes of an item
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
