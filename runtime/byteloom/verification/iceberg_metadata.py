"""Iceberg table metadata by itself, and tables with all files that it names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from byteloom.errors import ByteloomError, FormatError, beginning
from byteloom.iceberg.metadata import TableMetadata
from byteloom.iceberg.metadata.document import json_text, placed
from byteloom.iceberg.metadata.opening import is_metadata_file, stale_hint
from byteloom.iceberg.table import open_table
from byteloom.iceberg.verification.history import check_history
from byteloom.iceberg.verification.schemas import check_schemas
from byteloom.limits import DEFAULT_LIMITS
from byteloom.storage import Source
from byteloom.storage.sources import read_whole
from byteloom.verification.damage import Damage, counted

if TYPE_CHECKING:
    from byteloom.iceberg.table import Table

__all__ = ["verify", "verify_table"]


def verify(source: Source) -> str:
    """Check the metadata file alone, not the files that it names; return a summary of the table."""
    data = read_whole(source)
    metadata = TableMetadata.from_bytes(data)
    found = [*check_schemas(metadata), *check_history(metadata)]
    if found:
        raise Damage(_with_places(found, data))
    return _summary(metadata)


def _with_places(found: Sequence[ByteloomError], data: bytes) -> list[ByteloomError]:
    """Return the same errors; those about a metadata file get the offsets of their fields."""
    text = json_text(data, DEFAULT_LIMITS)
    return [
        _placed(each, text, data) if isinstance(each, FormatError) and each.file is None else each
        for each in found
    ]


def _placed(error: FormatError, text: bytes, data: bytes) -> FormatError:
    """Return the same error with the offset of its field."""
    try:
        with placed(text, data):
            raise error
    except FormatError as found:
        return found


def verify_table(
    place: str,
    relocate: Mapping[str, str],
    part: tuple[int, int],
    *,
    allow: Sequence[str] | None = None,
    rows: bool,
) -> str:
    """Check the table at *place*, a metadata file or a folder, with a part of its files.

    allow   prefixes below which files named by metadata must be to be read; None for anywhere
    rows    whether to read every row of the files, not only their sizes and row counts
    raises  `Damage`; if the table was moved, one of its errors is a `MovedTable`, which comes first
            if the
                files that the metadata names are sound or missing
    """
    table = open_table(place, relocate=relocate, allow=allow or None)
    found = table.verify(part=part, rows=rows)
    if found and part[0] == 0:
        found = _with_places(found, table.relocation.read(table.metadata_location))
        for each in found:
            if isinstance(each, FormatError):
                each.in_file(table.metadata_location)
    if found:
        raise Damage(found)
    checked = "every row read" if rows else "rows counted, not read"
    return f"{_summary(table.metadata)}, with all files, {checked}{_of_hint(place, table)}"


def _of_hint(place: str, table: Table) -> str:
    """Return what is odd about a table's version hint, which readers may follow, or nothing."""
    if is_metadata_file(place) or "#" in place:
        return ""
    text = stale_hint(place, table.relocation)
    if text is None:
        return ""
    used = table.metadata_location.rpartition("/")[2]
    said = f"version-hint.text says {beginning(text, 50)}"
    return f"; {said}, a version without a metadata file, so {used} was checked"


def _summary(metadata: TableMetadata) -> str:
    """Return a one-line summary of a table."""
    return f"version {metadata.format_version}, {counted(len(metadata.snapshots), 'snapshot')}"
