"""Scanners: read a repeated record straight into an Arrow RecordBatch.

A scanner returns the same values as the record classes, as columns, and refuses the same data: the
record that a scanner stops at is read again by its class, and the error is that of the class.

If the records are a field of another record, that one is read by its class as well, from a
`ScanReader`.
"""

from __future__ import annotations

from dataclasses import dataclass
from mmap import mmap
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import numpy as np
import pyarrow as pa
from pyarrow import RecordBatch

from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.wire.calculating import (
    chosen,
    exact_difference,
    exact_product,
    exact_sum,
    unsigned,
)
from byteloom.wire.columns import (
    PLACE,
    Binary,
    Column,
    Filled,
    Flag,
    List,
    Named,
    Number,
    Struct,
    record_batch,
    slots_of,
)
from byteloom.wire.fixed import Rows
from byteloom.wire.loops import Loop
from byteloom.wire.payloads import Bytes, FixedBytes, Text
from byteloom.wire.reader import Reader
from byteloom.wire.recorded import Cases, Json, Wide, batch_of
from byteloom.wire.scan_reader import ScanReader

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from byteloom.wire.record import Record

__all__ = [
    "Binary", "Bytes", "Cases", "Column", "FixedBytes", "Flag", "Json", "Limits",
    "List", "Loop", "Named", "Number", "RecordBatch", "Rows", "Scan", "Source",
    "Struct", "Text", "Wide", "chosen", "exact_difference", "exact_product", "exact_sum",
    "unsigned",
]  # fmt: skip

Source: TypeAlias = bytes | bytearray | memoryview | mmap
"""The input of scanners; bytes and memory maps are not copied."""


def _unable(reader: Reader) -> NoReturn:
    """Refuse to read a record that only the one around it can read."""
    raise TypeError(reader)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
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

    def within(
        self,
        record: type[Record],
        data: Source,
        limits: Limits | None,
        binary: Binary,
        /,
        **params: Any,
    ) -> RecordBatch:
        """Return the repeated records inside one *record* at the start of *data*.

        params  the parameters of the record
        """
        if self.attribute:
            owner = record.from_bytes(data, limits=limits or DEFAULT_LIMITS, **params)
            found = getattr(owner, self.attribute) or []
            return batch_of(self.columns, found, binary, f"{record.NAME}.{self.name}[{{}}]".format)
        reader = ScanReader(data, limits=limits or DEFAULT_LIMITS)
        reader.begin(self, binary)
        reader.record(record.NAME, record.read, **params)
        return reader.batch

    def whole(self, data: Source, limits: Limits | None, binary: Binary) -> RecordBatch:
        """Return the records that fill *data*."""
        if self.attribute:
            plain = Reader(data, limits=limits or DEFAULT_LIMITS)
            records = [self.take(plain) for _ in plain.to_end(self.name)]
            return batch_of(self.columns, records, binary, f"{self.name}[{{}}]".format)
        reader = ScanReader(data, limits=limits or DEFAULT_LIMITS)
        reader.begin(self, binary)
        reader.scan(None)
        return reader.batch

    def batch(self, filled: Filled, rows: int) -> RecordBatch:
        """Return the columns of the first *rows* records."""
        return record_batch(self.columns, [column.array(filled, rows) for column in self.columns])


def _no_slots(target: Scan) -> list[NDArray[Any]]:
    return [
        np.zeros(slot.more, "i4" if slot.form == PLACE else slot.form)
        for slot in slots_of(target.columns)
    ]
