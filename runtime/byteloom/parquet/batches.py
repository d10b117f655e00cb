"""Read a whole Parquet file in batches that stay within limits.

Source: https://parquet.apache.org/docs/file-format/
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from byteloom.late import pq
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.parquet.footer import check_footer, refuse_unreadable
from byteloom.parquet.weights import batch_rows
from byteloom.storage.native import native_file

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    import pyarrow as pa

    from byteloom.parquet.footer import Unreadable
    from byteloom.storage import Source

__all__ = ["SoundFile", "batches_of", "sound_file"]

_ROWS = 1 << 17
"""Most rows of a batch."""


@dataclass(frozen=True, slots=True)
class SoundFile:
    """A `ParquetFile`, and its leaves that cannot be read, by number."""

    library: Any
    unreadable: Mapping[int, Unreadable]

    @property
    def metadata(self) -> Any:
        """The footer, as pyarrow has read it; its unreadable leaves must not be looked at."""
        return self.library.metadata

    @property
    def schema_arrow(self) -> pa.Schema:
        """The schema."""
        return self.library.schema_arrow


def sound_file(source: Source) -> SoundFile:
    """Return the file of *source*, after checking that pyarrow can read its footer safely.

    raises  the errors of `check_footer`; pyarrow's errors for other damage
    """
    file = pq.ParquetFile(native_file(source), page_checksum_verification=True)
    return SoundFile(file, check_footer(file.metadata, source))


def batches_of(
    source: Source,
    file: SoundFile,
    columns: Collection[str],
    limits: Limits = DEFAULT_LIMITS,
    most: int = _ROWS,
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of the columns with these names, which are names in the file's schema.

    file            the result of `sound_file`
    most            most rows of a batch
    FormatError     a damaged page header; other damage raises pyarrow's errors
    Unsupported     one of the columns is encrypted, or compressed by an unknown codec
    LimitExceeded   a page or a row has more bytes than limits allow
    """
    schema = file.metadata.schema
    leaves = [leaf for leaf in range(len(schema)) if _is_below(schema.column(leaf).path, columns)]
    refuse_unreadable(schema, leaves, file.unreadable)
    for group in range(file.metadata.num_row_groups):
        rows = batch_rows(source, file.metadata, leaves, group, limits, most)
        yield from file.library.iter_batches(rows, row_groups=[group], columns=list(columns))


def _is_below(path: str, columns: Collection[str]) -> bool:
    """Return whether a leaf is one of *columns*, or inside one."""
    return any(f"{path}.".startswith(f"{each}.") for each in columns)
