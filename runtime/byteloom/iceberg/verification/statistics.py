"""Check statistics files against the metadata.

Source: Iceberg table spec, "Table Statistics" and "Partition Statistics"; Puffin spec.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from byteloom import puffin
from byteloom.errors import ByteloomError, FormatError
from byteloom.iceberg.verification.partition_statistics import check_partition_statistics

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.iceberg.stored_table import StoredTable
    from byteloom.iceberg.verification.manifests import Content
    from byteloom.puffin import PuffinFile
    from byteloom.storage import Source
    from byteloom_generated.iceberg.table_metadata import PartitionStatisticsFile, StatisticsFile

__all__ = ["check_statistics"]


def check_statistics(table: StoredTable, content: Content) -> Iterator[ByteloomError]:
    """Yield what is wrong with the statistics files of a table."""
    document = table.metadata.document
    yield from _of_no_snapshot(table, "statistics", document.statistics)
    yield from _of_no_snapshot(table, "partition-statistics", document.partition_statistics)
    for each in document.statistics:
        try:
            with closing(table.relocation.open(each.statistics_path)) as source:
                _check_size(source, each.file_size_in_bytes)
                with puffin.open(source, limits=table.limits) as file:
                    _check_footer(file, each)
                    file.verify()
        except FormatError as error:
            yield error.in_file(each.statistics_path)
        except ByteloomError as error:
            yield error
    for partitions in document.partition_statistics:
        try:
            with closing(table.relocation.open(partitions.statistics_path)) as source:
                _check_size(source, partitions.file_size_in_bytes)
                for found in check_partition_statistics(table, content, partitions, source):
                    yield found.in_file(partitions.statistics_path)
        except FormatError as error:
            yield error.in_file(partitions.statistics_path)
        except ByteloomError as error:
            yield error


def _of_no_snapshot(
    table: StoredTable, name: str, files: Sequence[StatisticsFile | PartitionStatisticsFile]
) -> Iterator[FormatError]:
    """Yield statistics of a snapshot that the table does not have: they go when it expires."""
    for number, each in enumerate(files):
        if each.snapshot_id not in table.metadata.snapshots:
            where = f"{name}[{number}].snapshot-id"
            yield FormatError(where, None, str(each.snapshot_id), "a snapshot of the table")


def _check_size(source: Source, wanted: int) -> None:
    """Compare a file's size with the one in the metadata."""
    if source.size != wanted:
        found = f"{source.size} bytes"
        raise FormatError("file-size-in-bytes", None, found, f"{wanted}, as the metadata says")


def _check_footer(file: PuffinFile, stated: StatisticsFile) -> None:
    """Compare a footer with what the metadata states about it."""
    if file.footer_size != stated.file_footer_size_in_bytes:
        wanted = f"{stated.file_footer_size_in_bytes}, as the metadata says"
        raise FormatError("file-footer-size-in-bytes", None, str(file.footer_size), wanted)
    held = [(each.type, each.snapshot_id, each.sequence_number, each.fields) for each in file.blobs]
    for blob in stated.blob_metadata:
        wanted_blob = (blob.type, blob.snapshot_id, blob.sequence_number, blob.fields)
        if wanted_blob not in held:
            found = "no such blob in the footer"
            wanted = f"{blob.type} of fields {blob.fields} of snapshot {blob.snapshot_id}"
            raise FormatError("blob-metadata", None, found, wanted)
        properties = file.blobs[held.index(wanted_blob)].properties
        if blob.properties and blob.properties != properties:
            wanted = f"{properties}, as the file says"
            raise FormatError("blob-metadata.properties", None, str(blob.properties), wanted)
