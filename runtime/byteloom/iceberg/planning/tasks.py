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

    Attributes:
        content: A `FileContent`: 1 for deleted positions, 2 for equality deletes.
        file_path: As written.
        record_count: Its rows; None for unknown.
        equality_ids: Ids of the columns that are compared; none for positions.
        content_offset: Where a deletion vector starts in its file; None for files of rows.
        content_size: Number of bytes of a deletion vector.
        referenced_data_file: The only data file it applies to; None if it names none.
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

    Attributes:
        type: ``INSERT`` or ``DELETE``.
        ordinal: The number of the snapshot among those of the changelog, from 0.
        snapshot_id: The snapshot that changed the rows.
        changed_by: Delete files: only the rows that they delete changed; None if the file itself
            was added or removed.
    """

    type: str
    ordinal: int
    snapshot_id: int
    changed_by: tuple[DeleteFile, ...] | None = None


@dataclass(frozen=True, slots=True, repr=False)
class FileTask(RedactedRepr):
    """A data file to read.

    Attributes:
        file_path: As written.
        partition: Its partition values by field name: storage values.
        sequence_number: Its data sequence number.
        record_count: Its rows, those that are deleted too; None for unknown.
        first_row_id: The id of its first row; None in a table without row ids.
        split_offsets: Where its row groups start; None if unknown.
        deletes: Delete files that apply to it; in a changelog, the rows that did not change.
        residual: The part of the filter that its rows must still satisfy.
        start, length: The part of the file that this task reads, in bytes.
        change: The change, if the task is of a changelog.
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
