"""Data files of tables, opened by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.datafiles.data_file import OpenOptions
from byteloom.iceberg.metadata import Relocation
from byteloom.iceberg.reading.table_files import TableFiles
from byteloom.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from byteloom.iceberg.name_mapping import NameMapping
    from byteloom.iceberg.reading.table_files import TableFile
    from byteloom.limits import Limits
    from byteloom.storage import Source

__all__ = ["opened_file"]


def opened_file(
    source: Source,
    kind: str = "parquet",
    mapping: NameMapping | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> TableFile:
    """Open a file as a table without any other files does."""
    return TableFiles(Relocation(), OpenOptions(mapping, limits)).open(
        kind, source.name, -1, source
    )
