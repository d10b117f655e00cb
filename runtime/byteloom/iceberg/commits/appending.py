"""New rows of a table: their files in a snapshot of one branch.

Source: Iceberg table spec, "Snapshots"; Java's ``AppendFiles``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from byteloom.iceberg.commits.snapshots import Effects, commit_snapshot
from byteloom.iceberg.commits.staging import staging_of
from byteloom.iceberg.commits.validation import Validation
from byteloom.iceberg.metadata.document import MAIN
from byteloom.iceberg.writing.data_files import DataFiles
from byteloom.iceberg.writing.rows import rows_of

if TYPE_CHECKING:
    from byteloom.iceberg.stored_table import AnyTable, StoredTable
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["append_rows"]


def append_rows(  # noqa: PLR0913  what an append says
    table: AnyTable,
    rows: Any,
    *,
    branch: str = MAIN,
    stage: bool | str = False,
    wap_id: str | None = None,
    file_format: str | None = None,
) -> AnyTable:
    """Return a table after new rows were added to it.

    Args:
        table: The table.
        rows: Arrow data in any form that `batches_of` takes.
        branch: The branch that gets the snapshot; it is created if the table lacks it.
        file_format: parquet, orc or avro; as the table says if None.
        stage: Whether no branch gets it, or a name for it, which is its ``wap.id``.
        wap_id: Such a name, if the table is to say whether the snapshot is staged.

    Raises:
        FormatError: Rows that are not of the table's schema.
        CommitConflict: Other writers were first in every attempt.
        StorageError: A file cannot be written.
        Unsupported: A table that is not written.
    """
    table.catalog.check(table)
    is_staged, summary = staging_of(table, stage, wap_id)
    with DataFiles(table, file_format=file_format) as files:
        files.write(rows_of(rows, table.schema))
        append, validation = _Append(files, summary), Validation.of("new rows", table, branch)
        return commit_snapshot(table, append, validation, branch=branch, is_staged=is_staged)


@dataclass
class _Append:
    """The data files of new rows, and further keys of the summary."""

    files: DataFiles
    summary: dict[str, str]

    def effects(self, base: StoredTable, head: Snapshot | None) -> Effects:  # noqa: ARG002
        """Return the files, whatever the state of the table."""
        return Effects("append", self.files.entries, summary=self.summary)

    def keep(self) -> None:
        """Let the files stay whatever happens: a snapshot may have them."""
        self.files.keep()
