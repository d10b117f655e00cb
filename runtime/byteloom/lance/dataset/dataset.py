"""A Lance dataset: what is done with a version of it, and how it is opened.

Decoders and writers are imported when rows are read and changed, since a start without them is
quicker.

Source: https://lance.org/format/table/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from byteloom.arrow.stream import ArrowStream
from byteloom.errors import ArgumentError, Unsupported
from byteloom.lance.choosing import chosen
from byteloom.lance.dataset.blob_bytes import BlobFiles
from byteloom.lance.dataset.blob_columns import BlobColumns
from byteloom.lance.dataset.opening import version_place
from byteloom.lance.dataset.row_id_lookup import rows_with_ids
from byteloom.lance.dataset.row_ids import id_columns
from byteloom.lance.dataset.state import DatasetState
from byteloom.lance.filtering import condition_of
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.redaction import redacted
from byteloom.storage import Folder
from byteloom.storage.allowed import Allowed
from byteloom.storage.naming import about_file, naming

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Sequence

    import numpy as np
    import pyarrow as pa

    from byteloom.lance.dataset.scan import DatasetScan
    from byteloom.lance.fields import Field
    from byteloom.lance.filtering import Filter
    from byteloom.moments import Moment

__all__ = ["Dataset", "open_dataset"]


@naming
class Dataset(DatasetState, ArrowStream):
    """A version of a Lance dataset: its schema, its rows, and changes that make the next version.

    A `Dataset` never changes: another version is another `Dataset`.
    """

    def __repr__(self) -> str:
        """Its place, its version, and its size."""
        count = len(self.manifest.fragments)
        noun = "fragment" if count == 1 else "fragments"
        return redacted(f"<Dataset {self.folder}: version {self.version}, {count} {noun}>")

    def to_reader(self) -> pa.RecordBatchReader:
        """Return all rows as pyarrow's reader of batches; arguments of `scan` choose some."""
        return self.scan().to_reader()

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
        from byteloom.lance.dataset.scan import DatasetScan

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
        return self.take(rows_with_ids(self, ids), columns, with_blob_bytes=with_blob_bytes)

    def _blob_columns(self, *, has_address: bool) -> Callable[[Sequence[Field]], BlobColumns]:
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


def open_dataset(  # noqa: PLR0913  which version of what, and how
    place: str | os.PathLike[str],
    *,
    version: int | None = None,
    tag: str | None = None,
    branch: str | None = None,
    as_of: Moment | None = None,
    filesystem: Any = None,
    limits: Limits = DEFAULT_LIMITS,
    allow: Iterable[str | os.PathLike[str]] | None = None,
) -> Dataset:
    """Open a version of a Lance dataset: read its manifest.

    place       path or URL of its folder
    version     the number of a version, from 1, or of a detached one, from 2^63 on; None for the
                newest
    tag         the name of a version, instead of its number and branch
    branch      the name of a branch; None for the main one
    as_of       a `datetime`, ISO 8601 (both UTC by default) or milliseconds from 1970: the newest
                version that was committed by then, instead of a number or a tag
    filesystem  of `pyarrow.fs` or fsspec, in which *place* is a path
    limits      what reading one file may cost
    allow       prefixes that all files must be below which the manifest names outside of the folder
    raises      `FormatError` for anything but a Lance dataset, and for an unknown version, tag or
                branch, `Unsupported` for a version that needs a newer reader, `StorageError`,
                also for a file that is not allowed, when it is read

    Source: https://lance.org/format/table/
    """
    found = version_place(
        Folder(place, filesystem=filesystem),
        limits,
        version=version,
        tag=tag,
        branch=branch,
        as_of=as_of,
    )
    return Dataset.read(found, limits, None if allow is None else Allowed(allow))
