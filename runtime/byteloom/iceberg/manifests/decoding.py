"""Records of Avro files of one schema, decoded into dense columns.

The rules:

- What is wanted is said by field ids first (`Wanted`); the columns are then made once, and a loop
  of the kernel fills them.  Lists grow by doubling, and never beyond what the content can hold.
- A number that is not there is -1; a run of bytes that is not there has the size -1.

Source: Apache Avro specification, "Binary Encoding".
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.errors import FormatError, LimitExceeded
from byteloom.iceberg.expressions.stats import Spans
from byteloom.iceberg.manifests.program import Target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from byteloom.iceberg.manifests.program import Program

__all__ = ["Decoded", "Runs", "Wanted", "decode_records"]

_MOST: Final = 1 << 31
"""Bytes of content that one call may decode: places are kept in 32 bits of a word."""

_ITEM: Final = 8
"""Bytes that an item of a list or map mostly takes; room that is not touched costs nothing."""


@dataclass(slots=True)
class Wanted:
    """What to decode.

    targets  by field id
    slots    ids of the columns whose statistics are wanted
    """

    targets: dict[int, Target] = field(default_factory=dict)
    slots: tuple[int, ...] = ()
    _columns: Counter[str] = field(default_factory=Counter)

    def add(self, field_id: int, kind: str) -> None:
        """Want a field; *kind* is one of `Target`."""
        take = self._take
        if kind == "any":
            target = Target(kind, take("long"), take("valid"), take("view"))
        elif kind in {"list", "map_long", "map_bytes", "rows"}:
            target = Target(kind, take("list"), take("valid"))
        else:
            target = Target(kind, take(kind), take("valid"))
        self.targets[field_id] = target

    def _take(self, kind: str) -> int:
        """The next column of a kind."""
        self._columns[kind] += 1
        return self._columns[kind] - 1

    def count(self, kind: str) -> int:
        """The number of columns of a kind."""
        return self._columns[kind]


@dataclass(frozen=True, slots=True)
class Runs:
    """Lists in one row of items each.

    starts  int64[row]
    ends    int64[row]
    valid   bool[row], False for null
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    valid: NDArray[np.bool_]


class Decoded:
    """Columns of what was wanted, by field id."""

    def __init__(
        self, data: NDArray[np.uint8], rows: int, wanted: Wanted, program: Program
    ) -> None:
        """Make the columns for *rows* records that lie in *data*."""
        self.data = data
        self.rows = rows
        self.inner = 0
        self.wanted = wanted
        self.program = program
        count = wanted.count
        self.longs = np.full((count("long"), rows), -1, np.int64)
        self.valid = np.zeros((count("valid"), rows), np.uint8)
        self.places = np.zeros((count("view"), rows), np.int64)
        self.sizes = np.full((count("view"), rows), -1, np.int64)
        self.starts = np.zeros((count("list"), rows), np.int64)
        self.ends = np.zeros((count("list"), rows), np.int64)
        self.items = np.empty((2, len(data) // _ITEM if count("list") else 0), np.int64)
        slots = len(wanted.slots)
        self.slot_longs = np.full((count("slot_long"), slots, rows), -1, np.int64)
        self.slot_places = np.zeros((count("slot_bytes"), slots, rows), np.int64)
        self.slot_sizes = np.full((count("slot_bytes"), slots, rows), -1, np.int64)

    def numbers(self, field_id: int) -> NDArray[np.int64]:
        """A column of numbers."""
        return self.longs[self.wanted.targets[field_id].column, : self.rows]

    def is_valid(self, field_id: int) -> NDArray[np.bool_]:
        """Where a field is not null."""
        column = self.wanted.targets[field_id].valid
        if column in self.program.always:
            return np.ones(self.rows, np.bool_)
        return np.asarray(self.valid[column, : self.rows], np.bool_)

    def spans(self, field_id: int) -> Spans:
        """A column of bytes."""
        target = self.wanted.targets[field_id]
        column = target.view if target.kind == "any" else target.column
        return Spans(self.data, self.places[column, : self.rows], self.sizes[column, : self.rows])

    def runs(self, field_id: int) -> Runs:
        """A column of lists."""
        column = self.wanted.targets[field_id].column
        return Runs(self.starts[column], self.ends[column], self.is_valid(field_id))

    def inner_numbers(self, field_id: int) -> NDArray[np.int64]:
        """A column of numbers of the records in a list."""
        return self.longs[self.wanted.targets[field_id].column, : self.inner]

    def inner_spans(self, field_id: int) -> Spans:
        """A column of bytes of the records in a list."""
        column = self.wanted.targets[field_id].column
        return Spans(self.data, self.places[column, : self.inner], self.sizes[column, : self.inner])

    def slot_numbers(self, field_id: int, slot: int) -> NDArray[np.int64]:
        """What a map of numbers tells of one column."""
        return np.asarray(self.slot_longs[self.wanted.targets[field_id].column, slot], np.int64)

    def slot_spans(self, field_id: int, slot: int) -> Spans:
        """What a map of bytes tells of one column."""
        column = self.wanted.targets[field_id].column
        return Spans(self.data, self.slot_places[column, slot], self.slot_sizes[column, slot])

    def grow(self, length: int) -> None:
        """Make room for *length* items of lists, and inner rows."""
        if self.items.shape[1] < length:
            items = np.empty((2, length), np.int64)
            items[:, : self.items.shape[1]] = self.items
            self.items = items
        if self.valid.shape[1] < length and any(
            each.kind == "rows" for each in self.wanted.targets.values()
        ):
            self.longs = _longer(self.longs, length, -1)
            self.valid = _longer(self.valid, length, 0)
            self.places = _longer(self.places, length, 0)
            self.sizes = _longer(self.sizes, length, -1)


def decode_records(
    data: NDArray[np.uint8],
    blocks: NDArray[np.int64],
    program: Program,
    wanted: Wanted,
) -> Decoded:
    """Return the columns of all records.

    blocks   int64[block, 3]: records, start and end in *data*
    program  what `compile_program` makes of the schema and what is *wanted*
    raises   `FormatError` for records that are wrong; the place is one in *data*
    """
    from byteloom.kernels.avro_records import FULL, WRONG, decode

    decoded = Decoded(data, _row_count(blocks, len(data), program.least()), wanted, program)
    steps, slot_of = program.steps, _slot_numbers(wanted.slots)
    resume = np.zeros(5, np.int64)
    while True:
        code, row, place = decode(
            data,
            blocks,
            steps,
            resume,
            (decoded.longs, decoded.valid, decoded.places, decoded.sizes),
            (decoded.starts, decoded.ends, decoded.items),
            slot_of,
            (decoded.slot_longs, decoded.slot_places, decoded.slot_sizes),
        )
        if code == 0:
            decoded.inner = int(resume[4])
            return decoded
        if code != FULL:
            told, wanted_text = WRONG[code]
            raise FormatError(f"records[{row}]", int(place), told, wanted_text)
        decoded.grow(max(2 * int(place), 64))


def _row_count(blocks: NDArray[np.int64], size: int, least: int) -> int:
    """How many records there are: each takes *least* bytes or more."""
    if size >= _MOST:
        raise LimitExceeded("avro.blocks", None, f"{size} bytes", f"under {_MOST} at a time")
    much = blocks[:, 0] > (blocks[:, 2] - blocks[:, 1]) // max(least, 1)
    if much.any():
        found = int(blocks[much, 0][0])
        raise FormatError(
            "avro.block", None, f"{found} records", f"records of {least} bytes or more"
        )
    return int(blocks[:, 0].sum())


def _slot_numbers(slots: Sequence[int]) -> NDArray[np.int64]:
    """The slot of each column id, where the kernel looks for it."""
    places = 1 << (2 * len(slots)).bit_length()
    table = np.full((places, 2), -1, np.int64)
    for slot, field_id in enumerate(slots):
        at = field_id % places
        while table[at, 1] >= 0:
            at = (at + 1) % places
        table[at] = field_id, slot
    return table


def _longer(columns: Any, length: int, absent: int) -> Any:
    """Columns of *length* rows, the new ones empty."""
    longer = np.full((columns.shape[0], length), absent, columns.dtype)
    longer[:, : columns.shape[1]] = columns
    return longer
