"""Selected rows deleted or replaced: the files that this adds to a table, and those it removes.

The rules:

- Copy-on-write: files with selected rows are written again, without these rows or with what they
  become, and removed with the delete files that are about them alone.
- Merge-on-read: delete files name the selected rows, and what these become is written to new data
  files. In version 3 the vector of a data file has its older deletes too, which are removed if they
  are about that file alone.
- A file of which all rows are selected is removed and not read, if its rows are deleted.
- New rows that replace none are written to the same data files.

Source: Iceberg table spec, "Row-level Deletes"; Java's ``OverwriteFiles`` and ``RowDelta``.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Self

import pyarrow as pa

from byteloom.errors import Unsupported
from byteloom.iceberg.arrow_types import arrow_field
from byteloom.iceberg.properties import Properties
from byteloom.iceberg.reading.read_context import ReadContext
from byteloom.iceberg.row_changes.new_rows import Change, new_rows, stored_columns
from byteloom.iceberg.row_changes.selection import own_deletes
from byteloom.iceberg.writing.data_files import DataFiles
from byteloom.iceberg.writing.delete_files import DeletedRows, DeleteFiles
from byteloom.iceberg.writing.rows import check_written
from byteloom.puffin.deletion_vector import DeletionVector
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import TracebackType

    from byteloom.iceberg.planning.plan import DeleteFile, Plan
    from byteloom.iceberg.row_changes.selection import SelectedRows
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["WrittenChanges", "is_merged_on_read"]

_DELETES, _VECTORS = 2, 3
"""The first versions that have delete files, and deletion vectors."""

_MERGE_ON_READ: Final = "merge-on-read"


def is_merged_on_read(table: StoredTable, verb: str) -> bool:
    """Return whether delete files name the rows that change; otherwise files are written again.

    Args:
        table: The table.
        verb: delete, update or merge.

    Raises:
        Unsupported: Delete files of version 1, which has none; or another mode.
    """
    name = f"write.{verb}.mode"
    is_merged = Properties(table.metadata.properties).word(name) == _MERGE_ON_READ
    if is_merged and table.metadata.format_version < _DELETES:
        wanted = "copy-on-write: version 1 has no delete files"
        raise Unsupported(f"properties.{name}", None, repr(_MERGE_ON_READ), wanted)
    return is_merged


@dataclass
class WrittenChanges:
    """The files of one change of rows, in no snapshot yet; a failure inside ``with`` removes them.

    Attributes:
        table: The table.
        snapshot: The snapshot whose rows change.
        merges_on_read: Whether delete files name the rows; otherwise files are written again.
        removed_data: The paths of data files that the change removes.
        replaced: Those among them whose other rows it writes again.
        removed_deletes: The delete files that it removes: path, and offset in it or None, with the
            data file that each is about.
        referenced: The paths of data files that stay, of which rows are deleted.
    """

    table: StoredTable
    snapshot: Snapshot | None
    merges_on_read: bool
    removed_data: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    removed_deletes: dict[tuple[str, int | None], str] = field(default_factory=dict)
    referenced: list[str] = field(default_factory=list)
    _stack: ExitStack = field(default_factory=ExitStack)

    def __post_init__(self) -> None:
        """Begin both jobs."""
        self.data = DataFiles(self.table, schema=stored_columns(self.table))
        self.deletes = DeleteFiles(self.table)

    def __enter__(self) -> Self:
        self._stack.enter_context(self.data)
        self._stack.enter_context(self.deletes)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def keep(self) -> None:
        """Let the files stay whatever happens: a snapshot may have them."""
        self.data.keep()
        self.deletes.keep()

    def remove(self) -> None:
        """Remove the files: no snapshot has them."""
        self.data.remove()
        self.deletes.remove()

    @property
    def added(self) -> list[dict[str, Any]]:
        """The new files, as `write_manifest` takes them, each with its ``spec_id``."""
        return [*self.data.entries, *self.deletes.entries]

    def __bool__(self) -> bool:
        """Whether anything changes."""
        return bool(self.data.entries or self.deletes.entries or self.removed_data)

    def write(
        self,
        selected: Iterable[SelectedRows],
        change: Change | None = None,
        *,
        added: Iterable[pa.RecordBatch] = (),
    ) -> None:
        """Write what becomes of selected rows, and new rows.

        Args:
            selected: The rows, file by file.
            change: What becomes of them; None to delete them.
            added: New rows, in the table's columns.

        Raises:
            FormatError: A damaged file, or a value that its column cannot have.
            StorageError: A file cannot be read or written.
        """
        again: list[SelectedRows] = []
        named: list[SelectedRows] = []
        for each in selected:
            if each.rows is not None and self.merges_on_read:
                named.append(each)
                continue
            self._remove(each)
            if each.rows is not None or change is not None:
                self.replaced.append(each.task.file_path)
                again.append(each)
        if again or change is not None:
            check_written(self.table.schema)
        rows = [new_rows(self.table, self.snapshot, again, change, with_others=True)]
        if change is not None:
            rows.append(new_rows(self.table, self.snapshot, named, change, with_others=False))
        self.data.write(chain(*rows, map(self._stored, added)))
        self.deletes.write(self._deleted(named))

    def drop(self, whole: Plan) -> None:
        """Remove data files of which all rows go, and delete files that are about one of them."""
        self.removed_data += whole.files["file_path"].to_pylist()
        self.removed_deletes |= own_deletes(whole)

    def _remove(self, chosen: SelectedRows) -> None:
        """Remove a data file, and the delete files that are about it alone."""
        self.removed_data.append(chosen.task.file_path)
        self._remove_deletes(chosen)

    def _remove_deletes(self, chosen: SelectedRows) -> None:
        """Remove the delete files that are about a data file alone."""
        for each in chosen.own_deletes:
            place = each.file_path, each.content_offset
            self.removed_deletes[place] = chosen.task.file_path

    def _deleted(self, named: Sequence[SelectedRows]) -> Iterator[DeletedRows]:
        """Yield the rows that delete files have to name."""
        context = ReadContext(self.table, self.table.schema, ())
        has_vectors = self.table.metadata.format_version >= _VECTORS
        if has_vectors:
            context.load_positions([each.task for each in named])
        for each in named:
            rows = each.rows or DeletionVector()
            self.referenced.append(each.task.file_path)
            if has_vectors and any(map(_is_positions, each.task.deletes)):
                rows |= DeletionVector.from_positions(context.positions(each.task))
                self._remove_deletes(each)
            yield DeletedRows(each.task, rows)

    def _stored(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """Return new rows with the columns of the files, whose row ids follow from the file."""
        for each in stored_columns(self.table).fields[rows.num_columns :]:
            of = arrow_field(each)
            rows = rows.append_column(of, pa.nulls(rows.num_rows, of.type))
        return rows


def _is_positions(delete: DeleteFile) -> bool:
    """Return whether a delete file deletes rows by their positions."""
    return delete.content == FileContent.POSITION_DELETES
