"""Rows of a whole Parquet file in batches, of no more bytes than limits allow.

Source: https://parquet.apache.org/docs/file-format/
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.parquet.footer import check_footer, refuse_encrypted
from byteloom.parquet.weights import batch_rows
from byteloom.storage.native import native_file

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import pyarrow as pa

    from byteloom.storage import Source

__all__ = ["SoundFile", "batches_of", "sound_file"]

_ROWS = 1 << 17
"""Rows of a batch, at most."""


@dataclass(frozen=True, slots=True)
class SoundFile:
    """A `ParquetFile`, and the numbers of those of its leaves that are encrypted."""

    library: Any
    encrypted: frozenset[int]

    @property
    def metadata(self) -> Any:
        """The footer, as pyarrow has read it; of encrypted leaves nothing may be asked."""
        return self.library.metadata

    @property
    def schema_arrow(self) -> pa.Schema:
        """The schema."""
        return self.library.schema_arrow


def sound_file(source: Source) -> SoundFile:
    """Return the file of *source*, whose footer would not lead pyarrow astray.

    raises  as `check_footer`; for other damage what pyarrow raises
    """
    file = pq.ParquetFile(native_file(source))
    return SoundFile(file, check_footer(file.metadata, source))


def batches_of(
    source: Source,
    file: SoundFile,
    columns: Collection[str],
    limits: Limits = DEFAULT_LIMITS,
    most: int = _ROWS,
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of the columns that have these names, which are those of the file's schema.

    file            as `sound_file` returned it
    most            rows of a batch, at most
    FormatError     a damaged page header; for other damage what pyarrow raises
    Unsupported     one of the columns is encrypted
    LimitExceeded   a page, or a row, of more bytes than limits allow
    """
    schema = file.metadata.schema
    leaves = [leaf for leaf in range(len(schema)) if _is_below(schema.column(leaf).path, columns)]
    refuse_encrypted(schema, leaves, file.encrypted)
    for group in range(file.metadata.num_row_groups):
        rows = batch_rows(source, file.metadata, leaves, group, limits, most)
        yield from file.library.iter_batches(rows, row_groups=[group], columns=list(columns))


def _is_below(path: str, columns: Collection[str]) -> bool:
    """Whether a leaf is one of some columns, or inside of one."""
    return any(f"{path}.".startswith(f"{each}.") for each in columns)
