"""The rows of an open fragment: columns of its files, without deleted rows, and with overlays.

Source: https://lance.org/format/table/#fragments
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.lance.dataset.blobs import BlobRows
from byteloom.lance.dataset.field_readers import AbsentField, JsonReader, MergedStruct, NamedReader
from byteloom.lance.dataset.overlays import open_overlays, overlaid
from byteloom.lance.dataset.row_ids import ROW_ADDRESS, ROW_ID
from byteloom.lance.decoding import rows_of
from byteloom.lance.field_reading import InMemory
from byteloom.lance.fields import as_stored
from byteloom.lance.wide import FEW_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from byteloom.lance.dataset.fragments import Fragment
    from byteloom.lance.dataset.overlays import Overlay
    from byteloom.lance.dataset.state import DatasetState
    from byteloom.lance.field_reading import FieldReader, Rows
    from byteloom.lance.fields import Field
    from byteloom.lance.reader import LanceFile
    from byteloom_generated.lance.table import DataFile

__all__ = ["FragmentRows"]


class FragmentRows:
    """The rows of an open fragment, as a scan takes them."""

    def __init__(
        self,
        dataset: DatasetState,
        fragment: Fragment,
        opened: Sequence[tuple[frozenset[int], LanceFile]],
        overlays: Sequence[Overlay],
    ) -> None:
        """Read fields of the dataset from files that have them.

        Args:
            opened: For each file the ids of its fields.
            overlays: New values of some of the fields.
        """
        self._dataset, self._fragment = dataset, fragment
        self._opened, self._overlays = opened, overlays
        self._is_one = len(opened) == 1 and not overlays
        self.file_name = opened[0][1].file_name if self._is_one else None
        self._readers: dict[int, tuple[Field, FieldReader]] = {}
        if not opened:  # no file bounds the number of rows
            fragment.check_room()
        deleted = fragment.deleted
        self.kept: NDArray[np.int64] | None = None
        if len(deleted):
            self.kept = np.delete(np.arange(fragment.physical_rows), deleted)
        self._count = fragment.physical_rows - len(deleted)

    @property
    def num_rows(self) -> int:
        """The number of rows that are not deleted."""
        return self._count

    def readers(self, fields: Sequence[Field], rows: Rows | None = None) -> list[FieldReader]:
        """Return readers of all rows of *fields*, deleted ones too.

        Args:
            rows: Those that will be read; None if they are not known.
        """
        if rows is not None and self._is_one and len(fields) >= FEW_COLUMNS:
            ids, file = self._opened[0]
            if all(each.id in ids and not each.has_json for each in fields):
                found = file.together(fields, rows)
                return [
                    each or self._known(field) for field, each in zip(fields, found, strict=True)
                ]
        return [self._known(each) for each in fields]

    def values(self, field: Field, rows: NDArray[np.int64]) -> pa.Array:
        """Return the values of rows that are not deleted, by their numbers, which ascend."""
        return rows_of(self._known(field), rows if self.kept is None else self.kept[rows])

    def starts(self, field: Field) -> list[int]:
        """Return the rows that are not deleted at which a page of a field begins."""
        reader = self._known(field)
        rows = range(reader.length)
        firsts = [piece.first for leaf in reader.leaves for piece in leaf.pieces(rows)]
        found = firsts if self.kept is None else np.searchsorted(self.kept, firsts).tolist()
        return [*found]

    def _known(self, field: Field) -> FieldReader:
        """Return the reader of a field, which is cached."""
        known = self._readers.get(id(field))
        if known is None:
            known = self._readers[id(field)] = field, self._whole_reader(field)
        return known[1]

    def _whole_reader(self, field: Field) -> FieldReader:
        files = self._fragment.files
        is_here = any(field.id in ids for ids, _ in self._opened)
        if self._count and field.id in files.apart and not is_here:
            return BlobRows(self._dataset, field, self._fragment, open_fragment)
        base, overlays = self._reader(field), self._overlays
        return overlaid(field, base, overlays, lambda *one: self._values(field, *one))

    def _numbers(self, field: Field) -> NDArray[np.uint64]:
        """Ids or addresses of all rows."""
        fragment = self._fragment
        return fragment.row_ids if field.id == ROW_ID.id else fragment.addresses

    def _reader(self, field: Field) -> FieldReader:
        if field.id in {ROW_ID.id, ROW_ADDRESS.id}:
            return InMemory(pa.array(self._numbers(field)))
        found: list[tuple[Field, FieldReader]] = []
        is_whole = False
        for ids, file in self._opened:
            part, is_whole_here = self._fragment.files.part_of(field, ids)
            if part is not None:
                is_whole |= is_whole_here
                found.append((part, self._part_reader(part, file)))
        rows = self._fragment.physical_rows
        if not found:
            return AbsentField(field, rows)
        if len(found) == 1 and is_whole:
            return found[0][1]
        return MergedStruct(field, found)

    def _values(self, field: Field, ids: frozenset[int], file: LanceFile) -> FieldReader:
        """The reader of the part of a field that has *ids*, in the file of an overlay."""
        part, _ = self._fragment.files.part_of(field, ids)
        assert part is not None  # noqa: S101  the ids are of fields in it
        return self._part_reader(part, file)

    def _part_reader(self, part: Field, file: LanceFile) -> FieldReader:
        """The reader of a field, or a part of one, that a file has."""
        reader: FieldReader = file.reader(as_stored(part))
        if part.has_json:
            reader = JsonReader(reader, part)
        return reader if self._is_one else NamedReader(reader, file.file_name)


@contextmanager
def open_fragment(
    dataset: DatasetState, number: int, fields: Sequence[Field]
) -> Iterator[FragmentRows]:
    """Open the files of a fragment that have any of *fields*, and close them again.

    Args:
        number: The number of the fragment in the dataset's list.
    """
    with ExitStack() as stack:
        yield opened_fragment(dataset, number, fields, stack)


def opened_fragment(
    dataset: DatasetState, number: int, fields: Sequence[Field], stack: ExitStack
) -> FragmentRows:
    """Open the files of a fragment that have any of *fields*; the *stack* closes them.

    If several files have a field, the first file's is used, since releases through 0.10 used ids
    twice.

    Args:
        number: The number of the fragment in the dataset's list.
    """
    fragment = dataset.fragment(number)
    wanted, parents = fragment.files.ids_of(fields)
    left = wanted
    found = []
    for at, each in enumerate(fragment.stored.files):
        ids = left.intersection(each.fields)
        if -1 in each.column_indices:
            ids -= _without_columns(each) - parents
        if ids:
            file = fragment.open_file(each, stack, f"{fragment.path}.files")
            _check_rows(fragment, file, at)
            found.append((ids, file))
            left -= ids - parents
    overlays = open_overlays(
        fragment.stored,
        fragment.path,
        wanted,
        lambda each, path: fragment.open_file(each, stack, path),
    )
    return FragmentRows(dataset, fragment, found, overlays)


def _check_rows(fragment: Fragment, file: LanceFile, number: int) -> None:
    if file.num_rows != fragment.physical_rows:
        path = f"{fragment.path}.files[{number}]"
        wanted = f"{fragment.physical_rows} (physical_rows)"
        raise FormatError(path, None, f"{file.num_rows} rows in {file.file_name}", wanted)


def _without_columns(stored: DataFile) -> set[int]:
    """The ids of fields that a file has no column for."""
    pairs = zip(stored.fields, stored.column_indices, strict=False)
    return {number for number, column in pairs if column < 0}
