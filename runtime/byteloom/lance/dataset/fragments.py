"""Fragments of a Lance dataset: rows that were written together, in one or more files.

- Each file has some of the fields, and all of the fragment's rows; rows match by position.
- Deletion files and row ids are read when they are asked for; `fragment_rows` opens data files.

Source: https://lance.org/format/table/#fragments
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from byteloom.errors import ArgumentError, FormatError, LimitExceeded, found_by
from byteloom.lance.dataset.deletions import read_deletions
from byteloom.lance.dataset.row_ids import addresses, ids_of
from byteloom.lance.reader import LanceFile
from byteloom.storage.naming import about_file
from byteloom.storage.sources import name_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from byteloom.lance.dataset.dataset_files import DatasetFiles
    from byteloom_generated.lance.table import DataFile, DataFragment

__all__ = ["Fragment", "rows_among", "rows_with_ids"]


@dataclass(frozen=True)
class Fragment:
    """Rows that were written together.

    Attributes:
        stored: The message of the manifest.
        number: Its number in the dataset's list of fragments.
        files: The files of the dataset.
    """

    stored: DataFragment
    number: int
    files: DatasetFiles

    @property
    def id(self) -> int:
        """Its id, unique in the dataset."""
        return self.stored.id

    @cached_property
    def physical_rows(self) -> int:
        """The number of its rows, including deleted ones; counts by early releases are not used."""
        noted = self.stored.physical_rows
        is_sound = not (self.files.miscounts and self.stored.HasField("deletion_file"))
        if (noted and is_sound) or not self.stored.files:
            return noted
        with ExitStack() as stack:
            return self.open_file(self.stored.files[0], stack, f"{self.path}.files").num_rows

    def check_room(self) -> None:
        """Refuse more rows than may have an element of memory each."""
        rows, most = self.physical_rows, self.files.limits.elements
        if rows > most:
            wanted = f"at most {most} (limits.elements)"
            raise LimitExceeded(f"{self.path}.physical_rows", None, rows, wanted)

    @cached_property
    def deleted(self) -> NDArray[np.int64]:
        """Positions of deleted rows, ascending."""
        if not self.stored.HasField("deletion_file"):
            return np.empty(0, np.int64)
        self.check_room()
        stored = self.stored.deletion_file
        folder, _ = self.files.root_of(stored)
        return read_deletions(folder, self.id, stored, self.physical_rows, self.files.limits)

    @property
    def num_rows(self) -> int:
        """The number of its rows that are not deleted."""
        if not self.stored.HasField("deletion_file"):
            return self.physical_rows
        noted = self.stored.deletion_file.num_deleted_rows
        deleted = noted or len(self.deleted)
        if deleted > self.physical_rows:
            path = f"{self.path}.deletion_file.num_deleted_rows"
            raise FormatError(path, None, deleted, f"at most {self.physical_rows}")
        return self.physical_rows - deleted

    @cached_property
    def row_ids(self) -> NDArray[np.uint64]:
        """The id of each row, including deleted ones: its address where rows do not keep theirs.

        Raises:
            FormatError: For damage, and where the ids are missing.
            LimitExceeded: It takes more than the limits allow.
        """
        if not self.files.has_row_ids:
            return self.addresses
        self.check_room()
        path, data = self.sequence("row_id_sequence")
        if data is None:
            raise FormatError(path, None, "nothing", "row ids, by the manifest's feature flags")
        return ids_of(data, self.physical_rows, self.files.limits, path)

    @property
    def addresses(self) -> NDArray[np.uint64]:
        """The address of each row, including deleted ones; `LimitExceeded` for too many."""
        self.check_room()
        return addresses(self.id, self.physical_rows)

    def sequence(self, group: str) -> tuple[str, bytes | None]:
        """Return the name of a sequence of numbers of its rows in errors, and its bytes.

        Args:
            group: The group of the fields of its message that have the sequence, inline or in a
                file.

        Raises:
            FormatError: For a part outside of the file.
            LimitExceeded: For a large one.
        """
        kind = self.stored.WhichOneof(group)
        path = f"{self.path}.{kind or group}"
        if kind is None:
            return path, None
        stored = getattr(self.stored, kind)
        return path, stored if isinstance(stored, bytes) else self.files.external(stored, path)

    @property
    def path(self) -> str:
        """The name of the fragment in errors."""
        return f"manifest.fragments[{self.number}]"

    def open_file(self, stored: DataFile, stack: ExitStack, path: str) -> LanceFile:
        """Open one of its files; the *stack* closes it.

        Args:
            path: The name of the file's message in errors.
        """
        files = self.files
        folder, name = files.place_of(stored, path)
        source = folder.open(name)
        stack.callback(source.close)
        with about_file(name_of(source)):
            file = LanceFile(
                source, limits=files.limits, dictionaries=files.dictionaries, stored=stored
            )
        file.file_name = name_of(source)
        return file


def rows_with_ids(
    fragments: Iterable[tuple[Fragment, int]], ids: Sequence[int] | np.ndarray | pa.Array
) -> NDArray[np.int64]:
    """Return the number of the row that has each id, not counting deleted rows.

    Args:
        fragments: All of a dataset, each with the number of its first row.
        ids: Whole numbers, in any order.

    Raises:
        FormatError: For an id that no row has.
        StorageError: A file cannot be read or written.
    """
    wanted, places = np.unique(_numbers(ids), return_inverse=True)
    rows = rows_among(fragments, wanted)
    missing = wanted[rows < 0]
    if len(missing):
        raise ArgumentError("ids", None, int(missing[0]), "the id of a row that is not deleted")
    return rows[places]


def rows_among(
    fragments: Iterable[tuple[Fragment, int]], wanted: NDArray[np.uint64]
) -> NDArray[np.int64]:
    """Return the number of the row that has each id; -1 where no row of *fragments* has it.

    Args:
        fragments: Each with the number of its first row.
        wanted: Ids, which ascend.
    """
    rows = np.full(len(wanted), -1, np.int64)
    for fragment, start in fragments:
        if not len(wanted):
            break
        live = np.delete(fragment.row_ids, fragment.deleted)
        at = np.searchsorted(wanted, live)
        is_found = (at < len(wanted)) & (wanted[np.minimum(at, len(wanted) - 1)] == live)
        rows[at[is_found]] = np.flatnonzero(is_found) + start
    return rows


def _numbers(ids: Any) -> NDArray[np.uint64]:
    """The ids as unsigned numbers of 64 bits."""
    try:
        array = ids if isinstance(ids, pa.Array | pa.ChunkedArray) else pa.array(ids, pa.uint64())
        array = array.cast(pa.uint64())
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        wanted = "row ids: whole numbers of 0 or more"
        raise ArgumentError("ids", None, found_by("other values", error), wanted) from error
    if array.null_count:
        raise ArgumentError("ids", None, f"{array.null_count} nulls", "none")
    return np.asarray(array.to_numpy(zero_copy_only=False), np.uint64)
