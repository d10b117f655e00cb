"""Write Parquet to stdout or to a file, which appears whole or not at all."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from byteloom.cli.printing.rows import whole
from byteloom.late import pq

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

__all__ = ["Sink", "write_parquet"]


def write_parquet(batches: Iterable[pa.RecordBatch], schema: pa.Schema, place: str | None) -> None:
    """Write all columns of *batches* to the file *place*, whole or not at all; None is stdout."""
    if place is None:
        _write(batches, schema, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    with whole(place) as target:
        _write(batches, schema, target)


def _write(batches: Iterable[pa.RecordBatch], schema: pa.Schema, out: Any) -> None:
    with pq.ParquetWriter(Sink(out), schema, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(batch)


class Sink:
    """A file for pyarrow, on top of any object with a method ``write``."""

    closed = False

    def __init__(self, out: Any) -> None:
        """Pass bytes to *out*."""
        self._out, self._at = out, 0

    def write(self, data: Any) -> int:
        """Add *data*."""
        size = len(data)
        self._out.write(bytes(data))
        self._at += size
        return size

    def tell(self) -> int:
        """Return how many bytes there are."""
        return self._at

    def flush(self) -> None:
        """Do nothing: bytes are passed on at once."""

    def close(self) -> None:
        """Do nothing: the opener of the file closes it."""
