"""New rows in place of all rows of the partitions that they are in.

The rules:

- Partitions are those of the table's current spec; files of another spec stay. In a table without
  partitions all files go.
- Which files go is found anew on each attempt: rows that another writer has added to one of the
  partitions in the meantime go too.
- Delete files of the partitions go with the data files. Without rows, nothing changes.

Source: Java's ``ReplacePartitions``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.iceberg.commits.snapshots import Effects, commit_snapshot
from byteloom.iceberg.manifests.encoding import encoded_tuples, storage_tuples
from byteloom.iceberg.manifests.entries import read_entries
from byteloom.iceberg.transforms.arrays import storage_array
from byteloom.iceberg.writing.data_files import DataFiles
from byteloom.iceberg.writing.rows import rows_of
from byteloom.late import pc
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.stored_table import AnyTable, StoredTable
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["replace_partitions"]

_COLUMNS: Final = frozenset({"file_path", "content", "content_offset", "partition"})


def replace_partitions(table: AnyTable, rows: Any, *, branch: str) -> AnyTable:
    """Return a table with rows in place of their partitions; see `Table.overwrite_partitions`."""
    table.catalog.check(table)
    with DataFiles(table) as files:
        files.write(rows_of(rows, table.schema))
        if not files.entries:
            return table
        return commit_snapshot(table, _Replacement(table, files), branch=branch)


@dataclass
class _Replacement:
    """The data files of new rows, and their partitions.

    Attributes:
        first: The table when the files were written.
        files: The files.
    """

    first: StoredTable
    files: DataFiles

    def effects(self, base: StoredTable, head: Snapshot | None) -> Effects:
        """Return the new files, and the files of their partitions that the branch has."""
        spec = self.first.metadata.spec()
        manifests = base.manifests(head)
        is_own = manifests.numbers("partition_spec_id") == spec.spec_id
        entries = read_entries(
            manifests.take(np.flatnonzero(is_own | spec.is_unpartitioned)),
            base.relocation.read,
            base.metadata.partition_specs,
            self.first.schema,
            columns=_COLUMNS,
            limits=base.limits,
        )
        rows = np.arange(len(entries)) if spec.is_unpartitioned else self._among(entries)
        held = entries.view(rows).table(columns=_COLUMNS)
        paths, offsets = held["file_path"].to_pylist(), held["content_offset"].to_pylist()
        kinds = held["content"].to_pylist()
        files = list(zip(paths, offsets, kinds, strict=True))
        return Effects(
            "overwrite",
            self.files.entries,
            [path for path, _, kind in files if kind == FileContent.DATA],
            [(path, offset) for path, offset, kind in files if kind != FileContent.DATA],
            {"replace-partitions": "true"},
        )

    def _among(self, entries: Entries) -> np.ndarray:
        """Return the rows of the files whose partition a new file has."""
        spec = self.first.metadata.spec()
        of = spec.partition_type(self.first.schema)
        if not len(entries):
            return np.zeros(0, np.intp)
        tuples = encoded_tuples(storage_tuples(entries, spec, of), of)
        new = [each["partition"] for each in self.files.entries]
        columns = [storage_array(f.type, [each[f.name] for each in new]) for f in of.fields]
        wanted = encoded_tuples(columns, of)
        found = pc.is_in(tuples, value_set=pa.array(wanted, pa.large_binary()))
        return np.flatnonzero(found.to_numpy(zero_copy_only=False))

    def keep(self) -> None:
        """Let the files stay whatever happens: a snapshot may have them."""
        self.files.keep()
