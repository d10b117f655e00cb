"""Rows to write, from any source, as a stream of Arrow batches."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from byteloom.arrow.data import batches_of
from byteloom.errors import ArgumentError, FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["RowStream", "Rows", "stream_of"]


class Rows(NamedTuple):
    """A schema, and rows of it in batches."""

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]


def stream_of(data: Any) -> Rows:
    """Return Arrow data in any form that `batches_of` takes, with its schema.

    Raises:
        FormatError: For anything else, and where there is neither a schema nor a batch.
    """
    batches = batches_of(data)
    known = getattr(data, "schema", None)
    if isinstance(known, pa.Schema):
        return Rows(known, batches)
    first = next(batches, None)
    if first is None:
        raise ArgumentError("data", None, "no batches", "at least one, for the schema")
    return Rows(first.schema, chain([first], batches))


class RowStream:
    """A stream from which some rows at a time are taken."""

    def __init__(self, batches: Iterator[pa.RecordBatch]) -> None:
        """Set up the stream; nothing is taken yet."""
        self._batches = batches
        self._left: pa.RecordBatch | None = None
        self._taken = 0

    def take(self, count: int) -> Iterator[pa.RecordBatch]:
        """Yield the next *count* rows.

        Raises:
            FormatError: There are fewer.
        """
        while count:
            batch = self._next()
            if batch is None:
                raise FormatError("rows", None, f"{self._taken} rows", f"{count} more")
            part, rest = batch.slice(0, count), batch.slice(count)
            self._left = rest if rest.num_rows else None
            self._taken += part.num_rows
            count -= part.num_rows
            yield part

    def count_rest(self) -> int:
        """Return how many rows are left, and take them."""
        found = 0
        while (batch := self._next()) is not None:
            self._left = None
            found += batch.num_rows
        return found

    def _next(self) -> pa.RecordBatch | None:
        """The rows that are left of a batch, or the next batch with any."""
        while self._left is None or not self._left.num_rows:
            self._left = next(self._batches, None)
            if self._left is None:
                return None
        return self._left
