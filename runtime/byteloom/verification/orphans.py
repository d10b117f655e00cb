"""Files in the folders of Iceberg tables that no snapshot of their table names.

The rules:

- A data file belongs to the innermost table whose folder it is in.
- Files that only a deleted entry names are orphans as well: no snapshot reads them.
- Where manifests of the table cannot be read, no file is called an orphan.
- Links are followed in the names of files on disk alone, so that a table of many files is quick.
"""

from __future__ import annotations

from collections.abc import Mapping
from os.path import abspath, realpath

from byteloom.errors import ByteloomError

__all__ = ["Orphans"]


class Orphans:
    """Recognises orphans below the tables that were found."""

    def __init__(self, relocate: Mapping[str, str] | None = None) -> None:
        """Begin without tables; *relocate* maps their written paths to where files are now."""
        self._relocate = relocate or {}
        self._tables: list[str] = []
        self._names: dict[str, frozenset[str] | None] = {}

    def add_table(self, folder: str) -> None:
        """Add a table; files of its folder may be its orphans from now on."""
        self._tables.append(folder)

    def table_of(self, file: str) -> str | None:
        """Return the table in whose folder an orphan is; None if *file* is no orphan."""
        inside = [each for each in self._tables if file.startswith(f"{each.rstrip('/')}/")]
        if not inside:
            return None
        folder = max(inside, key=len)
        if folder not in self._names:
            self._names[folder] = self._read(folder)
        names = self._names[folder]
        is_named = names is None or abspath(file) in names or realpath(file) in names  # noqa: PTH100
        return None if is_named else folder

    def _read(self, folder: str) -> frozenset[str] | None:
        """Return the places of all files that a table names; None if they cannot be read."""
        from byteloom.iceberg.metadata_tables.files import entries_of
        from byteloom.iceberg.metadata_tables.manifests import distinct
        from byteloom.iceberg.table import open_table

        try:
            table = open_table(folder, relocate=self._relocate)
            if table.relocation.moved() is not None:
                return None
            found = entries_of(table, distinct(table), one_snapshot=False, columns={"file_path"})
            paths = found.table(columns={"file_path"}).column("file_path").to_pylist()
            statistics = table.metadata.document.partition_statistics
            paths += [each.statistics_path for each in statistics]
        except ByteloomError:
            return None
        return frozenset(abspath(table.relocation(each)) for each in paths)  # noqa: PTH100
