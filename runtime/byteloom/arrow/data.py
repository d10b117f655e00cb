"""Arrow data in whatever form a caller has it, as batches, and rows for other libraries.

Every function of byteloom that takes rows takes them through `batches_of`, and so in all forms:

    pyarrow's RecordBatch, Table and RecordBatchReader
    byteloom's own files and scans, each an `ArrowStream`
    objects with ``__arrow_c_stream__`` or ``__arrow_c_array__``, as other libraries' frames have
    iterables of any of these: lists, generators

Source: https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import pyarrow as pa

from byteloom.errors import ArgumentError, FormatError

__all__ = [
    "ArrowStream",
    "batches_of",
]


class ArrowStream:
    """Something whose rows pyarrow, polars, DuckDB and others read as Arrow data.

    That interface passes errors on as text alone.  Functions of byteloom take `to_reader` instead,
    whose errors are those of the file.
    """

    __slots__ = ()

    def to_reader(self) -> pa.RecordBatchReader:
        """Return all rows as pyarrow's reader of batches; nothing is read before they are due.

        raises  the errors of reading when the batch with the error is due
        """
        raise NotImplementedError

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export all rows to any library that takes Arrow."""
        return self.to_reader().__arrow_c_stream__(requested_schema)


_WANTED: Final = "Arrow data: a batch, a table, a stream, or some of these one after the other"


def batches_of(data: Any) -> Iterator[pa.RecordBatch]:
    """Yield the batches of Arrow data in order; parts of an iterable are taken one by one.

    raises  `FormatError` for anything else, and for Arrow data without named columns
    """
    found = _batches(data, "data")
    if found is not None:
        yield from found
        return
    if not isinstance(data, Iterable) or isinstance(data, str | bytes | bytearray | Mapping):
        raise ArgumentError("data", None, type(data).__name__, _WANTED)
    for number, part in enumerate(data):
        found = _batches(part, f"data[{number}]")
        if found is None:
            raise FormatError(f"data[{number}]", None, type(part).__name__, _WANTED)
        yield from found


def _batches(data: Any, path: str) -> Iterable[pa.RecordBatch] | None:
    """Return the batches of one object; None for an object that is not Arrow data."""
    found: Iterable[pa.RecordBatch] | None = None
    try:
        if isinstance(data, pa.RecordBatch):
            found = (data,)
        elif isinstance(data, pa.Table):
            found = data.to_batches()
        elif isinstance(data, pa.RecordBatchReader):
            found = data
        elif isinstance(data, ArrowStream):
            found = data.to_reader()
        elif hasattr(data, "__arrow_c_stream__"):
            found = pa.RecordBatchReader.from_stream(data)
        elif hasattr(data, "__arrow_c_array__"):
            found = (pa.record_batch(data),)
    except (pa.ArrowException, TypeError, AttributeError, ValueError) as error:
        wanted = "Arrow data with named columns"
        raise FormatError(path, None, type(data).__name__, wanted) from error
    return found
