"""A table as it is stored: its metadata, where its files are, and the catalog that keeps it.

Planning, reading and verifying are given this; `byteloom.iceberg.table` builds upon it.

Source: Iceberg table spec, "Table Metadata".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self, TypeVar

from byteloom.errors import Unsupported
from byteloom.iceberg.metadata import Relocation
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.redaction import redacted
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.documents.json_record import JsonRecord
    from byteloom.iceberg.manifests.manifest_list import ManifestList
    from byteloom.iceberg.metadata import HasMetadataLocation, TableMetadata
    from byteloom.iceberg.schema import Schema
    from byteloom.moments import Moment
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["AnyTable", "Catalog", "StoredTable"]

AnyTable = TypeVar("AnyTable", bound="StoredTable")


class Catalog(Protocol):
    """Where tables are kept: it knows the newest metadata of each, and replaces it in one step."""

    def load(self, name: str) -> str | HasMetadataLocation:
        """Return the table of a name, as `open_table` takes it.

        Raises:
            StorageError: No such table.
        """

    def drop(self, name: str) -> None:
        """Remove a table from the catalog.

        Raises:
            StorageError: No such table.
        """

    def list(self, namespace: str) -> list[str]:
        """Return the names of the tables in a namespace, in their order."""

    def check(self, table: StoredTable) -> None:
        """Refuse a table to which this catalog cannot commit, before anything is written.

        Raises:
            Unsupported: The table, or its place, with the reason.
        """

    def newest(self, table: AnyTable) -> AnyTable:
        """Return a table in its current state."""

    def commit(
        self, table: AnyTable, requirements: Sequence[JsonRecord], updates: Sequence[JsonRecord]
    ) -> AnyTable:
        """Return the table after the updates of *table*, if its state fulfils the requirements.

        Args:
            table: The state that the updates are for.
            requirements: Records of `byteloom_generated.iceberg.table_updates`.
            updates: The same.

        Raises:
            CommitConflict: Another writer has committed since: nothing is changed.
            CommitUnknown: The commit may have been made.
        """

    def create(
        self, name: str, metadata: TableMetadata, relocation: Relocation, limits: Limits
    ) -> str:
        """Create a table; return the path of its metadata file.

        Args:
            name: The table's name in the catalog.
            metadata: Its first metadata; the catalog says where the table is if its location is
                empty.
            relocation: How its files are reached.
            limits: What reading metadata may cost.

        Raises:
            AlreadyExists: There is a table of that name.
        """


class StoredTable:
    """An Iceberg table as of one metadata file.

    Attributes:
        metadata: The content of the file.
        metadata_location: Its path, as given.
        relocation: Where the files are now, if the table was moved.
        name: The table's name in its catalog; None if it is kept by its folder.
    """

    def __init__(  # noqa: PLR0913  what a table consists of
        self,
        metadata: TableMetadata,
        metadata_location: str,
        relocation: Relocation | None = None,
        limits: Limits = DEFAULT_LIMITS,
        *,
        catalog: Catalog | None = None,
        name: str | None = None,
    ) -> None:
        """Keep the metadata and where it is; nothing is read.

        Args:
            metadata: The content of the metadata file.
            metadata_location: The path of that file, for errors.
            relocation: Where the files are now; None for where the metadata names them.
            limits: What reading may cost.
            catalog: The catalog that keeps the table; None if it is only read.
            name: Its name there.
        """
        self.metadata = metadata
        self.metadata_location = metadata_location
        self.relocation = relocation or Relocation()
        self.limits = limits
        self.name = name
        self._catalog = catalog

    def at(self, metadata: TableMetadata, metadata_location: str) -> Self:
        """Return the same table as of another metadata file.

        Args:
            metadata: The content of that file.
            metadata_location: Its path.

        Returns:
            The table; this one stays as it is.
        """
        return type(self)(
            metadata,
            metadata_location,
            self.relocation,
            self.limits,
            catalog=self._catalog,
            name=self.name,
        )

    @property
    def catalog(self) -> Catalog:
        """The catalog to which changes of the table are committed.

        Raises:
            Unsupported: A table that was not opened through a catalog.
        """
        if self._catalog is None:
            wanted = "a table that open_table has opened"
            raise Unsupported(self.metadata_location, None, "no catalog", wanted)
        return self._catalog

    @property
    def schema(self) -> Schema:
        """The current schema."""
        return self.metadata.schema()

    @property
    def snapshots(self) -> list[Snapshot]:
        """The snapshots that have not expired, in the order of the metadata."""
        return list(self.metadata.snapshots.values())

    @property
    def current_snapshot(self) -> Snapshot | None:
        """The current snapshot; None for a table without one."""
        return self.metadata.snapshot()

    def snapshot_for(
        self, *, snapshot: int | None = None, as_of: Moment | None = None, ref: str | None = None
    ) -> Snapshot | None:
        """Return the snapshot with an id, at a moment, or of a branch or tag; else the current one.

        Args:
            snapshot: The id of a snapshot.
            as_of: A `datetime`, ISO 8601 (both UTC by default) or milliseconds since 1970: the
                snapshot that was current then.
            ref: The name of a branch or a tag.

        Returns:
            The snapshot; None for a table without one.

        Raises:
            FormatError: No such snapshot, branch or tag, or more than one of the three arguments.

        Example:
            >>> from byteloom.iceberg import open_table
            >>> orders = open_table("byteloom-samples/orders")
            >>> orders.snapshot_for(as_of="2023-11-16T02:30").snapshot_id
            1
        """
        with about_file(self.metadata_location):
            return self.metadata.snapshot_for(snapshot=snapshot, timestamp=as_of, ref=ref)

    def manifests(self, snapshot: Snapshot | None) -> ManifestList:
        """Return the manifests of *snapshot*, their list checked; empty if it is None.

        Args:
            snapshot: One of the table's snapshots.

        Returns:
            The manifests, with what their list states of each.

        Raises:
            FormatError: A list that is damaged, or that has impossible values.
            StorageError: A list that cannot be read.
        """
        from byteloom.iceberg.manifests.manifest_list import manifests_of

        specs = self.metadata.partition_specs
        return manifests_of(snapshot, self.relocation.read, specs, self.limits)

    def __repr__(self) -> str:
        """The place of the metadata file, and the format version."""
        return redacted(f"<Table {self.metadata.location} v{self.metadata.format_version}>")
