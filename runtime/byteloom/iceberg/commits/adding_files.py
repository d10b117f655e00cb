"""Files that exist already, in a snapshot of one branch.

The rules:

- Files are named by the paths that are given, made absolute; they stay where they are, and no
  failure removes them.
- A path that the branch has already is refused, on each attempt: another writer may have added it.

Source: Iceberg table spec, "Snapshots"; Java's ``AppendFiles``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from byteloom.errors import ArgumentError, CommitConflict
from byteloom.iceberg.commits.references import head_of
from byteloom.iceberg.commits.snapshots import Effects, commit_snapshot
from byteloom.iceberg.commits.validation import Validation
from byteloom.iceberg.metadata.document import MAIN
from byteloom.iceberg.metadata_tables import metadata_table
from byteloom.iceberg.name_mapping import NAME_MAPPING_PROPERTY
from byteloom.iceberg.writing.registered_files import RegisteredFiles
from byteloom.late import pa, pc

if TYPE_CHECKING:
    from byteloom.iceberg.stored_table import AnyTable, StoredTable
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["add_files", "would_add"]


def add_files(
    table: AnyTable,
    paths: Iterable[str | os.PathLike[str]],
    *,
    branch: str = MAIN,
    check_duplicate_files: bool = True,
) -> AnyTable:
    """Return a table after files were added to it as they are; see `Table.add_files`."""
    operation = _AddFiles(table, _registered(table, paths), check_duplicate_files)
    return commit_snapshot(
        table, operation, Validation.of("new rows", table, branch), branch=branch
    )


def would_add(
    table: StoredTable,
    paths: Iterable[str | os.PathLike[str]],
    *,
    branch: str = MAIN,
    check_duplicate_files: bool = True,
) -> Effects:
    """Return what `add_files` would commit; nothing is written."""
    operation = _AddFiles(table, _registered(table, paths), check_duplicate_files)
    return operation.effects(table, head_of(table, branch))


def _registered(table: StoredTable, paths: Iterable[str | os.PathLike[str]]) -> RegisteredFiles:
    """Return files with what their footers say."""
    table.catalog.check(table)
    if isinstance(paths, str | bytes | os.PathLike) or not isinstance(paths, Iterable):
        raise ArgumentError("paths", None, repr(paths), "a list of paths")
    files = RegisteredFiles(table)
    known = set[str]()
    for each in paths:
        if not isinstance(each, str | os.PathLike):
            raise ArgumentError("paths", None, repr(each), "the path of a file")
        path = _absolute(os.fspath(each))
        if path in known:
            raise ArgumentError("paths", None, f"{path} twice", "each file once")
        known.add(path)
        files.add(path)
    return files


def _absolute(path: str) -> str:
    """Return a local path from the root on; a URL as it is."""
    if "://" in path or path.startswith("file:"):
        return path
    return os.path.abspath(path)  # noqa: PTH100  resolving would follow symbolic links


@dataclass
class _AddFiles:
    """The files to be added.

    Attributes:
        first: The table that they are added to.
        files: The files.
        is_checked: Whether they are looked for in the branch.
    """

    first: StoredTable
    files: RegisteredFiles
    is_checked: bool

    def effects(self, base: StoredTable, head: Snapshot | None) -> Effects:
        """Return the files, unless the branch has one of them."""
        if self.is_checked and head is not None:
            paths = metadata_table(base, "data_files", snapshot=head.snapshot_id)["file_path"]
            added = pa.array([each["file_path"] for each in self.files.entries], paths.type)
            found = paths.filter(pc.is_in(paths, value_set=added))
            if len(found) and base.metadata is not self.first.metadata:
                raise CommitConflict(f"{found[0].as_py()}: another writer has added it")
            if len(found):
                wanted = "files that the table lacks"
                raise ArgumentError("paths", None, found[0].as_py(), wanted)
        has_names = NAME_MAPPING_PROPERTY in base.metadata.properties
        properties = {} if has_names else self.files.properties
        return Effects("append", self.files.entries, properties=properties)

    def keep(self) -> None:
        """Do nothing: the files are not removed in any case."""
