"""Iceberg table metadata by itself, and tables with all files that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.iceberg.metadata import TableMetadata
from byteloom.iceberg.verification.history import check_history
from byteloom.iceberg.verification.schemas import check_schemas
from byteloom.storage.whole import read_whole
from byteloom.verification.damage import Damage
from byteloom.verification.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from byteloom.errors import ByteloomError
    from byteloom.storage import Source

__all__ = ["verify", "verify_table"]


def verify(source: Source) -> str:
    """Check the metadata file alone, not the files that it names; return a summary of the table."""
    metadata = TableMetadata.from_bytes(read_whole(source))
    found: list[ByteloomError] = [*check_schemas(metadata), *check_history(metadata)]
    if found:
        raise Damage(found)
    return _summary(metadata)


def verify_table(
    place: str, relocate: Mapping[str, str], part: tuple[int, int], *, rows: bool
) -> str:
    """Check the table at *place*, a metadata file or a folder, with a part of its files.

    rows  read every row of the files, not only their sizes and row counts
    """
    from byteloom.iceberg.table import open_table

    table = open_table(place, relocate=relocate)
    if found := table.verify(part=part, rows=rows):
        raise Damage(found)
    checked = "every row read" if rows else "rows counted, not read"
    return f"{_summary(table.metadata)}, with all files, {checked}"


def _summary(metadata: TableMetadata) -> str:
    """A table in a few words."""
    return f"version {metadata.format_version}, {counted(len(metadata.snapshots), 'snapshot')}"
