"""Write rows as a version of a Lance dataset, from one process or from several.

- One process begins the job and sends it to the others, pickled.  Each of them writes its own data
  files, and returns a description of them; one process commits all of it as one version.
- The names of a job's data files begin with its id, so that those of a process that was killed, or
  of rows that were written twice, can be found and removed.

Source: https://lance.org/format/table/transaction/
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from byteloom.arguments import whole_number
from byteloom.arrow.data import batches_of
from byteloom.errors import AlreadyExists, ArgumentError, CommitConflict, Unsupported
from byteloom.lance.dataset.commits import check_changes, commit_change, commit_first
from byteloom.lance.dataset.dataset import open_dataset
from byteloom.lance.dataset.dataset_files import DATA
from byteloom.lance.dataset.new_files import (
    DataFiles,
    dataset_schema,
    present_fields,
    stream_of,
)
from byteloom.lance.dataset.row_ids import added_ids, has_row_ids
from byteloom.lance.dataset.transactions import added_rows, replaced_rows, same_messages
from byteloom.lance.dataset.versions import has_versions
from byteloom.lance.fields import BLOB_V2, JSON_TEXT
from byteloom.lance.types import arrow_schema
from byteloom.lance.writing.schema import WRITTEN, check_version, stored_schema
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.storage import Folder
from byteloom.storage.creating import check_creates, remove_empty_folder, remove_file
from byteloom_generated.lance.file import Field
from byteloom_generated.lance.table import DataFragment, Manifest

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    import pyarrow as pa

    from byteloom.lance.dataset.dataset import Dataset
    from byteloom_generated.lance.transaction import Transaction

__all__ = ["ROWS", "DatasetWrite", "begin_write", "write_dataset"]

_MODES: Final = ("create", "append", "overwrite")
ROWS: Final = 1 << 20
_VERSION: Final = "2.2"
_REPLACED: Final = (
    "fragments", "fields", "schema_metadata", "index_section", "blob_dataset_version",
)  # fmt: skip
"""Fields of a manifest that describe rows."""


def begin_write(  # noqa: PLR0913  where, what, and how
    place: str | os.PathLike[str],
    schema: pa.Schema,
    *,
    mode: str = "create",
    version: str | None = None,
    max_rows_per_file: int = ROWS,
    filesystem: Any = None,
    limits: Limits = DEFAULT_LIMITS,
) -> DatasetWrite:
    """Return a job that writes rows as one version of a Lance dataset; nothing is written yet.

    Args:
        place: As for `write_dataset`.
        schema: The Arrow schema of the rows.
        mode: As for `write_dataset`.
        version: As for `write_dataset`.
        max_rows_per_file: As for `write_dataset`.
        filesystem: As for `write_dataset`.
        limits: As for `write_dataset`.

    Returns:
        The job, which can be pickled.

    Raises:
        AlreadyExists: A dataset is to be created, and there is one.
        FormatError: The schema is not that of the dataset.
        Unsupported: A type cannot be written.
        StorageError: The folder cannot be read.

    Example:
        >>> import pyarrow as pa
        >>> from byteloom import lance
        >>> table = pa.table({"id": range(5)})
        >>> job = lance.begin_write("trips.lance", table.schema)
        >>> fragments = job.write(table[:3]) + job.write(table[3:])
        >>> job.commit(fragments).count()
        5
    """
    if mode not in _MODES:
        raise ArgumentError("mode", None, repr(mode), " or ".join(_MODES))
    if version is not None:
        check_version("version", version)
    most = whole_number("max_rows_per_file", max_rows_per_file, "1 or more", least=1)
    folder = Folder(place, filesystem=filesystem)
    check_creates(folder)
    exists = has_versions(folder)
    if mode == "create" and exists:
        advice = 'mode="append" adds rows to it, mode="overwrite" replaces them'
        raise AlreadyExists(f"{folder}: there is a Lance dataset already: {advice}")
    base = None
    if exists or mode == "append":
        base = open_dataset(place, filesystem=filesystem, limits=limits)
        check_changes(base, keeps_rows=mode == "append")
    ids = fields = None
    if base is not None and mode == "append":
        version = _appended_version(base, version)
        _check_blobs(base)
        _check_json(base)
        present = present_fields(base.fields, schema)
        schema = arrow_schema(present, base.metadata)
        fields = tuple(each.SerializeToString() for each in base.manifest.fields)
        ids = tuple(each.id for top in present for each in top.walk())
    elif version is None:
        is_writable = base is not None and base.data_version in WRITTEN
        version = base.data_version if base is not None and is_writable else _VERSION
    if fields is None:
        schema = dataset_schema(schema)
        stored_schema(schema, version)
    return DatasetWrite(
        folder=folder,
        schema=schema,
        version=version,
        max_rows=most,
        base=None if base is None else base.version,
        ids=ids,
        fields=fields,
        limits=limits,
        job=uuid4().hex,
    )


def _check_blobs(dataset: Dataset) -> None:
    """Refuse to append rows to a dataset whose blobs are outside of its data files."""
    wanted = 'blobs in data files; mode="overwrite" replaces all rows'
    if dataset.manifest.blob_dataset_version:
        path = "manifest.blob_dataset_version"
        raise Unsupported(path, None, "blobs in a dataset of their own", wanted)
    for each in (inner for field in dataset.fields for inner in field.walk()):
        if each.is_descriptor:
            path, found = f"manifest.{each.path}", f"blobs of {BLOB_V2.decode()}"
            raise Unsupported(path, None, found, wanted)


def _check_json(dataset: Dataset) -> None:
    """Refuse to append rows to a dataset with JSON, whose binary form is not written."""
    for each in (inner for field in dataset.fields for inner in field.walk()):
        if each.stored is not None:
            wanted = 'other columns; mode="overwrite" replaces all rows'
            raise Unsupported(f"manifest.{each.path}", None, JSON_TEXT.decode(), wanted)


def _appended_version(dataset: Dataset, version: str | None) -> str:
    known = dataset.data_version
    check_version("manifest.data_format.version", known)
    if version not in {None, known}:
        raise ArgumentError("version", None, version, f"{known}, that of the dataset")
    return known


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetWrite:
    """A job that writes one version of a dataset; made by `begin_write`.

    Attributes:
        folder: The folder of the dataset.
        schema: The schema of the rows, as it is stored.
        version: The version of the format of data files.
        max_rows: Most rows of a fragment.
        base: The newest version when the job began; None for a new dataset.
        ids: The ids of the fields, in pre-order; None for 0, 1, ...
        fields: The fields of the dataset that the rows are appended to, as messages; None for
            other rows.
        limits: What reading one file may cost.
        job: The prefix of the names of its data files.
    """

    folder: Folder
    schema: pa.Schema
    version: str
    max_rows: int
    base: int | None
    ids: tuple[int, ...] | None
    fields: tuple[bytes, ...] | None
    limits: Limits
    job: str

    def write(self, data: Any) -> list[bytes]:
        """Write rows to new data files, and return their descriptions for `commit`.

        Args:
            data: Arrow data in any form, with the columns in any order.

        Returns:
            A message for each fragment; none without rows.

        Raises:
            FormatError: The rows have another schema; no file is left.
            StorageError: A file cannot be written; no file is left.
        """
        files = DataFiles(self.folder, self.schema, self.version, self.ids, prefix=self.job)
        with files:
            found = files.fragments(map(self._in_order, batches_of(data)), self.max_rows)
        return [each.SerializeToString() for each in found]

    def commit(self, fragments: Iterable[bytes]) -> Dataset:
        """Commit all rows written as one version of the dataset, and return that version.

        Args:
            fragments: What `write` returned, in any order of the calls.

        Returns:
            The version.

        Raises:
            CommitConflict: Another writer has created the dataset meanwhile, or changed the
                schema; the data files are then removed.
        """
        found = [DataFragment.parse(each, path="fragment") for each in fragments]
        try:
            if self.base is not None:
                return commit_change(self.newest, lambda manifest: self._change(manifest, found))
            first = self._first(found)
            commit_first(self.folder, first, replaced_rows(first, found))
        except CommitConflict:
            for each in found:
                for file in each.files:
                    remove_file(self.folder, f"{DATA}/{file.path}")
            raise
        return self.newest()

    def sweep(self) -> None:
        """Remove the data files of this job that are in no version, and their folder if empty.

        Call it after `commit`, where a process may have been killed or repeated, or instead of it.
        """
        kept = {file.path for each in self._committed() for file in each.files}
        for name in self.folder.files(DATA):
            if self.job in name and name not in kept:
                remove_file(self.folder, f"{DATA}/{name}")
        remove_empty_folder(self.folder, DATA)

    def newest(self) -> Dataset:
        """Return the newest version of the dataset.

        Returns:
            The newest version now.
        """
        return open_dataset(self.folder.path, filesystem=self.folder.filesystem, limits=self.limits)

    def _in_order(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the columns in the order of the dataset; those of other names as they are."""
        names = self.schema.names
        is_mixed = batch.schema.names != names and sorted(batch.schema.names) == sorted(names)
        return batch.select(names) if is_mixed else batch

    def _committed(self) -> list[DataFragment]:
        """Return all fragments of the versions that are newer than the base."""
        found: list[DataFragment] = []
        if has_versions(self.folder):
            place, filesystem = self.folder.path, self.folder.filesystem
            versions = [each for each in self.newest().versions if each > (self.base or 0)]
            for number in versions:
                dataset = open_dataset(
                    place, version=number, filesystem=filesystem, limits=self.limits
                )
                found += dataset.manifest.fragments
        return found

    def _first(self, fragments: list[DataFragment]) -> Manifest:
        """The manifest of these rows alone."""
        fields = stored_schema(self.schema, self.version)
        manifest = Manifest(fields=fields.fields, schema_metadata=fields.metadata)
        manifest.data_format.file_format = "lance"
        manifest.data_format.version = self.version
        add_fragments(manifest, fragments)
        return manifest

    def _change(self, manifest: Manifest, fragments: list[DataFragment]) -> Transaction:
        """Turn the newest manifest into the next one, and return what changed."""
        if self.fields is not None:
            before = [Field.parse(each, path="field") for each in self.fields]
            if not same_messages(manifest.fields, before):
                raise CommitConflict(f"{self.folder}: another writer changed the schema")
            add_fragments(manifest, fragments)
            return added_rows(fragments)
        made = self._first([])
        for name in _REPLACED:
            manifest.ClearField(name)
        manifest.fields.extend(made.fields)
        manifest.schema_metadata.update(made.schema_metadata)
        manifest.data_format.CopyFrom(made.data_format)
        add_fragments(manifest, fragments)
        return replaced_rows(manifest, fragments)


def add_fragments(manifest: Manifest, fragments: list[DataFragment]) -> None:
    """Add fragments, whose numbers follow all that were ever used."""
    has_any = manifest.HasField("max_fragment_id") or manifest.fragments
    first = max([manifest.max_fragment_id, *(each.id for each in manifest.fragments)]) + 1
    for number, each in enumerate(fragments, first if has_any else 0):
        each.id = number
        if has_row_ids(manifest):
            added_ids(manifest, each)
        manifest.fragments.append(each)
        manifest.max_fragment_id = number


def write_dataset(  # noqa: PLR0913  where, what, and how
    place: str | os.PathLike[str],
    data: Any,
    *,
    mode: str = "create",
    version: str | None = None,
    max_rows_per_file: int = ROWS,
    filesystem: Any = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Dataset:
    """Write rows as a version of a Lance dataset, and return it.

    The version appears whole, when all rows are written.  If another writer creates a version in
    the meantime, this one follows it.

    Args:
        place: The path or the URL of its folder.
        data: Arrow data in any form: a table, a stream, batches.  Rows to append may lack fields
            that may be null.
        mode: ``create`` for a new dataset, ``append`` for rows after those of the newest version,
            ``overwrite`` for rows and a schema that replace the existing ones.
        version: The version of the format of data files, ``2.0``, ``2.1`` or ``2.2``; None for the
            dataset's version, or ``2.2`` for a new one.
        max_rows_per_file: Most rows of a fragment.
        filesystem: A filesystem of fsspec, in which *place* is a path; `pyarrow.fs` can only be
            read.
        limits: What reading one file may cost.

    Returns:
        The version.

    Raises:
        AlreadyExists: A dataset is to be created, and there is one.
        CommitConflict: Another writer creates it, or changes the schema, in the meantime.
        FormatError: The rows have another schema than the dataset.
        Unsupported: A type cannot be written.
        StorageError: A file cannot be written.

    Example:
        >>> import pyarrow as pa
        >>> from byteloom import lance
        >>> trips = lance.write_dataset("trips.lance", pa.table({"id": range(5)}))
        >>> trips = lance.write_dataset("trips.lance", pa.table({"id": [9]}), mode="append")
        >>> trips.version, trips.count()
        (2, 6)

    Source: https://lance.org/format/table/transaction/
    """
    stream = stream_of(data)
    job = begin_write(
        place,
        stream.schema,
        mode=mode,
        version=version,
        max_rows_per_file=max_rows_per_file,
        filesystem=filesystem,
        limits=limits,
    )
    return job.commit(job.write(stream.batches))
