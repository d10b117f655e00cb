"""New rows in place of all rows of the partitions that they are in.

The rules:

- Partitions are those of the table's current spec; files of another spec stay. In a table without
  partitions all files go.
- Other writers may not have changed these partitions in the meantime. Under the isolation level
  ``snapshot`` they may have added rows, which go too: which files go is found anew on each attempt.
- Delete files of the partitions go with the data files. Without rows, nothing changes.

Source: Java's ``ReplacePartitions``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.iceberg.commits.partition_sets import PartitionSet
from byteloom.iceberg.commits.snapshots import Effects, commit_snapshot
from byteloom.iceberg.commits.staging import staging_of
from byteloom.iceberg.commits.validation import Validation
from byteloom.iceberg.manifests.entries import read_entries
from byteloom.iceberg.writing.data_files import DataFiles
from byteloom.iceberg.writing.rows import rows_of
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from byteloom.iceberg.stored_table import AnyTable, StoredTable
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["replace_partitions"]

_COLUMNS: Final = frozenset({"file_path", "content", "content_offset", "partition"})


def replace_partitions(
    table: AnyTable,
    rows: Any,
    *,
    branch: str,
    stage: bool | str = False,
    wap_id: str | None = None,
) -> AnyTable:
    """Return a table with rows in place of their partitions; see `Table.overwrite_partitions`."""
    table.catalog.check(table)
    is_staged, summary = staging_of(table, stage, wap_id)
    with DataFiles(table) as files:
        files.write(rows_of(rows, table.schema))
        if not files.entries:
            return table
        partitions = PartitionSet.of(table, files.entries)
        validation = Validation.of("replaced partitions", table, branch, partitions=partitions)
        replacement = _Replacement(table, files, partitions, summary)
        return commit_snapshot(table, replacement, validation, branch=branch, is_staged=is_staged)


@dataclass
class _Replacement:
    """The data files of new rows, and their partitions.

    Attributes:
        first: The table when the files were written.
        files: The files.
        partitions: Their partitions.
        summary: Further keys of the summary.
    """

    first: StoredTable
    files: DataFiles
    partitions: PartitionSet
    summary: dict[str, str]

    def effects(self, base: StoredTable, head: Snapshot | None) -> Effects:
        """Return the new files, and the files of their partitions that the branch has."""
        partitions = self.partitions
        manifests = base.manifests(head)
        is_own = np.isin(manifests.numbers("partition_spec_id"), partitions.spec_ids)
        entries = read_entries(
            manifests.take(np.flatnonzero(is_own | partitions.has_all)),
            base.relocation.read,
            base.metadata.partition_specs,
            self.first.schema,
            columns=_COLUMNS,
            limits=base.limits,
        )
        held = entries.view(np.flatnonzero(partitions.among(entries))).table(columns=_COLUMNS)
        paths, offsets = held["file_path"].to_pylist(), held["content_offset"].to_pylist()
        kinds = held["content"].to_pylist()
        files = list(zip(paths, offsets, kinds, strict=True))
        return Effects(
            "overwrite",
            self.files.entries,
            [path for path, _, kind in files if kind == FileContent.DATA],
            [(path, offset) for path, offset, kind in files if kind != FileContent.DATA],
            {"replace-partitions": "true", **self.summary},
        )

    def keep(self) -> None:
        """Let the files stay whatever happens: a snapshot may have them."""
        self.files.keep()
