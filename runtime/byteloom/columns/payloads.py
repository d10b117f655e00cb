"""Columns of bytes and text, as offsets and sizes; the bytes are not copied."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from byteloom.columns.column import PLACE, Column, Filled, Slot, bitmap
from byteloom.columns.views import LONGEST, BadRowError, binary_views, text_array
from byteloom.errors import Unsupported

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from byteloom.columns.strided_rows import Rows

__all__ = ["Bytes", "FixedBytes", "Text"]


@dataclass(frozen=True, slots=True)
class Bytes(Column):
    """Bytes; *at* and *size* are given for fixed-size records."""

    at: int = field(default=0, kw_only=True)
    size: int = field(default=0, kw_only=True)

    def own_slots(self, table: int, tables: Iterator[int]) -> Iterator[Slot]:  # noqa: ARG002
        """A slot of offsets and a slot of sizes."""
        yield Slot(PLACE, table)
        yield Slot(PLACE, table)

    def from_rows(self, rows: Rows) -> Iterator[NDArray[Any]]:
        """Evenly spaced offsets, and equal sizes."""
        yield rows.places(self.at)
        yield np.full(rows.count, self.size, np.int32)

    def build(self, filled: Filled, rows: int, given: NDArray[Any] | None) -> pa.Array:
        """Return binary_view or binary."""
        views = self.views(filled, rows, given, gathers=filled.binary == "binary")
        return views if filled.binary == "view" else views.cast(pa.binary())

    def views(
        self, filled: Filled, rows: int, given: NDArray[Any] | None, *, gathers: bool
    ) -> pa.Array:
        """Return binary_view; *gathers* says whether it will be copied into one buffer."""
        starts, sizes = filled.take(rows), filled.take(rows)
        long = sizes > LONGEST
        if long.any():
            raise BadRowError(int(long.argmax()))
        total = int(sizes.sum(dtype=np.int64))
        if gathers and total > LONGEST:
            raise Unsupported(self.name, None, f"{total} bytes", "at most 2 GiB, except as views")
        return binary_views(filled.data, starts, sizes, bitmap(given))


@dataclass(frozen=True, slots=True)
class Text(Bytes):
    """Text in an *encoding*."""

    encoding: str = field(default="utf-8", kw_only=True)

    def build(self, filled: Filled, rows: int, given: NDArray[Any] | None) -> pa.Array:
        """Return string_view or string, checked to be valid text."""
        gathers = filled.binary == "binary" or self.encoding != "utf-8"
        views = text_array(self.views(filled, rows, given, gathers=gathers), self.encoding)
        return views if filled.binary == "view" else views.cast(pa.string())


@dataclass(frozen=True, slots=True)
class FixedBytes(Bytes):
    """Bytes of a fixed *size*."""

    def own_slots(self, table: int, tables: Iterator[int]) -> Iterator[Slot]:  # noqa: ARG002
        """One slot of offsets."""
        yield Slot(PLACE, table)

    def from_rows(self, rows: Rows) -> Iterator[NDArray[Any]]:
        """Evenly spaced offsets."""
        yield rows.places(self.at)

    def build(self, filled: Filled, rows: int, given: NDArray[Any] | None) -> pa.Array:
        """Return fixed_size_binary."""
        starts, type_ = filled.take(rows), pa.binary(self.size)
        present = starts if given is None else starts[given != 0]
        if not len(present):
            return pa.nulls(rows, type_)
        if given is not None:
            starts = np.where(given != 0, starts, present[0])
        sizes = np.full(rows, self.size, np.int32)
        if rows * self.size > LONGEST:
            raise Unsupported(self.name, None, f"{rows * self.size} bytes", "at most 2 GiB")
        gathered = binary_views(filled.data, starts, sizes).cast(pa.binary())
        return pa.Array.from_buffers(type_, rows, [bitmap(given), gathered.buffers()[2]])
