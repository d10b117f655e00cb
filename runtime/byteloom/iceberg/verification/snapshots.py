"""The files of each snapshot held to each other: live once, deletes that fit what they delete from.

The rules:

- A file is live once; a deletion vector is one by its place in its file.
- A deletion vector deletes from a data file that is live, not younger, in the same partition, and
  that no other vector deletes from.

Source: Iceberg table spec, "Deletion Vectors" and "Scan Planning".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from byteloom.errors import ByteloomError, FormatError
from byteloom.iceberg.manifests.inheritance import DELETED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.table import Table
    from byteloom.iceberg.verification.manifests import Content

__all__ = ["check_snapshots"]

_COLUMNS: Final = (
    *("content", "file_path", "file_format", "sequence_number", "spec_id"),
    *("content_offset", "referenced_data_file"),
)


def check_snapshots(table: Table, content: Content) -> Iterator[ByteloomError]:
    """Yield what is wrong with the files of each snapshot, each thing once."""
    told = set()
    for snapshot_id in table.metadata.snapshots:
        parts = content.of(snapshot_id)
        if parts is None:
            continue  # what cannot be read was told; what it holds may be all that seems amiss
        try:
            live = [_live(each) for each in parts]
            held = pa.concat_tables(live) if live else None
        except ByteloomError as error:
            yield error
            continue
        for each in () if held is None else _files(held):
            if str(each) not in told:
                told.add(str(each))
                yield each


def _live(entries: Entries) -> pa.Table:
    """The live files of a manifest."""
    rows = np.flatnonzero(entries.status != DELETED)
    held = entries.table(rows, columns=set(_COLUMNS))
    partitions = np.full(len(entries), "", object)
    for spec_id in np.unique(entries.spec_id).tolist():
        of_spec, tuples = entries.partition(spec_id)
        partitions[of_spec] = [repr(tuple(each.values())) for each in tuples.to_pylist()]
    return held.append_column("partition", pa.array(partitions[rows].tolist(), pa.string()))


def _files(held: pa.Table) -> Iterator[FormatError]:
    """What is wrong with the files of one snapshot."""
    counted = held.group_by(["file_path", "content_offset"]).aggregate([([], "count_all")])
    twice = counted.filter(pc.greater(counted.column("count_all"), 1))
    for path in twice.column("file_path").to_pylist():
        yield FormatError(path, None, "live twice in one snapshot", "each file once")
    formats = pc.utf8_lower(held.column("file_format"))
    vectors = held.filter(pc.and_(pc.equal(held.column("content"), 1), pc.equal(formats, "puffin")))
    if vectors.num_rows:
        data = held.filter(pc.equal(held.column("content"), 0))
        wanted = set(vectors.column("referenced_data_file").to_pylist())
        named = data.filter(pc.is_in(data.column("file_path"), pa.array(wanted, pa.large_string())))
        yield from _vectors(
            vectors.to_pylist(), {each["file_path"]: each for each in named.to_pylist()}
        )


def _vectors(
    vectors: list[dict[str, Any]], data: dict[str, dict[str, Any]]
) -> Iterator[FormatError]:
    """What is wrong with deletion vectors; *data* are the files that they name."""
    seen: dict[str, str] = {}
    for each in vectors:
        where = f"{each['file_path']}.{each['content_offset']}"
        path = each["referenced_data_file"]
        if path is None:
            yield FormatError(where, None, "no referenced_data_file", "the file it deletes from")
            continue
        if path in seen:
            wanted = f"one deletion vector a data file, not {seen[path]} too"
            yield FormatError(where, None, f"another one for {path}", wanted)
        seen[path] = where
        file = data.get(path)
        if file is None:
            yield FormatError(where, None, path, "a data file that is live in the snapshot")
            continue
        if each["sequence_number"] < file["sequence_number"]:
            found = f"sequence number {each['sequence_number']}"
            wanted = f"{file['sequence_number']} or more, that of {path}"
            yield FormatError(where, None, found, wanted)
        for key in ("spec_id", "partition"):
            if each[key] != file[key]:
                found, wanted = f"{key} {each[key]}", f"{file[key]}, that of {path}"
                yield FormatError(where, None, found, wanted)
