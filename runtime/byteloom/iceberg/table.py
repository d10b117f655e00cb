"""A table: its metadata, and where its files lie.

Source: Iceberg table spec, "Table Metadata".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.iceberg.metadata import Relocation, TableMetadata, find_metadata
from byteloom.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from byteloom.iceberg.schema import Schema

__all__ = ["Table", "open_table"]


class Table:
    """An Iceberg table as one metadata file says it is.

    metadata           what the file says
    metadata_location  its path, as given
    relocation         where files lie whose paths were written elsewhere
    """

    def __init__(
        self,
        metadata: TableMetadata,
        metadata_location: str,
        relocation: Relocation | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        """Take what is known; nothing is read."""
        self.metadata = metadata
        self.metadata_location = metadata_location
        self.relocation = relocation or Relocation()
        self.limits = limits

    @property
    def schema(self) -> Schema:
        """The current schema."""
        return self.metadata.schema()

    def __repr__(self) -> str:
        """The place and the version."""
        return f"<Table {self.metadata.location} v{self.metadata.format_version}>"


def open_table(
    place: str | os.PathLike[str],
    *,
    relocate: Mapping[str, str] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Table:
    """Open the table at *place*.

    place        a metadata file, or a table's folder (the newest metadata in it): path or URL
    relocate     prefixes as written in metadata, to as they are now
    FormatError  what lies there is no table metadata
    StorageError nothing lies there
    """
    relocation = Relocation(dict(relocate or {}))
    location = find_metadata(str(place), relocation)
    metadata = TableMetadata.from_bytes(relocation.read(location), limits=limits)
    return Table(metadata, location, relocation, limits)
