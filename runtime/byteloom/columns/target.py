"""How one repeated record is scanned: its columns, and what fills them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from byteloom.columns.column import PLACE, Binary, Column, Filled, record_batch, slots_of
from byteloom.columns.record_columns import batch_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa
    from numpy.typing import NDArray
    from pyarrow import RecordBatch

    from byteloom.columns.loops import Loop
    from byteloom.columns.strided_rows import Rows
    from byteloom.wire.reader import Reader

__all__ = ["Target"]


def _unable(reader: Reader) -> NoReturn:
    """Refuse to read a record that only the one around it can read."""
    raise TypeError(reader)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """How one repeated record is scanned.

    name       the repeated field; errors begin with it
    take       reads one record as its class does, named by the reader; none if records fill them
    columns    the columns of the result
    loop       fills the columns, if records vary in size
    size       bytes of every record, if there is no loop
    wrong      finds fixed-size records that break a rule; None if there are no rules
    attribute  the repeated field's name in the class, if records fill the columns
    around     what a loop is given of what the class hands to each record
    """

    name: str
    take: Callable[[Reader], object] = _unable
    columns: tuple[Column, ...]
    loop: Loop | None = None
    size: int = 0
    wrong: Callable[[Rows], NDArray[Any]] | None = None
    attribute: str = ""
    around: Callable[[dict[str, Any]], tuple[int, ...]] | None = None

    @property
    def schema(self) -> pa.Schema:
        """The schema of its batches, with bytes as Arrow's plain type."""
        return self.none("binary").schema

    def none(self, binary: Binary) -> RecordBatch:
        """Return the columns without rows."""
        if self.attribute:
            return batch_of(self.columns, [], binary)
        return self.batch(Filled(b"", iter(_no_slots(self)), binary), 0)

    def batch(self, filled: Filled, rows: int) -> RecordBatch:
        """Return the columns of the first *rows* records."""
        return record_batch(self.columns, [column.array(filled, rows) for column in self.columns])


def _no_slots(target: Target) -> list[NDArray[Any]]:
    return [
        np.zeros(slot.more, "i4" if slot.form == PLACE else slot.form)
        for slot in slots_of(target.columns)
    ]
