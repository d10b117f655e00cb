"""Columns of a Parquet file in memory as one table, of no more bytes than limits allow.

Source: https://parquet.apache.org/docs/file-format/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from byteloom.errors import FormatError, LimitExceeded
from byteloom.parquet.footer import check_footer
from byteloom.parquet.weights import batch_rows
from byteloom.storage.sources import BytesSource

if TYPE_CHECKING:
    from collections.abc import Collection

    from byteloom.limits import Limits

__all__ = ["read_columns"]

_ROWS = 1 << 17
"""Rows of a batch, at most."""


def read_columns(data: bytes, columns: Collection[str], limits: Limits) -> pa.Table:
    """Return those of *columns* that a file has.

    data           the file
    columns        names of whole columns
    FormatError    a damaged file
    LimitExceeded  rows of more bytes than ``limits.decompressed_size``, and for each byte of the
                   file ``limits.expansion``
    """
    try:
        return _read(data, columns, limits)
    except (pa.ArrowException, OSError) as error:
        raise FormatError("parquet", None, str(error), "a sound Parquet file") from error


def _read(data: bytes, columns: Collection[str], limits: Limits) -> pa.Table:
    """The same; errors are pyarrow's."""
    source = BytesSource(data)
    file = pq.ParquetFile(pa.BufferReader(data))
    check_footer(file.metadata, source)
    schema, metadata = file.schema_arrow, file.metadata
    names = [each for each in dict.fromkeys(columns) if each in schema.names]
    leaves = [
        leaf
        for leaf in range(metadata.num_columns)
        if any(f"{metadata.schema.column(leaf).path}.".startswith(f"{each}.") for each in names)
    ]
    most, size, held = limits.decompressed_size + limits.expansion * len(data), 0, []
    for group in range(metadata.num_row_groups):
        rows = batch_rows(source, metadata, leaves, group, limits, _ROWS)
        for batch in file.iter_batches(rows, row_groups=[group], columns=names):
            size += batch.nbytes
            if size > most:
                wanted = f"at most {most} (limits.decompressed_size, limits.expansion)"
                raise LimitExceeded("parquet", None, f"rows of more than {size} bytes", wanted)
            held.append(batch)
    return pa.Table.from_batches(held, pa.schema([schema.field(each) for each in names]))
