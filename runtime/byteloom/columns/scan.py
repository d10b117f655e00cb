"""Scanners: read a repeated record straight into an Arrow RecordBatch.

- A scanner returns the same values as the record classes, as columns, and refuses the same data:
  the record that a scanner stops at is read again by its class, and the error is that of the class.
- If the records are a field of another record, that one is read by its class as well, from a
  `ScanReader`.
- Calculated columns are calculated as a whole.  An integer that leaves 64 bits is the error of its
  row: the record class calculates it again.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import partial
from mmap import mmap
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from pyarrow import RecordBatch

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
from byteloom.columns.views import BadRowError
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.wire.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from byteloom.wire.record import Record

__all__ = [
    "Binary",
    "Bytes",
    "Cases",
    "Column",
    "FixedBytes",
    "Flag",
    "Json",
    "Limits",
    "List",
    "Loop",
    "Named",
    "Number",
    "RecordBatch",
    "Rows",
    "Scan",
    "Source",
    "Struct",
    "Text",
    "Wide",
    "chosen",
    "exact_difference",
    "exact_product",
    "exact_sum",
    "unsigned",
]

_SURE: Final = float(1 << 62)
"""Results that are calculated with doubles and are less than this fit 64 bits."""

_WORD: Final = range(-(1 << 63), 1 << 63)


def chosen(test: Any, yes: Any, no: Any) -> Any:
    """Return for each row *yes* where *test* is true, else *no*; each may be one value for all."""
    return np.where(test, yes, no)


def unsigned(numbers: Any) -> NDArray[Any]:
    """Return integers, none of them negative, as words without a sign."""
    found: NDArray[Any] = np.asarray(numbers).astype("u8", copy=False)
    return found


def exact_sum(left: Any, right: Any) -> NDArray[Any]:
    """Return the sums of integers; `BadRowError` for the first that leaves 64 bits."""
    return _exact(operator.add, left, right)


def exact_difference(left: Any, right: Any) -> NDArray[Any]:
    """Return the differences of integers; `BadRowError` for the first that leaves 64 bits."""
    return _exact(operator.sub, left, right)


def exact_product(left: Any, right: Any) -> NDArray[Any]:
    """Return the products of integers; `BadRowError` for the first that leaves 64 bits."""
    return _exact(operator.mul, left, right)


def _exact(operation: Callable[[Any, Any], Any], left: Any, right: Any) -> NDArray[Any]:
    left, right = np.broadcast_arrays(left, right)
    about = np.abs(operation(left.astype("f8"), right.astype("f8")))
    for row in np.flatnonzero(about >= _SURE):
        if operation(int(left[row]), int(right[row])) not in _WORD:
            raise BadRowError(int(row))
    result: NDArray[Any] = operation(left.astype("u8"), right.astype("u8"))
    return result.view("i8")


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
