"""SQL catalogs: a commit replaces the path of the metadata file in the table's row.

The rules:

- The metadata file is written first, under a name of its own; the row then changes only if it
  still has the path that the commit builds on, which the database decides in one statement.
- An error before the transaction ends undoes it. Afterwards it is looked up which file is current.

The table of SQL is that of Java's ``JdbcCatalog`` and of pyiceberg's ``SqlCatalog``, whose
connection is used; the metadata is ours, since pyiceberg writes none of version 3.

Source: Java's ``JdbcTableOperations`` and pyiceberg's ``SqlCatalog``.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from pyiceberg.catalog import Catalog
from pyiceberg.catalog.sql import IcebergTables
from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from byteloom.errors import ByteloomError, CommitConflict, StorageError
from byteloom.iceberg.commits.applying import after, check_requirements
from byteloom.iceberg.commits.metadata_files import check_written, forget_old_files, metadata_file
from byteloom.iceberg.commits.pyiceberg_catalog import PyicebergCatalog, exists, unknown
from byteloom.iceberg.metadata import TableMetadata
from byteloom.iceberg.metadata.catalogs import asking, handed_out
from byteloom.iceberg.metadata.opening import version_of
from byteloom.iceberg.metadata.relocation import Access
from byteloom.iceberg.properties import Properties
from byteloom.iceberg.writing.locations import metadata_folder
from byteloom.redaction import shown_cause

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyiceberg.catalog.sql import SqlCatalog
    from sqlalchemy import Connection

    from byteloom.documents.json_record import JsonRecord
    from byteloom.iceberg.metadata.relocation import Relocation
    from byteloom.iceberg.stored_table import AnyTable
    from byteloom.limits import Limits

__all__ = ["SqlTables"]

_LOCKED: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class SqlTables(PyicebergCatalog):
    """An SQL catalog, with metadata of any version."""

    _catalog: SqlCatalog

    def _check_version(self, version: int) -> None:
        """Take tables of every version."""

    def _location(self, name: str) -> str:
        """Return the newest metadata file of a table."""
        query = select(IcebergTables.metadata_location).where(*self._row(name))
        with asking(name), self._catalog.engine.connect() as connection:
            found = connection.scalar(query)
        if found is None:
            raise StorageError(f"{name}: no such table in the catalog {self._catalog.name}")
        return str(found)

    def commit(
        self, table: AnyTable, requirements: Sequence[JsonRecord], updates: Sequence[JsonRecord]
    ) -> AnyTable:
        """Return the table after the updates of *table*, if its metadata is still the newest."""
        name = table.name or ""
        check_requirements(table.metadata, requirements, table.metadata.location)
        metadata = after(table.metadata, updates, table.metadata_location)
        check_written(metadata)
        version = version_of(table.metadata_location.rpartition("/")[2]) or 0
        location = _new_file(metadata, version + 1, table.relocation)
        if not self._swap(name, table.metadata_location, location):
            table.relocation.remove(location)
            raise CommitConflict(f"{name}: another writer has replaced {table.metadata_location}")
        with suppress(ByteloomError):  # the commit is made
            forget_old_files(table, metadata)
        return table.at(metadata, location)

    def _swap(self, name: str, old: str, new: str) -> bool:
        """Replace the path of a table's metadata; return whether it was the old one.

        Raises:
            CommitUnknown: The database did not say whether it was replaced.
        """
        change = (
            update(IcebergTables)
            .where(*self._row(name), IcebergTables.metadata_location == old)
            .values(metadata_location=new, previous_metadata_location=old)
        )
        try:
            with self._connected() as connection:
                count = connection.execute(change).rowcount
        except Exception as error:  # noqa: BLE001  each driver raises its own
            if getattr(getattr(error, "orig", None), "sqlite_errorcode", None) in _LOCKED:
                return False
            raise unknown(name, error).at(new) from shown_cause(error)
        return bool(count == 1)

    def create(
        self,
        name: str,
        metadata: TableMetadata,
        relocation: Relocation,
        limits: Limits,  # noqa: ARG002  nothing is read
    ) -> str:
        """Create a table below its namespace; return the path of its metadata file."""
        space, own = self._parts(name)
        with asking(name):
            if not self._catalog.namespace_exists(space):
                raise StorageError(f"{name}: no namespace {space} in the catalog")
            wanted = metadata.location or None
            place = self._catalog._resolve_table_location(wanted, space, own)  # noqa: SLF001  its rule
        metadata = TableMetadata.from_json(metadata.to_json() | {"location": place})
        check_written(metadata)
        access = relocation.access
        options = {**handed_out(self._catalog), **access.options}
        relocation = replace(relocation, access=Access(access.filesystem, options))
        location = _new_file(metadata, 0, relocation)
        row = self._catalog._create_table_row(space, own, location)  # noqa: SLF001  its rule
        try:
            with self._connected() as connection:
                connection.execute(insert(IcebergTables).values(**row))
        except IntegrityError as error:
            relocation.remove(location)
            raise exists(name) from error
        except Exception as error:  # noqa: BLE001  each driver raises its own
            raise unknown(name, error).at(location) from shown_cause(error)
        return location

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        """Yield a connection; what is done with it is committed in the end."""
        with self._catalog.engine.connect() as connection:
            try:
                yield connection
                connection.commit()
            except BaseException:
                # By the driver itself: a later question must not see what is only half made.
                with suppress(Exception):
                    connection.connection.rollback()
                raise

    def _row(self, name: str) -> tuple[Any, ...]:
        """Return the conditions that a table's row fulfils."""
        space, own = self._parts(name)
        return (
            IcebergTables.catalog_name == self._catalog.name,
            IcebergTables.table_namespace == space,
            IcebergTables.table_name == own,
        )

    def _parts(self, name: str) -> tuple[str, str]:
        """Return the namespace and the own name of a table."""
        with asking(name):
            space = Catalog.namespace_to_string(Catalog.namespace_from(name))
            return space, Catalog.table_name_from(name)


def _new_file(metadata: TableMetadata, version: int, relocation: Relocation) -> str:
    """Write a metadata file that nothing names yet; return its path."""
    data, ending = metadata_file(metadata)
    folder = metadata_folder(metadata.location, Properties(metadata.properties))
    location = f"{folder}/{version:05d}-{uuid4()}{ending}"
    relocation.write(location, data)
    return location
