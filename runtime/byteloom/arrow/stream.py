"""Rows that other libraries take through Arrow's C stream interface.

Source: https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ArrowStream"]


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
