"""Read or check a whole Parquet file within limits.

Source: https://parquet.apache.org/docs/file-format/
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa

from byteloom.errors import FormatError, LimitExceeded, Unsupported, found_by
from byteloom.files.kinds import ENCRYPTED_PARQUET, kind_of
from byteloom.parquet.batches import batches_of, sound_file
from byteloom.storage.sources import BytesSource

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from byteloom.limits import Limits
    from byteloom.storage import Source

__all__ = ["check_rows", "count_rows", "read_columns"]


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
