"""The new files of one job of writing: removed together if it fails.

The rules:

- Names have the number of the file in its job and the job's own id, so that no two jobs have one.
- A job that fails inside ``with`` removes its files, unless a snapshot may have them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Self
from uuid import uuid4

from byteloom.errors import Unsupported
from byteloom.iceberg.properties import Properties
from byteloom.iceberg.writing.locations import Locations

if TYPE_CHECKING:
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom.storage import Target

__all__ = ["Job"]

_PROVIDER: Final = "write.location-provider.impl"
"""A class of Java that chooses paths: files elsewhere would not be where the table wants them."""


class Job:
    """Files of a table that are in no snapshot yet."""

    def __init__(self, table: StoredTable) -> None:
        """Begin a job without files.

        Raises:
            FormatError: A property of the table that is no value of its kind.
            Unsupported: A table whose paths a class chooses.
        """
        self._table = table
        self._properties = Properties(table.metadata.properties)
        if self._properties.is_set(_PROVIDER):
            raise Unsupported(f"properties.{_PROVIDER}", None, "a class", "no such property")
        self._locations = Locations(table.metadata.location, self._properties)
        self._id = uuid4()
        self._paths: list[str] = []
        self._is_kept = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and not self._is_kept:
            self.remove()

    def keep(self) -> None:
        """Let the files stay whatever happens: a snapshot may have them."""
        self._is_kept = True

    def remove(self) -> None:
        """Remove all files of the job; failures are ignored."""
        for path in self._paths:
            self._table.relocation.remove(path)

    def _create(self, partition: str, ending: str) -> tuple[str, Target]:
        """Return the path of a new file, and where it is written.

        Args:
            partition: The folders of its partition, as `partition_path` has them; "" for none.
            ending: What follows the job's id in its name.
        """
        path = self._locations.data_file(partition, f"{len(self._paths):05}-{self._id}{ending}")
        target = self._table.relocation.create(path)
        self._paths.append(path)
        return path, target
