"""Changes of a Lance dataset other than new rows: deleted rows, added and dropped columns.

Source: https://lance.org/format/table/transaction/
"""

from __future__ import annotations

import secrets
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
import pyarrow as pa

from byteloom.arguments import wanted_name
from byteloom.errors import ArgumentError, CommitConflict, FormatError, Unsupported
from byteloom.lance.arrays import rows_of_table
from byteloom.lance.dataset.commits import change_again, check_changes, commit_change
from byteloom.lance.dataset.deletions import deletion_name, stored_deletions
from byteloom.lance.dataset.fragment_rows import open_fragment
from byteloom.lance.dataset.new_files import DataFiles, RowStream, dataset_schema, stream_of
from byteloom.lance.dataset.row_ids import has_row_ids, updated_rows
from byteloom.lance.dataset.transactions import (
    added_columns,
    deleted_rows,
    dropped_columns,
    same_messages,
)
from byteloom.lance.decoding import threads_of
from byteloom.lance.decoding_plan import OpenSources
from byteloom.lance.fields import tree_of
from byteloom.lance.row_reading import RowReading
from byteloom.lance.selection import BATCH_ROWS, condition_of, row_numbers
from byteloom.lance.writing.schema import check_version, stored_schema
from byteloom.storage.creating import create_file, make_folder
from byteloom_generated.lance.table import DataFragment, DeletionFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.lance.dataset.fragments import Fragment
    from byteloom.lance.dataset.state import DatasetState
    from byteloom.lance.selection import Filter
    from byteloom_generated.lance.table import DataFile, Manifest
    from byteloom_generated.lance.transaction import Transaction

__all__ = ["add_columns", "delete_matching", "delete_rows", "drop_columns"]

AnyState = TypeVar("AnyState", bound="DatasetState")

_ID_BITS: Final = 63


def delete_matching(dataset: AnyState, wanted: Filter) -> AnyState:
    """Return the next version of a dataset, without the rows that match a filter.

    Where another writer changed a fragment with any of these rows, the filter is evaluated again on
    the newest version.

    Raises:
        FormatError: For a filter that does not fit the schema.
        CommitConflict: Other writers are first in every attempt.
    """
    return change_again(dataset, lambda newest: delete_rows(newest, _matching(newest, wanted)))


def _matching(dataset: DatasetState, wanted: Filter) -> np.ndarray:
    """The numbers of the rows that match."""
    condition = condition_of(wanted, dataset.fields)
    if condition is None:
        raise ArgumentError("filter", None, None, "an expression")
    found, at = [np.zeros(0, np.int64)], 0
    reading = RowReading(condition.fields, condition.schema, BATCH_ROWS, None, threads_of(None))
    for number in range(len(dataset.fragments)):
        with open_fragment(dataset, number, condition.fields) as opened:
            rows = range(opened.num_rows)
            sources = [OpenSources([(opened, rows)], ExitStack())] if rows else []
            for batch in reading.batches(sources):
                found.append(condition.rows(batch.columns, batch.num_rows) + at)
                at += batch.num_rows
    return np.concatenate(found)


def delete_rows(dataset: AnyState, rows: Sequence[int] | np.ndarray | pa.Array) -> AnyState:
    """Return the next version of a dataset, without some rows.

    Args:
        rows: Their numbers, not counting deleted rows, in any order.

    Raises:
        CommitConflict: Another writer changed a fragment with any of the rows.
    """
    check_changes(dataset)
    _by_id(dataset.manifest)
    numbers = np.unique(row_numbers(rows, dataset.num_rows))
    starts = np.array(dataset.starts)
    before: dict[int, Fragment] = {}
    after: dict[int, DeletionFile | None] = {}
    for at, fragment in enumerate(dataset.fragments):
        first, end = np.searchsorted(numbers, starts[at : at + 2])
        if first < end:
            before[fragment.id] = fragment
            after[fragment.id] = _deletions(dataset, fragment, numbers[first:end] - starts[at])

    def change(manifest: Manifest) -> Transaction:
        newest = _by_id(manifest)
        for number, fragment in before.items():
            if number not in newest or not same_messages([newest[number]], [fragment.stored]):
                problem = "another writer changed a fragment with rows to delete"
                raise CommitConflict(f"{dataset.folder}: {problem}")
        fragments = []
        for each in newest.values():
            file = after.get(each.id)
            if each.id in after and file is None:
                continue
            kept = DataFragment()
            kept.CopyFrom(each)
            if file is not None:
                kept.deletion_file.CopyFrom(file)
                kept.physical_rows = before[each.id].physical_rows
            fragments.append(kept)
        manifest.ClearField("fragments")
        manifest.fragments.extend(fragments)
        return deleted_rows(before, manifest)

    return commit_change(dataset.newest, change) if before else dataset.newest()


def _by_id(manifest: Manifest) -> dict[int, DataFragment]:
    """The fragments by their ids.

    Raises:
        FormatError: For two of one id, as releases through 0.16 may have committed at once.
    """
    found = {each.id: each for each in manifest.fragments}
    if len(found) < len(manifest.fragments):
        wanted = "an id for each: their deleted rows would be in one file"
        raise FormatError("manifest.fragments.id", None, "two fragments of one id", wanted)
    return found


def _deletions(dataset: DatasetState, fragment: Fragment, rows: np.ndarray) -> DeletionFile | None:
    """The new deletion file of a fragment; None where no row is left.

    Args:
        rows: To delete, not counting those deleted before.
    """
    fragment.check_room()
    live = np.delete(np.arange(fragment.physical_rows), fragment.deleted)
    deleted = np.union1d(fragment.deleted, live[rows])
    if len(deleted) == fragment.physical_rows:
        return None
    kind, data = stored_deletions(deleted)
    file = DeletionFile(
        file_type=kind,
        read_version=dataset.version,
        id=secrets.randbits(_ID_BITS),
        num_deleted_rows=len(deleted),
    )
    name = deletion_name(fragment.id, file)
    make_folder(dataset.folder, name.rpartition("/")[0])
    create_file(dataset.folder, name, data)
    return file


def add_columns(dataset: AnyState, data: Any) -> AnyState:
    """Return the next version of a dataset, with more columns.

    Args:
        data: Rows as `write_dataset` takes them, with the number and the order of the dataset's
            rows.

    Raises:
        FormatError: For names that the dataset has, and for any other number of rows.
        CommitConflict: Another writer changed fragments or the schema.
    """
    check_changes(dataset)
    version = dataset.data_version
    check_version("manifest.data_format.version", version)
    stream = stream_of(data)
    schema = dataset_schema(stream.schema)
    if taken := set(schema.names) & {each.name for each in dataset.fields}:
        wanted = "names that the dataset does not have"
        raise ArgumentError("columns", None, ", ".join(sorted(taken)), wanted)
    first = 1 + max(_ids(dataset.manifest), default=-1)
    fields = list(stored_schema(schema, version).fields)
    for each in fields:
        each.id += first
        each.parent_id += first if each.parent_id >= 0 else 0
    before = dataset.manifest
    with DataFiles(dataset.folder, schema, version, [each.id for each in fields]) as files:
        made = _added(dataset, RowStream(stream.batches), files)

    def change(manifest: Manifest) -> Transaction:
        is_same = same_messages(manifest.fields, before.fields)
        if not (is_same and same_messages(manifest.fragments, before.fragments)):
            problem = "another writer changed the rows or the columns"
            raise CommitConflict(f"{dataset.folder}: {problem}")
        manifest.fields.extend(fields)
        for fragment, file in zip(manifest.fragments, made, strict=True):
            fragment.files.append(file)
            if has_row_ids(manifest):
                updated_rows(manifest, fragment)
        return added_columns(manifest, fields)

    with files.removed_by_conflict():
        return commit_change(dataset.newest, change)


def _added(dataset: DatasetState, rows: RowStream, files: DataFiles) -> list[DataFile]:
    """A file for each fragment."""
    made = []
    for fragment in dataset.fragments:
        batches = rows.take(fragment.num_rows)
        made.append(files.file(_spread(fragment, batches)))
    if extra := rows.count_rest():
        found = f"{dataset.num_rows + extra}"
        raise ArgumentError("rows", None, found, f"{dataset.num_rows}, as the dataset has")
    return made


def _spread(fragment: Fragment, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows of a fragment; deleted ones get the values of a neighbour."""
    deleted = fragment.deleted
    if not len(deleted):
        yield from batches
        return
    fragment.check_room()
    live = np.delete(np.arange(fragment.physical_rows), deleted)
    table = pa.Table.from_batches(batches)
    places = np.searchsorted(live, np.arange(fragment.physical_rows), "right") - 1
    yield from rows_of_table(table, np.maximum(places, 0)).to_batches()


def _ids(manifest: Manifest) -> Iterator[int]:
    """All ids of fields in use, including those of dropped columns."""
    yield from (each.id for each in manifest.fields)
    for fragment in manifest.fragments:
        for file in fragment.files:
            yield from file.fields


def drop_columns(dataset: AnyState, names: Sequence[str]) -> AnyState:
    """Return the next version of a dataset, without some columns and the files of only these.

    Args:
        names: The names of columns, not of inner fields.

    Raises:
        FormatError: For unknown names, and for the names of all columns.
        Unsupported: For a dataset with indices.
        CommitConflict: Another writer was first.
    """
    check_changes(dataset)
    gone = [names] if isinstance(names, str) else list(names)
    known = [each.name for each in dataset.fields]
    for name in gone:
        if name not in known:
            wanted = wanted_name(name, known, "a column of the schema")
            raise ArgumentError("columns", None, repr(name), wanted)
    if set(gone) == set(known):
        raise ArgumentError("columns", None, "all columns", "at least one that is kept")
    if dataset.manifest.HasField("index_section"):
        raise Unsupported("manifest.index_section", None, "indices", "a dataset without indices")
    top = tree_of(dataset.manifest.fields, dataset.limits, path="manifest")
    ids = {x.id for each in top if each.name in gone for x in each.walk()}
    before = list(dataset.manifest.fields)

    def change(manifest: Manifest) -> Transaction:
        if not same_messages(manifest.fields, before):
            raise CommitConflict(f"{dataset.folder}: another writer changed the columns")
        manifest.ClearField("fields")
        manifest.fields.extend(each for each in before if each.id not in ids)
        left = {each.id for each in manifest.fields}
        for fragment in manifest.fragments:
            used = [each for each in fragment.files if left & set(each.fields)]
            kept = DataFragment(files=used or fragment.files[:1])
            fragment.ClearField("files")
            fragment.files.extend(kept.files)
        return dropped_columns(manifest)

    return commit_change(dataset.newest, change)
