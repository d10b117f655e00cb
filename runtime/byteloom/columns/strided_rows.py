"""Read records of a fixed size through strided views of the bytes, without a loop.

Records are taken a chunk at a time that stays in the processor's cache, because every column of a
chunk reads the same bytes again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from byteloom.wire.reader import Buffer

__all__ = ["Rows"]

CHUNK: Final = 1 << 20
"""Bytes of a chunk of records: half of a typical second-level cache."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Adjacent records.

    at     the offset of the first in *data*
    size   bytes of each
    count  how many
    """

    data: Buffer
    at: int
    size: int
    count: int

    def column(self, form: str, at: int, shift: int = 0, bits: int = 0) -> NDArray[Any]:
        """Return the number stored as *form* at offset *at* of each record, or only its *bits*."""
        raw = np.ndarray((self.count,), form, self.data, self.at + at, (self.size,))
        if not bits:
            return raw
        part: NDArray[Any] = raw >> raw.dtype.type(shift) & raw.dtype.type((1 << bits) - 1)
        return part

    def number(self, form: str, at: int, shift: int = 0, bits: int = 0) -> NDArray[Any]:
        """Return `column` as integers of 64 bits, for calculations."""
        raw = self.column(form, at, shift, bits)
        return raw.astype(np.float64 if raw.dtype.kind == "f" else np.int64)

    def places(self, at: int) -> NDArray[Any]:
        """Return the offset in the data of byte *at* of each record."""
        first = self.at + at
        return np.arange(first, first + self.count * self.size, self.size)

    def differs(self, at: int, wanted: bytes) -> NDArray[Any]:
        """Return a mask of the records whose bytes at offset *at* are not *wanted*."""
        shape, steps = (self.count, len(wanted)), (self.size, 1)
        found = np.ndarray(shape, np.uint8, self.data, self.at + at, steps)
        different: NDArray[Any] = (found != np.frombuffer(wanted, np.uint8)).any(axis=1)
        return different

    def chunks(self) -> Iterator[tuple[slice, Rows]]:
        """Yield these records in chunks, each with its slice of all records."""
        step = max(CHUNK // self.size, 1)
        for first in range(0, self.count, step):
            number = min(step, self.count - first)
            part = Rows(self.data, self.at + first * self.size, self.size, number)
            yield slice(first, first + number), part
