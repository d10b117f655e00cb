"""Scanners: read a repeated record straight into an Arrow RecordBatch.

A scanner returns the same values as the record classes, as columns, and refuses the same data: the
record that a scanner stops at is read again by its class, and the error is that of the class.

If the records are a field of another record, that one is read by its class as well, from a
`ScanReader`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from mmap import mmap
from typing import TYPE_CHECKING, Any, TypeAlias

from pyarrow import RecordBatch

from byteloom.columns.arithmetic import (
    chosen,
    exact_difference,
    exact_product,
    exact_sum,
    unsigned,
)
from byteloom.columns.column import (
    Binary,
    Column,
    Flag,
    List,
    Named,
    Number,
    Struct,
)
from byteloom.columns.loops import Loop
from byteloom.columns.payloads import Bytes, FixedBytes, Text
from byteloom.columns.record_columns import Cases, Json, Wide, batch_of
from byteloom.columns.scan_reader import ScanReader
from byteloom.columns.strided_rows import Rows
from byteloom.columns.target import Target
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.wire.reader import Reader

if TYPE_CHECKING:
    from byteloom.wire.record import Record

__all__ = [
    "Binary", "Bytes", "Cases", "Column", "FixedBytes", "Flag", "Json", "Limits",
    "List", "Loop", "Named", "Number", "RecordBatch", "Rows", "Scan", "Source",
    "Struct", "Text", "Wide", "chosen", "exact_difference", "exact_product", "exact_sum",
    "unsigned",
]  # fmt: skip

Source: TypeAlias = bytes | bytearray | memoryview | mmap
"""The input of scanners; bytes and memory maps are not copied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan(Target):
    """How one repeated record is scanned, and the scan of bytes that are in memory."""

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
        reader.record(record.NAME, partial(record.read, **params))
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
