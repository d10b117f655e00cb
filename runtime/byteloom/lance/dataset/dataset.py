"""A version of a Lance dataset: its schema, its fragments, and their rows.

The rules:

- Opening lists the versions and reads one manifest; no data file is opened before rows are wanted.
- A `Dataset` never changes: another version is another `Dataset`.
"""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from byteloom.arrow.stream import ArrowStream
from byteloom.errors import ArgumentError, FormatError, Unsupported
from byteloom.lance.dataset.fragments import Fragment
from byteloom.lance.dataset.locating import files_of
from byteloom.lance.dataset.manifests import time_of
from byteloom.lance.dataset.versions import branches_of, tags_of
from byteloom.lance.fields import Field, tree_of, with_descriptors, with_json_texts
from byteloom.redaction import SchemaMetadata, redacted
from byteloom.storage.naming import about_file, naming

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    import numpy as np
    import pyarrow as pa

    from byteloom.lance.dataset.blob_columns import BlobColumns
    from byteloom.lance.dataset.locating import DatasetFiles
    from byteloom.lance.dataset.scan import DatasetScan
    from byteloom.lance.filtering import Filter
    from byteloom.limits import Limits
    from byteloom.storage import Folder
    from byteloom.storage.allowed import Allowed
    from byteloom_generated.lance.table import Manifest

__all__ = ["Dataset"]

_MAX_ROWS: Final = (1 << 63) - 1


@naming
class Dataset(ArrowStream):
    """A version of a Lance dataset.

    folder     where it is
    manifest   the message that describes the version
    fields     the fields at the top of its schema
    versions   the numbers of all its versions, ascending
    limits     what reading one file may cost
    file_name  the manifest's name in errors
    root       the folder that has the tags and the branches; *folder* where this is the main branch
    allowed    what files outside of the folder must be below; None for anywhere
    """

    def __init__(
        self, folder: Folder, manifest: Manifest, versions: list[int], name: str, limits: Limits
    ) -> None:
        """Describe the version with this *manifest*, which is in the file *name* of the folder."""
        self.folder, self.manifest, self.versions, self.limits = folder, manifest, versions, limits
        self.root = folder
        self.file_name: str | None = None
        self.allowed: Allowed | None = None
        self._name = name
        self._known: dict[int, Fragment] = {}
        stored = tree_of(manifest.fields, limits, path="manifest")
        self.fields: list[Field] = [with_json_texts(with_descriptors(each)) for each in stored]

    def __repr__(self) -> str:
        """Its place, its version, and its size."""
        count = len(self.manifest.fragments)
        noun = "fragment" if count == 1 else "fragments"
        return redacted(f"<Dataset {self.folder}: version {self.version}, {count} {noun}>")

    def to_reader(self) -> pa.RecordBatchReader:
        """Return all rows as pyarrow's reader of batches; arguments of `scan` choose some."""
        return self.scan().to_reader()

    # Description

    @property
    def place_name(self) -> str:
        """The path of its folder, which errors about arguments name."""
        return f"{self.folder}"

    @property
    def version(self) -> int:
        """The number of the version."""
        return self.manifest.version

    @property
    def data_version(self) -> str:
        """The version of the format of new data files; empty where early releases left it out."""
        return self.manifest.data_format.version

    @property
    def timestamp(self) -> datetime | None:
        """The time of the version; None where the manifest lacks it."""
        return time_of(self.manifest)

    @property
    def tags(self) -> dict[str, int]:
        """The numbers of versions of this branch that have names, by name."""
        return tags_of(self.root, self.limits, self.branch)

    @property
    def branch(self) -> str:
        """The name of its branch; empty for the main one."""
        return self.manifest.branch

    @property
    def branches(self) -> list[str]:
        """The names of all branches but the main one."""
        return branches_of(self.root)

    @property
    def metadata(self) -> dict[str, bytes]:
        """Metadata of the Arrow schema."""
        return SchemaMetadata(self.manifest.schema_metadata)

    @cached_property
    def schema(self) -> pa.Schema:
        """The Arrow schema, with the extension types that pyarrow knows, as in batches."""
        from byteloom.lance.extensions import extended_schema
        from byteloom.lance.types import arrow_schema

        return extended_schema(arrow_schema(self.fields, self.metadata))

    @cached_property
    def fragments(self) -> list[Fragment]:
        """Its fragments: the rows, in the parts in which they were written."""
        return [self.fragment(number) for number in range(len(self.manifest.fragments))]

    def fragment(self, number: int) -> Fragment:
        """Return one of the fragments; making all of them takes long where there are many."""
        found = self._known.get(number)
        if found is None:
            stored = self.manifest.fragments[number]
            found = self._known[number] = Fragment(stored, number, self.files)
        return found

    @cached_property
    def starts(self) -> list[int]:
        """The number of the first row of each fragment, and the number of all rows."""
        rows = [
            0 if each.HasField("deletion_file") else each.physical_rows
            for each in self.manifest.fragments
        ]
        if 0 in rows:  # a fragment is only opened if the manifest does not count its rows
            rows = [each or self.fragment(number).num_rows for number, each in enumerate(rows)]
        found = [0, *accumulate(rows)]
        if found[-1] > _MAX_ROWS:
            wanted = f"at most {_MAX_ROWS} rows in all"
            raise FormatError("manifest.fragments.physical_rows", None, found[-1], wanted)
        return found

    @property
    def num_rows(self) -> int:
        """The number of rows that are not deleted."""
        return self.starts[-1]

    def count(self, filter: Filter | None = None) -> int:  # noqa: A002  as in `scan`
        """Return the number of rows that are not deleted, or of those that match *filter*."""
        return self.num_rows if filter is None else self.scan([], filter=filter).count()

    # Rows

    def scan(  # noqa: PLR0913  which rows, and how
        self,
        columns: Sequence[str] | None = None,
        *,
        rows: range | None = None,
        batch_size: int = 1 << 16,
        filter: Filter | None = None,  # noqa: A002  as pyarrow and pylance call it
        with_row_id: bool = False,
        with_row_address: bool = False,
        with_blob_bytes: bool = False,
        threads: int | None = None,
    ) -> DatasetScan:
        """Return a scan of columns and rows; no data is read before rows are asked for.

        columns           as for `LanceFile.scan`
        rows              a range of row numbers, not counting deleted rows; None for all
        batch_size        rows of a batch at most
        filter            selects rows: an expression of `byteloom.iceberg`, or its text; None for
                          all.  Other columns are read only where rows match
        with_row_id       adds a column ``_rowid``: for `take_row_ids`; a row keeps its id in later
                          versions if the dataset has stable row ids, and otherwise until its
                          fragment is written anew
        with_row_address  adds a column ``_rowaddr``: the fragment's id in the upper 32 bits, and
                          the row's position in the fragment
        with_blob_bytes   reads the bytes of blobs of `lance.blob.v2`, of which a scan has
                          descriptors otherwise; a batch then ends after 64 MiB of them
        threads           as for `LanceFile.scan`
        raises            `FormatError` for names and rows that the dataset does not have,
                          `Unsupported` for no names of columns where the release that wrote the
                          dataset would leave some out: blobs in a dataset of their own
        """
        from byteloom.lance.choosing import chosen
        from byteloom.lance.dataset.row_ids import id_columns
        from byteloom.lance.dataset.scan import DatasetScan
        from byteloom.lance.filtering import condition_of

        if columns is None:
            self._check_shown()
        with about_file(self.place_name):
            condition = condition_of(filter, self.fields)
        blobs = None
        if with_blob_bytes and any(each.has_v2_blobs for each in chosen(self.fields, columns)):
            blobs = self._blob_columns(has_address=with_row_address)
        added = id_columns(
            self.fields,
            with_row_id=with_row_id,
            with_row_address=with_row_address or blobs is not None,
        )
        settings: Any = {"condition": condition, "added": added, "blobs": blobs, "threads": threads}
        return DatasetScan(self, columns, rows, batch_size, **settings)

    def to_table(
        self,
        columns: Sequence[str] | None = None,
        *,
        filter: Filter | None = None,  # noqa: A002  as in `scan`
        with_row_id: bool = False,
        with_row_address: bool = False,
        with_blob_bytes: bool = False,
    ) -> pa.Table:
        """Return all rows, or those that match *filter*, as a table; see `scan`."""
        return self.scan(
            columns,
            filter=filter,
            with_row_id=with_row_id,
            with_row_address=with_row_address,
            with_blob_bytes=with_blob_bytes,
        ).to_table()

    def take(
        self,
        rows: Sequence[int] | np.ndarray | pa.Array,
        columns: Sequence[str] | None = None,
        *,
        with_blob_bytes: bool = False,
    ) -> pa.Table:
        """Return rows by their numbers, in the given order; only what they need is read.

        rows             numbers from 0 on, not counting deleted rows, in any order, repeated or not
        columns          as for `scan`
        with_blob_bytes  as for `scan`
        """
        return self.scan(columns, with_blob_bytes=with_blob_bytes).take(rows)

    def take_row_ids(
        self,
        ids: Sequence[int] | np.ndarray | pa.Array,
        columns: Sequence[str] | None = None,
        *,
        with_blob_bytes: bool = False,
    ) -> pa.Table:
        """Return rows by their ids, in the given order; see `scan` for ids.

        ids              in any order, possibly repeated
        columns          as for `scan`
        with_blob_bytes  as for `scan`
        raises           `FormatError` for an id that no row has, as after a row was deleted
        """
        from byteloom.lance.dataset.finding_ids import rows_with_ids

        return self.take(rows_with_ids(self, ids), columns, with_blob_bytes=with_blob_bytes)

    def _blob_columns(self, *, has_address: bool) -> Callable[[Sequence[Field]], BlobColumns]:
        from byteloom.lance.dataset.blob_bytes import BlobFiles
        from byteloom.lance.dataset.blob_columns import BlobColumns

        files = BlobFiles(self.files, self.manifest.fragments)
        return lambda fields: BlobColumns(fields, files, has_address=has_address)

    def _check_shown(self) -> None:
        """Refuse to choose between all columns and those that the release that wrote them reads."""
        apart = self.files.apart if self.files.hides_blobs else ()
        names = ", ".join(each.name for each in self.fields if each.id in apart)
        if names:
            release = self.manifest.writer_version.version
            why = f"release {release} keeps {names} in a dataset of blobs, and scans the others"
            raise Unsupported("columns", None, "none named", f"names of columns: {why}")

    # Next versions

    @property
    def manifest_name(self) -> str:
        """The name of its manifest, below the folder."""
        return self._name

    def newest(self) -> Dataset:
        """Return the newest version of the dataset."""
        from byteloom.lance.dataset.opening import open_dataset

        return open_dataset(
            self.root.path,
            branch=None if self.root is self.folder else self.branch,
            filesystem=self.root.filesystem,
            limits=self.limits,
            allow=None if self.allowed is None else self.allowed.prefixes,
        )

    def delete(
        self,
        rows: Sequence[int] | np.ndarray | pa.Array | str | None = None,
        *,
        filter: Filter | None = None,  # noqa: A002  as in `scan`
    ) -> Dataset:
        """Return the next version of the dataset, without some rows.

        rows    their numbers, not counting deleted rows, in any order; or the text of a filter
        filter  selects rows, as for `scan`, instead of their numbers
        raises  `CommitConflict` where another writer changed a fragment with any of the rows; a
                filter is first evaluated again on the newest version
        """
        from byteloom.lance.dataset.changes import delete_matching, delete_rows

        if (rows is None) == (filter is None):
            found = "neither" if rows is None else "both"
            raise ArgumentError("rows, filter", None, found, "exactly one of them")
        if isinstance(rows, str):
            return delete_matching(self, rows)
        if filter is not None:
            return delete_matching(self, filter)
        return delete_rows(self, () if rows is None else rows)

    def add_columns(self, data: Any) -> Dataset:
        """Return the next version of the dataset, with more columns.

        data    rows as `write_dataset` takes them, with the number and the order of the dataset's
                rows
        raises  `FormatError` for names that the dataset has, and for any other number of rows;
                `CommitConflict` where another writer changed rows or columns
        """
        from byteloom.lance.dataset.changes import add_columns

        return add_columns(self, data)

    def drop_columns(self, names: Sequence[str]) -> Dataset:
        """Return the next version of the dataset, without some columns.

        names   of columns, not of inner fields
        raises  `FormatError` for unknown names, and for the names of all columns,
                `CommitConflict` where another writer changed the columns
        """
        from byteloom.lance.dataset.changes import drop_columns

        return drop_columns(self, names)

    @cached_property
    def files(self) -> DatasetFiles:
        """Its files, and the folders that they are in."""
        return files_of(self.folder, self._name, self.manifest, self.limits, self.allowed)
