"""Tables that pyiceberg writes below a folder, without a database or a server.

pyiceberg commits through a catalog; this one only remembers where the metadata of each table is.
It also copies all metadata whenever it asks a transaction for them, which takes half of its time:
here, a repeated request gets the earlier copy.
"""

from __future__ import annotations

from operator import is_not
from typing import TYPE_CHECKING, Any

import pyiceberg.table
from pyiceberg.catalog import MetastoreCatalog
from pyiceberg.catalog.noop import NoopCatalog
from pyiceberg.io import load_file_io
from pyiceberg.serializers import FromInputFile
from pyiceberg.table import CommitTableResponse, Table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["FolderCatalog"]

_NAME = "update_table_metadata"


class _Remembering:
    """What pyiceberg makes of metadata and updates, neither of which ever changes."""

    def __init__(self, make: Callable[..., Any]) -> None:
        self._make = make
        self._asked: tuple[Any, ...] = ()
        self._made: Any = None

    def __call__(self, metadata: Any, updates: tuple[Any, ...]) -> Any:
        asked = (metadata, *updates)
        if len(asked) != len(self._asked) or any(map(is_not, asked, self._asked)):
            self._asked, self._made = asked, self._make(metadata, updates)
        return self._made


setattr(pyiceberg.table, _NAME, _Remembering(getattr(pyiceberg.table, _NAME)))


class FolderCatalog(MetastoreCatalog, NoopCatalog):
    """Tables below a folder."""

    def __init__(self, folder: Path) -> None:
        """Begin with none."""
        super().__init__("folder", warehouse=str(folder))
        self._locations: dict[str, str] = {}

    def create(self, name: str, schema: Any, **options: Any) -> Table:
        """Make a table; the options are those of pyiceberg's ``create_table``."""
        location = f"{self.properties['warehouse']}/{name}"
        staged = self._create_staged_table(("db", name), schema, location, **options)
        self._keep(name, staged)
        return self.load_table(("db", name))

    def load_table(self, identifier: Any) -> Table:
        """Return a table as it is now."""
        name = identifier[-1]
        io = load_file_io({}, self._locations[name])
        metadata = FromInputFile.table_metadata(io.new_input(self._locations[name]))
        return Table(("db", name), metadata, self._locations[name], io, self)

    def commit_table(self, table: Table, requirements: Any, updates: Any) -> CommitTableResponse:
        """Write the metadata that follows."""
        name = table.name()[-1]
        current = self.load_table(table.name())
        staged = self._update_and_stage_table(current, table.name(), requirements, updates)
        self._keep(name, staged)
        return CommitTableResponse(
            metadata=staged.metadata, **{"metadata-location": staged.metadata_location}
        )

    def _keep(self, name: str, staged: Any) -> None:
        """Write metadata, and remember where."""
        self._write_metadata(staged.metadata, staged.io, staged.metadata_location)
        self._locations[name] = staged.metadata_location
