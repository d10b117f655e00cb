"""Entries of manifests as columns: what a scan plans with, and what metadata tables show.

The rules:

- An entry without a snapshot id has its manifest's; one without a sequence number has the
  manifest's if it was added (status 1), else it must tell its own, but in manifests of version 1.
- The first row id of a data file without one follows from its manifest's: the rows of the files
  before it that had none either are counted on.
- Text and bytes stay where they were inflated, as `Spans`, until `Entries.table` copies those of
  the rows that are asked for.

Source: Iceberg table spec, "Manifests", "Sequence Number Inheritance", "First Row ID Inheritance".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from byteloom.iceberg.expressions.stats import FileStats
    from byteloom.iceberg.manifests.manifest_list import ManifestList
    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.schema import Schema
    from byteloom.limits import Limits

__all__ = ["ALL_COLUMNS", "SCAN_COLUMNS", "Entries", "read_entries", "stream_entries"]

SCAN_COLUMNS: Final[frozenset[str]] = frozenset()
"""What planning a scan needs: everything but statistics."""

ALL_COLUMNS: Final[frozenset[str]] = frozenset()
"""SCAN_COLUMNS and the maps of statistics: ``column_sizes``, ``value_counts``, ..."""


@dataclass(slots=True)
class Entries:
    """Entries as columns, in the order of their manifests.

    Numbers are int64[row]; -1 stands for null (``sort_order_id``, ``content_offset``,
    ``content_size_in_bytes``, ``first_row_id``, ``file_sequence_number``, ``snapshot_id``).

    status, snapshot_id, sequence_number, file_sequence_number   after inheritance
    content, record_count, file_size_in_bytes, sort_order_id, content_offset,
    content_size_in_bytes, first_row_id (after inheritance)
    spec_id    of the entry's manifest
    manifest   the row of the entry's manifest in the list that was read
    file_path, file_format, key_metadata, referenced_data_file   `Spans`
    stats      `FileStats` of the columns asked for by ``stats_for``
    """

    status: NDArray[np.int64]
    snapshot_id: NDArray[np.int64]
    sequence_number: NDArray[np.int64]
    file_sequence_number: NDArray[np.int64]
    content: NDArray[np.int64]
    record_count: NDArray[np.int64]
    file_size_in_bytes: NDArray[np.int64]
    sort_order_id: NDArray[np.int64]
    content_offset: NDArray[np.int64]
    content_size_in_bytes: NDArray[np.int64]
    first_row_id: NDArray[np.int64]
    spec_id: NDArray[np.int64]
    manifest: NDArray[np.int64]

    def __len__(self) -> int:
        """Return the number of entries."""
        raise NotImplementedError

    @property
    def stats(self) -> FileStats:
        """The statistics that were asked for."""
        raise NotImplementedError

    def table(
        self, rows: NDArray[np.intp] | None = None, columns: Collection[str] | None = None
    ) -> pa.Table:
        """Return rows as an Arrow table with the spec's names.

        rows     all if None
        columns  of those that were read; all if None.  ``manifest`` (int32) and ``spec_id`` too
        """
        raise NotImplementedError

    def partition(self, spec_id: int) -> tuple[NDArray[np.intp], pa.StructArray]:
        """Return the rows of a spec, and their partition tuples as the spec's partition type."""
        raise NotImplementedError

    def take(self, rows: NDArray[np.intp]) -> Entries:
        """Return some entries, in this order; their bytes are copied, the rest is let go."""
        raise NotImplementedError


def read_entries(
    manifests: ManifestList,
    read: Callable[[str], bytes],
    specs: Mapping[int, PartitionSpec],
    schema: Schema,
    **options: Any,
) -> Entries:
    """Return the entries of all *manifests*; the options are those of `stream_entries`."""
    raise NotImplementedError


def stream_entries(
    manifests: ManifestList,
    read: Callable[[str], bytes],
    specs: Mapping[int, PartitionSpec],
    schema: Schema,
    *,
    columns: Collection[str] = SCAN_COLUMNS,
    stats_for: Collection[int] = (),
    with_deleted: bool = False,
    one_snapshot: bool = True,
    verify: bool = True,
    threads: int = 2,
    batch_size: int = 32 << 20,
    limits: Limits | None = None,
) -> Iterator[Entries]:
    """Return the entries of *manifests*, some manifests of one schema at a time, in their order.

    read          gives the whole file of a path; called from several threads
    specs         the table's, by id
    schema        whose columns give the types of partition values
    columns       names of fields of entries and data files
    stats_for     ids of columns whose counts and bounds are wanted
    with_deleted  whether entries of status 2 are kept
    one_snapshot  the manifests are those of one snapshot, in which no file may be live twice
    verify        hold each manifest to what the list says of it
    batch_size    bytes of content that are held at a time, of one manifest at least
    raises        `FormatError` that names the manifest
    """
    raise NotImplementedError
