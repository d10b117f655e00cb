"""A Lance dataset: what is done with a version of it, and how it is opened.

Decoders and writers are imported when rows are read and changed, since a start without them is
quicker.

Source: https://lance.org/format/table/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from byteloom.arrow.data import ArrowStream
from byteloom.errors import ArgumentError, Unsupported
from byteloom.lance.dataset.blob_bytes import BlobFiles
from byteloom.lance.dataset.blob_columns import BlobColumns
from byteloom.lance.dataset.fragments import rows_with_ids
from byteloom.lance.dataset.row_ids import id_columns
from byteloom.lance.dataset.state import DatasetState
from byteloom.lance.dataset.versions import version_place
from byteloom.lance.selection import BATCH_ROWS, chosen, condition_of
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
    from byteloom.lance.selection import Filter
    from byteloom.moments import Moment

__all__ = ["Dataset", "open_dataset"]


@naming
class Dataset(DatasetState, ArrowStream):
    """A version of a Lance dataset: its schema, its rows, and changes that make the next version.

    A `Dataset` never changes: another version is another `Dataset`.

    Example:
        >>> import pyarrow as pa
        >>> from byteloom import lance
        >>> trips = lance.write_dataset("trips.lance", pa.table({"id": range(5)}))
        >>> trips.delete([0, 1]).to_table().to_pydict()
        {'id': [2, 3, 4]}
        >>> trips.count(), trips.newest().count()
        (5, 3)
    """

    def __repr__(self) -> str:
        """Its place, its version, and its size."""
        count = len(self.manifest.fragments)
        noun = "fragment" if count == 1 else "fragments"
        return redacted(f"<Dataset {self.folder}: version {self.version}, {count} {noun}>")

    def to_reader(self) -> pa.RecordBatchReader:
        """Return all rows as pyarrow's reader of batches; arguments of `scan` choose some.

        Returns:
            The reader; nothing is read before batches are asked for.
        """
        return self.scan().to_reader()

    def count(self, filter: Filter | None = None) -> int:  # noqa: A002  as in `scan`
        """Return the number of rows that are not deleted, or of those that match *filter*.

        Args:
            filter: Selects rows, as for `scan`; None for all, which reads no rows.

        Returns:
            The number of rows.

        Example:
            >>> import pyarrow as pa
            >>> from byteloom import lance
            >>> lance.write_dataset("trips.lance", pa.table({"id": range(5)})).count("id > 1")
            3
        """
        return self.num_rows if filter is None else self.scan([], filter=filter).count()

    # Rows

    def scan(  # noqa: PLR0913  which rows, and how
        self,
        columns: Sequence[str] | None = None,
        *,
        rows: range | None = None,
        batch_size: int = BATCH_ROWS,
        filter: Filter | None = None,  # noqa: A002  as pyarrow and pylance call it
        with_row_id: bool = False,
        with_row_address: bool = False,
        with_blob_bytes: bool = False,
        threads: int | None = None,
    ) -> DatasetScan:
        """Return a scan of columns and rows; no data is read before rows are asked for.

        Args:
            columns: As for `LanceFile.scan`.
            rows: A range of row numbers, not counting deleted rows; None for all.
            batch_size: Rows of a batch at most.
            filter: Selects rows: an expression of `byteloom.iceberg`, or its text; None for all.
                Other columns are read only where rows match.
            with_row_id: Adds a column ``_rowid``, for `take_row_ids`.  A row keeps its id in later
                versions if the dataset has stable row ids, and otherwise until its fragment is
                rewritten.
            with_row_address: Adds a column ``_rowaddr``: the fragment's id in the upper 32 bits,
                and the row's position in the fragment.
            with_blob_bytes: Reads the bytes of blobs of `lance.blob.v2`, of which a scan has
                descriptors otherwise; a batch then ends after 64 MiB of them.
            threads: As for `LanceFile.scan`.

        Returns:
            The scan, whose rows come as batches or as a table.

        Raises:
            FormatError: The dataset does not have the columns or rows.
            Unsupported: No columns are named, and the release that wrote the dataset would leave
                some out: blobs in a dataset of their own.

        Example:
            >>> import pyarrow as pa
            >>> from byteloom import lance
            >>> trips = lance.write_dataset("trips.lance", pa.table({"id": range(100)}))
            >>> scan = trips.scan(["id"], rows=range(10, 50), filter="id > 47", with_row_id=True)
            >>> scan.to_table().to_pydict()
            {'id': [48, 49], '_rowid': [48, 49]}
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
        """Return all rows, or those that match *filter*, as a table.

        Args:
            columns: As for `scan`.
            filter: As for `scan`.
            with_row_id: As for `scan`.
            with_row_address: As for `scan`.
            with_blob_bytes: As for `scan`.

        Returns:
            The rows.

        Raises:
            FormatError: As for `scan`, and for damage.

        Example:
            >>> import pyarrow as pa
            >>> from byteloom import lance
            >>> trips = lance.write_dataset("trips.lance", pa.table({"id": range(5)}))
            >>> trips.to_table(filter="id > 2").to_pydict()
            {'id': [3, 4]}
        """
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

        Args:
            rows: Numbers from 0 on, not counting deleted rows, in any order, possibly repeated.
            columns: As for `scan`.
            with_blob_bytes: As for `scan`.

        Returns:
            A row for each number.

        Raises:
            FormatError: As for `scan`, and for damage.

        Example:
            >>> import pyarrow as pa
            >>> from byteloom import lance
            >>> trips = lance.write_dataset("trips.lance", pa.table({"id": range(5)}))
            >>> trips.delete([0]).take([3, 0]).to_pydict()
            {'id': [4, 1]}
        """
        return self.scan(columns, with_blob_bytes=with_blob_bytes).take(rows)

    def take_row_ids(
        self,
        ids: Sequence[int] | np.ndarray | pa.Array,
        columns: Sequence[str] | None = None,
        *,
        with_blob_bytes: bool = False,
    ) -> pa.Table:
        """Return rows by their ids, in the given order.

        Args:
            ids: Values of the column ``_rowid`` of a `scan`, in any order, possibly repeated.
            columns: As for `scan`.
            with_blob_bytes: As for `scan`.

        Returns:
            A row for each id.

        Raises:
            FormatError: No row has the id, as after a row was deleted.

        Example:
            >>> import pyarrow as pa
            >>> from byteloom import lance
            >>> trips = lance.write_dataset("trips.lance", pa.table({"id": range(5)}))
            >>> trips.delete([0]).take_row_ids([3]).to_pydict()
            {'id': [3]}
        """
        fragments = zip(self.fragments, self.starts, strict=False)
        rows = rows_with_ids(fragments, ids)
        return self.take(rows, columns, with_blob_bytes=with_blob_bytes)

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

        Args:
            rows: Their numbers, not counting deleted rows, in any order; or the text of a filter.
            filter: Selects rows, as for `scan`, instead of their numbers.

        Returns:
            The next version.

        Raises:
            CommitConflict: Another writer changed a fragment with any of the rows; a filter is
                first evaluated again on the newest version.

        Example:
            >>> import pyarrow as pa
            >>> from byteloom import lance
            >>> trips = lance.write_dataset("trips.lance", pa.table({"id": range(5)}))
            >>> trips.delete([0, 1]).delete(filter="id = 3").to_table().to_pydict()
            {'id': [2, 4]}
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

        Args:
            data: Rows as `write_dataset` takes them, with the number and the order of the
                dataset's rows.

        Returns:
            The next version.

        Raises:
            FormatError: The dataset has a column of one of the names, or another number of rows.
            CommitConflict: Another writer changed rows or columns.

        Example:
            >>> import pyarrow as pa
            >>> from byteloom import lance
            >>> trips = lance.write_dataset("trips.lance", pa.table({"id": range(2)}))
            >>> trips.add_columns(pa.table({"name": ["a", "b"]})).take([1]).to_pydict()
            {'id': [1], 'name': ['b']}
        """
        from byteloom.lance.dataset.changes import add_columns

        return add_columns(self, data)

    def drop_columns(self, names: Sequence[str]) -> Dataset:
        """Return the next version of the dataset, without some columns.

        Args:
            names: The names of columns, not of inner fields.

        Returns:
            The next version.

        Raises:
            FormatError: A name is unknown, or no column would be left.
            CommitConflict: Another writer changed the columns.

        Example:
            >>> import pyarrow as pa
            >>> from byteloom import lance
            >>> table = pa.table({"id": range(2), "name": ["a", "b"]})
            >>> trips = lance.write_dataset("trips.lance", table)
            >>> trips.drop_columns(["id"]).schema.names
            ['name']
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

    Args:
        place: The path or the URL of its folder.
        version: The number of a version, from 1, or of a detached one, from 2^63 on; None for the
            newest.
        tag: The name of a version, instead of its number and branch.
        branch: The name of a branch; None for the main one.
        as_of: A `datetime`, ISO 8601 (both UTC by default) or milliseconds from 1970: the newest
            version that was committed by then, instead of a number or a tag.
        filesystem: A filesystem of `pyarrow.fs` or fsspec, in which *place* is a path.
        limits: What reading one file may cost.
        allow: Prefixes that all files must be below which the manifest names outside of the
            folder; None for anywhere.

    Returns:
        The version.

    Raises:
        FormatError: There is no Lance dataset, or no such version, tag or branch.
        Unsupported: The version needs a newer reader.
        StorageError: A file is missing or cannot be read, or is not allowed.

    Example:
        >>> import pyarrow as pa
        >>> from byteloom import lance
        >>> trips = lance.write_dataset("trips.lance", pa.table({"id": range(5)}))
        >>> trips = lance.write_dataset("trips.lance", pa.table({"id": [9]}), mode="append")
        >>> lance.open_dataset("trips.lance").versions
        [1, 2]
        >>> lance.open_dataset("trips.lance", version=1).count()
        5

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
