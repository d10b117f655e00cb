"""Catalogs of pyiceberg: REST, Hive, Glue and others, through their own ``commit_table``.

The rules:

- Every commit asks for the same table, and for branches where they were: a catalog compares that
  with its newest state, which is the only guard that all of them have.
- An answer that is neither yes nor a plain no leaves open whether the commit was made, such as a
  time-out, a lost connection, an error of a server or of a driver.
- Where pyiceberg writes the metadata file itself, it writes versions 1 and 2.

Source: https://py.iceberg.apache.org/reference/pyiceberg/catalog; the REST catalog spec.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter
from pyiceberg import exceptions
from pyiceberg.catalog.noop import NoopCatalog
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.sorting import SortOrder
from pyiceberg.table.update import TableRequirement, TableUpdate

from byteloom.errors import AlreadyExists, CommitConflict, CommitUnknown, StorageError, Unsupported
from byteloom.iceberg.commits.applying import check_requirements
from byteloom.iceberg.commits.metadata_files import check_written
from byteloom.iceberg.metadata.catalogs import asking
from byteloom.iceberg.metadata.opening import read_metadata
from byteloom.redaction import shown_cause
from byteloom_generated.iceberg.table_updates import RemoveProperties, UpgradeFormatVersion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyiceberg.catalog import Catalog as Asked
    from pyiceberg.table import Table

    from byteloom.documents.json_record import JsonRecord
    from byteloom.iceberg.metadata import TableMetadata
    from byteloom.iceberg.metadata.relocation import Relocation
    from byteloom.iceberg.stored_table import AnyTable, StoredTable
    from byteloom.limits import Limits

__all__ = ["PyicebergCatalog"]

_REFUSED: Final = ("DynamoDbCatalog", "BigQueryMetastoreCatalog")
_NO: Final = (
    exceptions.AuthorizationExpiredError,
    exceptions.BadRequestError,
    exceptions.ForbiddenError,
    exceptions.NoSuchTableError,
    exceptions.TooManyRequestsError,
    exceptions.UnauthorizedError,
    NotImplementedError,
)
"""What a catalog raises that has not made the commit, and would not make it later."""

_REFUSALS: Final = {*range(400, 500)} - {HTTPStatus.REQUEST_TIMEOUT}
"""Statuses of requests that a server does not carry out."""

_REQUIREMENT: Final = TypeAdapter(TableRequirement)
_UPDATE: Final = TypeAdapter(TableUpdate)
_OTHER_ACTIONS: Final = {"add-partition-spec": "add-spec"}
"""Updates that the REST protocol names otherwise than its spec does."""


class PyicebergCatalog:
    """A catalog that pyiceberg speaks to."""

    def __init__(self, catalog: Asked) -> None:
        """Keep the catalog of pyiceberg; it is not asked anything yet."""
        self._catalog = catalog
        self._loaded: dict[str, Table] = {}

    def check(self, table: StoredTable) -> None:
        """Refuse a table to which this catalog cannot commit, before anything is written."""
        self._check_version(table.metadata.format_version)
        check_written(table.metadata)

    def _check_version(self, version: int) -> None:
        """Refuse a catalog that cannot commit, or not tables of a version."""
        kind = type(self._catalog).__name__
        names = {each.__name__ for each in type(self._catalog).__mro__}
        is_noop = type(self._catalog) is NoopCatalog
        if is_noop or not names.isdisjoint(_REFUSED):
            wanted = "REST, SQL, Hive or Glue: pyiceberg does not commit to others"
            raise Unsupported("catalog", None, kind, wanted)
        if version > 2 and not isinstance(self._catalog, RestCatalog):  # noqa: PLR2004  see the rules
            found = f"{version}, and a {kind}"
            wanted = (
                "1 or 2, since pyiceberg writes no metadata of version 3, or a REST or SQL catalog"
            )
            raise Unsupported("format-version", None, found, wanted)

    def load(self, name: str) -> Table:
        """Return the table of a name as pyiceberg loads it."""
        with asking(name):
            found = self._loaded[name] = self._catalog.load_table(name)
            return found

    def newest(self, table: AnyTable) -> AnyTable:
        """Return a table in its current state."""
        location = self._location(_name_of(table))
        if location == table.metadata_location:
            return table
        metadata = read_metadata(location, table.relocation, table.limits)
        return table.at(metadata, location)

    def _location(self, name: str) -> str:
        """Return the newest metadata file of a table."""
        return self.load(name).metadata_location

    def commit(
        self, table: AnyTable, requirements: Sequence[JsonRecord], updates: Sequence[JsonRecord]
    ) -> AnyTable:
        """Return the table after the updates of *table*, if its state fulfils the requirements."""
        check_requirements(table.metadata, requirements, table.metadata.location)
        versions = [
            each.format_version for each in updates if isinstance(each, UpgradeFormatVersion)
        ]
        self._check_version(max([table.metadata.format_version, *versions]))
        name, version = _name_of(table), table.metadata.format_version
        asked = tuple(
            _REQUIREMENT.validate_python(_document(each, "type", version)) for each in requirements
        )
        changes = tuple(
            _UPDATE.validate_python(_document(_plain(each, table.metadata), "action", version))
            for each in updates
        )
        loaded = self._loaded.get(name) or self.load(name)
        try:
            made = self._catalog.commit_table(loaded, asked, changes)
        except exceptions.CommitFailedException as error:
            raise CommitConflict(f"{name}: {_line(error)}") from shown_cause(error)
        except Exception as error:  # noqa: BLE001  each catalog raises its own
            if _is_no(error):
                raise StorageError(f"{name}: {_line(error)}") from shown_cause(error)
            raise unknown(name, error) from shown_cause(error)
        location = made.metadata_location
        try:
            return table.at(read_metadata(location, table.relocation, table.limits), location)
        except StorageError as error:  # the commit is made
            raise unknown(name, error).at(location) from error

    def create(
        self,
        name: str,
        metadata: TableMetadata,
        relocation: Relocation,  # noqa: ARG002  the catalog writes the file
        limits: Limits,  # noqa: ARG002
    ) -> str:
        """Create a table; return the path of its metadata file."""
        version = metadata.format_version
        self._check_version(version)
        check_written(metadata)
        properties = dict(metadata.properties) | {"format-version": str(version)}
        with asking(name):
            try:
                found = self._catalog.create_table(
                    name,
                    Schema.model_validate(metadata.schema().to_json()),
                    location=metadata.location or None,
                    partition_spec=PartitionSpec.model_validate(metadata.spec().to_json()),
                    sort_order=SortOrder.model_validate(
                        metadata.sort_orders[metadata.default_sort_order_id].to_json()
                    ),
                    properties=properties,
                )
            except exceptions.TableAlreadyExistsError as error:
                raise exists(name) from error
        return found.metadata_location

    def drop(self, name: str) -> None:
        """Remove a table from the catalog; its files stay."""
        with asking(name):
            self._catalog.drop_table(name)

    def list(self, namespace: str) -> list[str]:
        """Return the names of the tables in a namespace."""
        with asking(namespace):
            return sorted(".".join(each) for each in self._catalog.list_tables(namespace))


def exists(name: str) -> AlreadyExists:
    """Return the error about a table that exists already."""
    return AlreadyExists(f"{name}: there is an Iceberg table already")


def unknown(name: str, error: Exception) -> CommitUnknown:
    """Return the error about a commit of which the catalog did not say whether it was made."""
    return CommitUnknown(f"{name}: it is not known whether the commit was made: {_line(error)}")


def _is_no(error: Exception) -> bool:
    """Return whether an error says that a commit was not made, and will not be made later.

    Of most statuses that a server may answer, pyiceberg makes one exception.
    """
    if type(error) is exceptions.RESTError:
        status = getattr(getattr(error.__cause__, "response", None), "status_code", None)
        return status in _REFUSALS
    return isinstance(error, _NO)


def _line(error: Exception) -> str:
    """Return the first line of what an error says."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _name_of(table: StoredTable) -> str:
    """Return the name of a table in its catalog."""
    if table.name is None:
        raise Unsupported(table.metadata_location, None, "no name", "a table opened by its name")
    return table.name


def _plain(update: JsonRecord, metadata: TableMetadata) -> JsonRecord:
    """Return an update that pyiceberg applies: it fails for a property that the table lacks."""
    if isinstance(update, RemoveProperties):
        kept = [each for each in update.removals if each in metadata.properties]
        return RemoveProperties(removals=kept)
    return update


def _document(record: JsonRecord, key: str, version: int) -> dict[str, Any]:
    """Return the JSON of an update or a requirement by the REST protocol."""
    kind = type(record).NAME
    return {key: _OTHER_ACTIONS.get(kind, kind), **record.to_json(version=version)}
