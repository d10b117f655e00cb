"""Read or check a whole Parquet file, in batches that stay within limits.

Source: https://parquet.apache.org/docs/file-format/
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from byteloom.errors import FormatError, LimitExceeded, Unsupported, found_by
from byteloom.files.kinds import ENCRYPTED_PARQUET, kind_of
from byteloom.late import pq
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.parquet.footer import check_footer, refuse_unreadable
from byteloom.parquet.weights import batch_rows
from byteloom.storage.native import native_file
from byteloom.storage.sources import BytesSource

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from byteloom.limits import Limits
    from byteloom.parquet.footer import Unreadable
    from byteloom.storage import Source

__all__ = ["SoundFile", "batches_of", "check_rows", "count_rows", "read_columns", "sound_file"]

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


def read_columns(data: bytes, columns: Collection[str], limits: Limits) -> pa.Table:
    """Return a table of those of *columns* that the file has.

    data           the file
    columns        names of whole columns
    FormatError    a damaged file
    Unsupported    an encrypted one
    LimitExceeded  rows of more bytes than ``limits.decompressed_size`` and ``limits.expansion``
                   for each byte of the file
    """
    source = BytesSource(data)
    with _about_parquet(source):
        return _read(source, columns, limits)


def check_rows(source: Source, limits: Limits) -> int:
    """Read all rows of a file, some at a time, and return their number.

    raises  `FormatError` and `Unsupported` as `read_columns` does
    """
    with _about_parquet(source):
        file = sound_file(source)
        return sum(map(len, batches_of(source, file, file.schema_arrow.names, limits)))


def count_rows(source: Source) -> int:
    """Return the number of rows that the footer of a file says.

    raises  `FormatError` and `Unsupported` as `read_columns` does
    """
    with _about_parquet(source):
        return int(sound_file(source).metadata.num_rows)


@contextmanager
def _about_parquet(source: Source) -> Iterator[None]:
    """Turn errors of pyarrow into byteloom's in the block, which reads *source*."""
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        if kind_of(source) == ENCRYPTED_PARQUET:
            raise Unsupported("parquet", None, "an encrypted file", "an unencrypted one") from error
        found = found_by("a damaged file", error)
        raise FormatError("parquet", None, found, "a sound Parquet file") from error


def _read(source: Source, columns: Collection[str], limits: Limits) -> pa.Table:
    """Return the same as `read_columns`, with pyarrow's errors."""
    file = sound_file(source)
    schema = file.schema_arrow
    names = [each for each in dict.fromkeys(columns) if each in schema.names]
    most, size, held = limits.decompressed_size + limits.expansion * source.size, 0, []
    for batch in batches_of(source, file, names, limits):
        size += batch.nbytes
        if size > most:
            wanted = f"at most {most} (limits.decompressed_size, limits.expansion)"
            raise LimitExceeded("parquet", None, f"rows of more than {size} bytes", wanted)
        held.append(batch)
    return pa.Table.from_batches(held, pa.schema([schema.field(each) for each in names]))
