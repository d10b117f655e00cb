"""Tasks: one data file with its deletes, as an object for programs.

Objects are created one by one during iteration; the plan itself is columns.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from byteloom.redaction import RedactedRepr

if TYPE_CHECKING:
    from byteloom.iceberg.expressions.ast import Expression

__all__ = ["Change", "DeleteFile", "FileTask"]


@dataclass(frozen=True, slots=True, repr=False)
class DeleteFile(RedactedRepr):
    """A file of deletes, or a deletion vector in a Puffin file.

    content          a `FileContent`: 1 for deleted positions, 2 for equality deletes
    file_path        as written
    record_count     its rows; None for unknown
    equality_ids     ids of the columns that are compared; none for positions
    content_offset   where a deletion vector starts in its file; None for files of rows
    content_size     number of bytes of a deletion vector
    referenced_data_file  the only data file it applies to; None if it names none
    """

    content: int
    file_path: str
    file_format: str
    spec_id: int
    sequence_number: int
    record_count: int | None
    file_size_in_bytes: int
    equality_ids: tuple[int, ...] = ()
    content_offset: int | None = None
    content_size: int | None = None
    referenced_data_file: str | None = None

    @property
    def is_deletion_vector(self) -> bool:
        """Whether it is a deletion vector in a Puffin file."""
        return self.content_offset is not None


@dataclass(frozen=True, slots=True)
class Change:
    """How the rows of a file changed.

    type         ``INSERT`` or ``DELETE``
    ordinal      the number of the snapshot among those of the changelog, from 0
    snapshot_id  the snapshot that changed the rows
    changed_by   delete files: only the rows that they delete changed; None if the file itself was
                 added or removed
    """

    type: str
    ordinal: int
    snapshot_id: int
    changed_by: tuple[DeleteFile, ...] | None = None


@dataclass(frozen=True, slots=True, repr=False)
class FileTask(RedactedRepr):
    """A data file to read.

    file_path        as written
    partition        its partition values by field name: storage values
    sequence_number  its data sequence number
    record_count     its rows, those that are deleted too; None for unknown
    first_row_id     the id of its first row; None in a table without row ids
    split_offsets    where its row groups start; None if unknown
    deletes          delete files that apply to it; in a changelog, the rows that did not change
    residual         the part of the filter that its rows must still satisfy
    start, length    the part of the file that this task reads, in bytes
    change           the change, if the task is of a changelog
    """

    file_path: str
    file_format: str
    spec_id: int
    partition: dict[str, Any]
    sequence_number: int
    record_count: int | None
    file_size_in_bytes: int
    first_row_id: int | None
    split_offsets: tuple[int, ...]
    deletes: tuple[DeleteFile, ...]
    residual: Expression
    start: int = 0
    length: int = -1
    change: Change | None = None
