"""Rows of a whole Parquet file in batches, of no more bytes than limits allow.

Source: https://parquet.apache.org/docs/file-format/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.parquet.footer import check_footer
from byteloom.parquet.weights import batch_rows
from byteloom.storage.native import native_file

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import pyarrow as pa

    from byteloom.storage import Source

__all__ = ["batches_of", "sound_file"]

_ROWS = 1 << 17
"""Rows of a batch, at most."""


def sound_file(source: Source) -> Any:
    """Return the `ParquetFile` of *source*, whose footer would not lead pyarrow astray.

    raises  as `check_footer`; for other damage what pyarrow raises
    """
    file = pq.ParquetFile(native_file(source))
    check_footer(file.metadata, source)
    return file


def batches_of(
    source: Source,
    file: Any,
    columns: Collection[str],
    limits: Limits = DEFAULT_LIMITS,
    most: int = _ROWS,
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of the columns that have these names, which are those of the file's schema.

    file            as `sound_file` returned it
    most            rows of a batch, at most
    FormatError     a damaged page header; for other damage what pyarrow raises
    LimitExceeded   a page, or a row, of more bytes than limits allow
    """
    schema = file.metadata.schema
    leaves = [leaf for leaf in range(len(schema)) if _is_below(schema.column(leaf).path, columns)]
    for group in range(file.metadata.num_row_groups):
        rows = batch_rows(source, file.metadata, leaves, group, limits, most)
        yield from file.iter_batches(rows, row_groups=[group], columns=list(columns))


def _is_below(path: str, columns: Collection[str]) -> bool:
    """Whether a leaf is one of some columns, or inside of one."""
    return any(f"{path}.".startswith(f"{each}.") for each in columns)
