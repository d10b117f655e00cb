"""Check data files, delete files and deletion vectors against their manifest entries.

The rules:

- Data files must have values in all required columns.
- Every row of data files and delete files is read, unless only the metadata in them is wanted.
- A file is checked once, however many snapshots have it: its size, and the row count of its footer;
  but where manifests describe it in different ways, it is checked against each of them.
- A deletion vector is read whole: its place in the footer, its frame, its checksum, its number of
  positions, and what the footer says of it.

Source: Iceberg table spec, "Manifests"; Puffin spec, "deletion-vector-v1".
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom import puffin
from byteloom.errors import ByteloomError, FormatError, MissingFile
from byteloom.iceberg.manifests.containers import read_container
from byteloom.iceberg.reading.data_file import KINDS
from byteloom.iceberg.reading.opening import about, check_size
from byteloom.iceberg.reading.shared import Reading
from byteloom.iceberg.verification.read_columns import ReadColumns
from byteloom.iceberg.verification.required import RequiredColumns
from byteloom.iceberg.verification.rows import check_every_row
from byteloom.kinds import AVRO, expecting
from byteloom.orc.layout import OrcLayout
from byteloom.puffin.deletion_vector import BLOB_TYPE
from byteloom.storage.native import native_file
from byteloom_generated.iceberg.manifests import EntryStatus, FileContent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.iceberg.reading.data_file import Files
    from byteloom.iceberg.table import Table
    from byteloom.iceberg.types import NestedField
    from byteloom.iceberg.verification.manifests import Content
    from byteloom.storage import Source

__all__ = ["check_files"]

_COLUMNS: Final = (
    *(
        "content",
        "file_path",
        "file_format",
        "record_count",
        "file_size_in_bytes",
        "content_offset",
    ),
    *("content_size_in_bytes", "referenced_data_file", "key_metadata"),
)


def check_files(
    table: Table, content: Content, part: tuple[int, int] = (0, 1), *, rows: bool = True
) -> Iterator[ByteloomError]:
    """Yield what is wrong with files that are live in a snapshot.

    part  number of a part of the files, from 0, and of how many parts
    rows  whether to read every row, not only sizes, row counts and nulls in required columns
    """
    required, columns = RequiredColumns(table), ReadColumns(table, content)
    files = Reading(table, table.schema, []).files if rows else None
    number, parts = part
    for each in _distinct(content)[number::parts]:
        try:
            fields = columns.of(each["manifests"])
            for error in _check(table, each, required, files, fields):
                yield error.in_file(each["file_path"])
        except FormatError as error:
            yield error.in_file(each["file_path"])
        except MissingFile as error:
            yield error.because_of(each["manifests"][0])
        except ByteloomError as error:
            yield error


def _distinct(content: Content) -> list[dict[str, Any]]:
    """Return each file as manifests describe it: once if they all agree, with its `manifests`."""
    seen: dict[tuple[Any, ...], dict[str, Any]] = {}
    for manifest, entries in content.entries.items():
        live = np.flatnonzero(entries.status != EntryStatus.DELETED)
        for each in entries.table(live, columns=set(_COLUMNS)).to_pylist():
            known = seen.setdefault(tuple(each.values()), {**each, "manifests": []})
            known["manifests"].append(manifest)
    return list(seen.values())


def _check(
    table: Table,
    file: dict[str, Any],
    required: RequiredColumns,
    files: Files | None,
    fields: Sequence[NestedField],
) -> Iterator[FormatError]:
    """Check one file against its entry, and with *files* every row of it.

    fields  the columns that scans look for in it

    Damage of a file that has another size than its entry states is one finding: the size.
    """
    path, form = file["file_path"], file["file_format"].lower()
    with closing(table.relocation.open(path)) as source:
        wrong_size = _wrong_size(source, file)
        if wrong_size is not None:
            yield wrong_size
        if file["key_metadata"] is not None:
            return  # an encrypted file shows no rows
        try:
            if form == "puffin":
                _check_vector(table, source, file)
                return
            with expecting(KINDS.get(form, AVRO), source, path), about(path):
                rows = _rows(table, source, form)
        except FormatError:
            if wrong_size is None:
                raise
            return
    if file["record_count"] not in {None, rows}:
        wanted = f"{file['record_count']}, as its manifest says"
        yield FormatError("record_count", None, f"{rows} rows", wanted)
    is_data = file["content"] == FileContent.DATA
    wanted_fields = fields if is_data else ()
    found = [] if files is None else list(check_every_row(files, file, wanted_fields))
    yield from found
    if is_data and not found:
        required.check(path, form, file["file_size_in_bytes"])


def _wrong_size(source: Source, file: dict[str, Any]) -> FormatError | None:
    """Return the finding of a file whose size is not that of its entry."""
    try:
        check_size(file["file_path"], source.size, file["file_size_in_bytes"])
    except FormatError as error:
        return error
    return None


def _rows(table: Table, source: Source, form: str) -> int:
    """Return the number of rows according to a file's footer or its blocks."""
    if form == "parquet":
        from pyarrow.parquet import ParquetFile

        return int(ParquetFile(native_file(source)).metadata.num_rows)
    if form == "orc":
        from pyarrow.orc import ORCFile

        OrcLayout(source, table.limits)  # checked first, since the library relies on the footer
        return int(ORCFile(native_file(source)).nrows)
    return int(read_container(source.read(0, source.size), table.limits).blocks[:, 0].sum())


def _check_vector(table: Table, source: Source, file: dict[str, Any]) -> None:
    """Check a deletion vector against its entry."""
    offset, size = file["content_offset"], file["content_size_in_bytes"]
    if offset is None or size is None:
        raise FormatError("content_offset", None, "nothing", "the vector's place in the file")
    with puffin.open(source, limits=table.limits) as opened:
        blobs = [each for each in opened.blobs if (each.offset, each.length) == (offset, size)]
        if not blobs or blobs[0].type != BLOB_TYPE:
            wanted = f"a deletion vector of {size} bytes at {offset}, as its manifest says"
            raise FormatError("footer.payload.blobs", None, "no such blob", wanted)
        path = blobs[0].properties.get("referenced-data-file")
        if path != file["referenced_data_file"]:
            wanted = f"{file['referenced_data_file']}, as its manifest says"
            raise FormatError("referenced-data-file", None, str(path), wanted)
        vector = opened.deletion_vector(blobs[0])
        if file["record_count"] not in {None, len(vector)}:
            wanted = f"{file['record_count']}, as its manifest says"
            raise FormatError("cardinality", offset, f"{len(vector)} positions", wanted)
        for error in vector.contradictions(blobs[0]):
            raise error.inside(f"blobs[{opened.blobs.index(blobs[0])}]")
