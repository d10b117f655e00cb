"""Records of Avro files of one schema, decoded into dense columns.

The rules:

- Wanted fields are named by their ids (`Wanted`); `byteloom.avro` decodes them.
- An absent number is -1; an absent run of bytes has the size -1.

Source: Apache Avro specification, "Binary Encoding".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.avro.filled_columns import Columns
from byteloom.avro.nodes import Enum, Items, Lists, Plain, Slots
from byteloom.errors import FormatError, LimitExceeded
from byteloom.iceberg.expressions.stats import Spans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from byteloom.avro.filled_columns import Placed
    from byteloom.iceberg.manifests.program import Program

__all__ = ["Decoded", "Runs", "Wanted", "decode_records"]

_MOST: Final = 1 << 31
"""Most bytes of content that one call may decode: offsets have 32 bits of a word."""

_ITEM: Final = 8
"""Assumed bytes of an item of a list or map; unused room costs nothing."""


@dataclass(slots=True)
class Wanted:
    """What to decode.

    Attributes:
        kinds: By field id: ``long``, ``view``, ``list``, ``map_long``, ``map_bytes``,
            ``slot_long``, ``slot_bytes``; ``any`` for a number or a view, whichever is stored;
            ``rows`` for a list of records, whose wanted fields have rows of their own.
        slots: Ids of the columns of which statistics are wanted.
    """

    kinds: dict[int, str] = field(default_factory=dict)
    slots: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Runs:
    """Lists in a column: the range of each list among the items.

    Attributes:
        starts: int64[row].
        ends: int64[row].
        valid: bool[row], False for null.
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    valid: NDArray[np.bool_]

    @property
    def rows(self) -> NDArray[np.intp]:
        """The row of each item, one row after the other."""
        return np.repeat(np.arange(len(self.starts)), self.ends - self.starts)

    def of(self, rows: NDArray[np.intp]) -> Runs:
        """Return the lists of some rows, in this order."""
        return Runs(self.starts[rows], self.ends[rows], self.valid[rows])


class Decoded:
    """The decoded columns of wanted fields, by field id."""

    def __init__(
        self,
        data: NDArray[np.uint8],
        blocks: NDArray[np.int64],
        program: Program,
        slots: Sequence[int] = (),
        placed: Placed | None = None,
    ) -> None:
        """Decode the records; arguments and errors as for `decode_records`."""
        self.data, self.program = data, program
        self.rows = _row_count(blocks, len(data), program.steps.least)
        self._columns = _Columns(program, data, blocks, slots, placed)

    @property
    def inner(self) -> int:
        """Number of rows of the wanted list of records."""
        for each in self.program.found.values():
            if isinstance(each.node, Lists):
                return int(self._columns.rows[each.node.number + 1])
        return 0

    def _column(self, number: int, level: int) -> NDArray[np.int64]:
        """Return a column."""
        return self._columns.column(number, level)

    def _absent(self, rows: int) -> Spans:
        """Return missing bytes for *rows* rows."""
        return Spans(self.data, np.zeros(rows, np.int64), np.full(rows, -1, np.int64))

    def has(self, field_id: int) -> bool:
        """Return whether the schema has a field."""
        return field_id in self.program.found

    def numbers(self, field_id: int, rows: int | None = None) -> NDArray[np.int64]:
        """Return a column of numbers; of *rows* absent ones if the schema lacks the field."""
        found = self.program.found.get(field_id)
        if found is None or not isinstance(found.node, Plain | Enum):
            return np.full(self.rows if rows is None else rows, -1, np.int64)
        return self._column(found.node.column, found.level)

    def is_valid(self, field_id: int) -> NDArray[np.bool_]:
        """Return where a field is not null."""
        found = self.program.found.get(field_id)
        if found is None:
            return np.zeros(self.rows, np.bool_)
        rows = int(self._columns.rows[found.level])
        valid = np.ones(rows, np.bool_)
        for column, branch in found.unions:
            valid &= self._column(column, found.level) == branch
        return valid

    def are_valid(self, field_id: int) -> bool:
        """Return whether a field of the schema has no null."""
        found = self.program.found[field_id]
        return all(
            bool((self._column(column, found.level) == branch).all())
            for column, branch in found.unions
        )

    def spans(self, field_id: int, rows: int | None = None) -> Spans:
        """Return a column of bytes; of *rows* absent ones if the schema lacks the field."""
        found = self.program.found.get(field_id)
        if found is None or not isinstance(found.node, Plain):
            return self._absent(self.rows if rows is None else rows)
        places = self._column(found.node.column, found.level)
        if found.node.type in {"bytes", "string"}:
            return Spans(self.data, places, self._column(found.node.column + 1, found.level))
        sizes = np.where(self.is_valid(field_id), found.node.size, -1)
        return Spans(self.data, places, sizes)

    def runs(self, field_id: int) -> Runs:
        """Return a column of lists."""
        found = self.program.found.get(field_id)
        valid = self.is_valid(field_id)
        if found is None or not isinstance(found.node, Items | Lists):
            nothing = np.zeros(self.rows, np.int64)
            return Runs(nothing, nothing, valid)
        column, level = found.node.column, found.level
        return Runs(self._column(column, level), self._column(column + 1, level), valid)

    def items(self, field_id: int) -> NDArray[np.int64]:
        """Return the items of a column of lists: int64[2, item], the key of each and its value."""
        found = self.program.found.get(field_id)
        if found is None or not isinstance(found.node, Items):
            return np.empty((2, 0), np.int64)
        return self._columns.pair(found.node.keys)

    def slot_numbers(self, field_id: int, slot: int) -> NDArray[np.int64]:
        """Return the number for one column in a map such as ``value_counts``, per entry, or -1."""
        found = self.program.found.get(field_id)
        if found is None or not isinstance(found.node, Slots):
            return np.full(self.rows, -1, np.int64)
        return self._column(found.node.column + slot, found.level)

    def slot_spans(self, field_id: int, slot: int) -> Spans:
        """Return the bytes for one column in a map such as ``lower_bounds``, per entry."""
        found = self.program.found.get(field_id)
        if found is None or not isinstance(found.node, Slots):
            return self._absent(self.rows)
        places = self._column(found.node.column + slot, found.level)
        return Spans(self.data, places, self._column(found.node.sizes + slot, found.level))


class _Columns(Columns):
    """The columns of blocks of records."""

    def __init__(
        self,
        program: Program,
        data: NDArray[np.uint8],
        blocks: NDArray[np.int64],
        slots: Sequence[int],
        placed: Placed | None,
    ) -> None:
        offsets = np.append(blocks[:1, 1], blocks[:, 2]) if len(blocks) else np.zeros(1, np.int64)
        super().__init__(
            program.steps,
            data,
            offsets,
            64 + len(data) // _ITEM,
            blocks[:, 0],
            slots,
            placed=placed,
        )

    def refused(self, value: int, place: int, name: str) -> tuple[str, int | None]:
        """Return the record with the field, and the place in its block's content, for errors."""
        del value
        record = f"records[{self.rows[1]}]"
        return (f"{record}.{name}" if name != "value" else record), place

    def pair(self, column: int) -> NDArray[np.int64]:
        """Return a column and the next one as one array, which may be longer than their rows."""
        start, end = int(self._base[column]), int(self._base[column + 2])
        return self._cells[start:end].reshape(2, -1)


def decode_records(
    data: NDArray[np.uint8],
    blocks: NDArray[np.int64],
    program: Program,
    wanted: Wanted,
    placed: Placed | None = None,
) -> Decoded:
    """Return the columns of all records.

    Args:
        data: The content of the blocks, one after the other.
        blocks: int64[block, 3]: records, start and end in *data*.
        program: The result of `compile_program` for the schema and *wanted*.
        placed: Returns an error about a place in the content of a block, given the block's number
            here, as one about a place in its file.

    Raises:
        FormatError: Damaged records; without *placed* the place counts from the block's content.
    """
    return Decoded(data, blocks, program, wanted.slots, placed)


def _row_count(blocks: NDArray[np.int64], size: int, least: int) -> int:
    """Return how many records there are; each takes *least* bytes or more."""
    if size >= _MOST:
        raise LimitExceeded("avro.blocks", None, f"{size} bytes", f"under {_MOST} at a time")
    much = blocks[:, 0] > (blocks[:, 2] - blocks[:, 1]) // max(least, 1)
    if much.any():
        found = int(blocks[much, 0][0])
        raise FormatError(
            "avro.block", None, f"{found} records", f"records of {least} bytes or more"
        )
    return int(blocks[:, 0].sum())
