"""Write Lance datasets: create, append or overwrite.

Source: https://lance.org/format/table/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from byteloom.lance.dataset.jobs import ROWS, begin_write
from byteloom.lance.writing.streams import stream_of
from byteloom.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    import os

    from byteloom.lance.dataset.dataset import Dataset

__all__ = ["write_dataset"]


def write_dataset(  # noqa: PLR0913  where, what, and how
    place: str | os.PathLike[str],
    data: Any,
    *,
    mode: str = "create",
    version: str | None = None,
    max_rows_per_file: int = ROWS,
    filesystem: Any = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Dataset:
    """Write rows as a version of a Lance dataset, and return it.

    The version appears whole, when all rows are written.  If another writer creates a version in
    the meantime, this one follows it.

    Args:
        place: The path or the URL of its folder.
        data: Arrow data in any form: a table, a stream, batches.  Rows to append may lack fields
            that may be null.
        mode: ``create`` for a new dataset, ``append`` for rows after those of the newest version,
            ``overwrite`` for rows and a schema that replace the existing ones.
        version: The version of the format of data files, ``2.0``, ``2.1`` or ``2.2``; None for the
            dataset's version, or ``2.2`` for a new one.
        max_rows_per_file: Most rows of a fragment.
        filesystem: A filesystem of fsspec, in which *place* is a path; `pyarrow.fs` can only be
            read.
        limits: What reading one file may cost.

    Returns:
        The version.

    Raises:
        AlreadyExists: A dataset is to be created, and there is one.
        CommitConflict: Another writer creates it, or changes the schema, in the meantime.
        FormatError: The rows have another schema than the dataset.
        Unsupported: A type cannot be written.
        StorageError: A file cannot be written.

    Example:
        >>> import pyarrow as pa
        >>> from byteloom import lance
        >>> trips = lance.write_dataset("trips.lance", pa.table({"id": range(5)}))
        >>> trips = lance.write_dataset("trips.lance", pa.table({"id": [9]}), mode="append")
        >>> trips.version, trips.count()
        (2, 6)

    Source: https://lance.org/format/table/transaction/
    """
    stream = stream_of(data)
    job = begin_write(
        place,
        stream.schema,
        mode=mode,
        version=version,
        max_rows_per_file=max_rows_per_file,
        filesystem=filesystem,
        limits=limits,
    )
    return job.commit(job.write(stream.batches))
