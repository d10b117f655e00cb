"""Check statistics files against the metadata, and those of partitions against their files.

The rules of partition statistics:

- Each partition with live files has a row, whose counts are those of its files.  The row of a
  partition without files counts nothing.
- Columns are found by their ids; absent ones, and those about the last update, are not checked.
- Only Parquet files are read; the snapshot may have expired.

Source: Iceberg table spec, "Table Statistics" and "Partition Statistics"; Puffin spec.
"""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom import puffin
from byteloom.datafiles.fields import field_id, inner_fields
from byteloom.errors import ByteloomError, FormatError
from byteloom.files.kinds import PARQUET, kind_of
from byteloom.iceberg.manifests.joining import joined_entries
from byteloom.iceberg.metadata_tables.partition_types import partition_column, table_partition_type
from byteloom.iceberg.reading.read_context import ReadContext
from byteloom.iceberg.types import BinaryType, NestedField
from byteloom_generated.iceberg.manifests import EntryStatus, FileContent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.iceberg.stored_table import StoredTable
    from byteloom.iceberg.verification.manifests import Content
    from byteloom.puffin import PuffinFile
    from byteloom.storage import Source
    from byteloom_generated.iceberg.table_metadata import PartitionStatisticsFile, StatisticsFile


__all__ = ["check_partition_statistics", "check_statistics"]


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


_PARTITION, _SPEC_ID = 1, 2
_COUNTS: Final = {
    3: "data_record_count",
    4: "data_file_count",
    5: "total_data_file_size_in_bytes",
    6: "position_delete_record_count",
    7: "position_delete_file_count",
    8: "equality_delete_record_count",
    9: "equality_delete_file_count",
    13: "dv_count",
}
_ROWS_AND_FILES: Final = {
    FileContent.DATA: (3, 4),
    FileContent.POSITION_DELETES: (6, 7),
    FileContent.EQUALITY_DELETES: (8, 9),
}
_SIZE, _VECTORS = 5, 13


def check_partition_statistics(
    table: StoredTable, content: Content, stated: PartitionStatisticsFile, source: Source
) -> Iterator[FormatError]:
    """Yield the counts of a file that are not those of its snapshot's partitions."""
    parts = content.of(stated.snapshot_id)
    if not parts or kind_of(source) != PARQUET:
        return
    expected = _counted(table, parts)
    columns = dict(_columns(table, stated.statistics_path, source))
    if not {_PARTITION, _SPEC_ID} <= columns.keys():
        return
    keys = list(zip(columns[_SPEC_ID], map(_key, columns[_PARTITION]), strict=True))
    for row, key in enumerate(keys):
        counts = expected.pop(key, None)
        if counts is None:
            if any(columns[number][row] for number in columns.keys() & _COUNTS.keys()):
                wanted = "one with live files in the snapshot, or counts of 0"
                yield FormatError(f"rows[{row}].partition", None, _text(key), wanted)
            continue
        for number, name in _COUNTS.items():
            found = columns[number][row] if number in columns else counts[number]
            if (found or 0) != counts[number]:
                where = f"rows[{row}].{name}"
                wanted = f"{counts[number]}, as the files of the partition have"
                yield FormatError(where, None, str(found), wanted)
    for key in list(expected)[:1]:
        wanted = f"one of the partition {_text(key)}, which has files"
        yield FormatError("rows", None, "no row", wanted)


def _counted(table: StoredTable, parts: list[Any]) -> dict[tuple[int, Any], Counter[int]]:
    """Return the counts of each partition with live files, by their columns."""
    entries = joined_entries(
        [each.take(np.flatnonzero(each.status != EntryStatus.DELETED)) for each in parts]
    )
    of = table_partition_type(table.metadata)
    tuples = partition_column(entries, of).to_pylist() if of.fields else [{}] * len(entries)
    ids = {each.name: each.id for each in of.fields}
    made: dict[tuple[int, Any], Counter[int]] = {}
    for row, values in enumerate(tuples):
        named = {ids[name]: value for name, value in values.items()}
        counts = made.setdefault((int(entries.spec_id[row]), _key(named)), Counter())
        kind = FileContent(int(entries.content[row]))
        rows, files = _ROWS_AND_FILES[kind]
        counts[rows] += int(entries.record_count[row])
        counts[_VECTORS if entries.content_offset[row] >= 0 else files] += 1
        if kind == FileContent.DATA:
            counts[_SIZE] += int(entries.file_size_in_bytes[row])
    return made


def _text(key: tuple[int, Any]) -> str:
    """Return a partition as text."""
    return f"({', '.join(value for _, value in key[1])}) of spec {key[0]}"


def _key(values: dict[int, Any] | None) -> tuple[tuple[int, Any], ...]:
    """Return the values of a partition in a form that can be compared, without nulls."""
    known = sorted((values or {}).items())
    return tuple((each, repr(value)) for each, value in known if value is not None)


def _columns(table: StoredTable, path: str, source: Source) -> Iterator[tuple[int, list[Any]]]:
    """Yield the columns of a file by id; partitions are values by the ids of their fields."""
    files = ReadContext(table, table.schema, []).files
    with closing(files.open("parquet", path, source.size, source)) as data:
        wanted = [NestedField(field_id(each), each.name, BinaryType()) for each in data.columns]
        pieces = list(data.pieces(wanted))
    for at, field in enumerate(pieces[0].fields if pieces else ()):
        values = [value for piece in pieces for value in piece.arrays[at].to_pylist()]
        if field_id(field) == _PARTITION:
            ids = {each.name: field_id(each) for each in inner_fields(field.type)}
            values = [{ids[name]: each for name, each in (of or {}).items()} for of in values]
        yield field_id(field), values
