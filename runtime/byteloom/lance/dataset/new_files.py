"""Write the data files of a Lance dataset, each with a bounded number of rows.

- Every file has a unique name, so writers do not interfere with each other.
- If writing fails, the files written so far are removed.

Source: https://lance.org/format/table/#data-files
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Self
from uuid import uuid4

from byteloom.errors import CommitConflict
from byteloom.lance.fields import tree_of
from byteloom.lance.mapping import fields_with_columns
from byteloom.lance.writing.writer import LanceWriter
from byteloom.limits import DEFAULT_LIMITS
from byteloom.storage.creating import make_folder, remove_empty_folder, remove_file
from byteloom_generated.lance.encodings import VERSIONS
from byteloom_generated.lance.table import DataFile, DataFragment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

    from byteloom.storage import Folder

__all__ = ["DATA", "DataFiles"]

DATA: Final = "data"
"""The folder of data files, in the folder of the dataset."""


class DataFiles:
    """New data files, in no version yet; they are removed if the ``with`` block fails.

    Attributes:
        folder: The folder of the dataset.
        schema: The schema of the rows.
        version: The version of the format.
        ids: The ids of the fields in pre-order; None for 0, 1, ...
        prefix: Prefix of the names of the files.
    """

    def __init__(
        self,
        folder: Folder,
        schema: pa.Schema,
        version: str,
        ids: Sequence[int] | None = None,
        *,
        prefix: str = "",
    ) -> None:
        """Set up the files; nothing is written yet."""
        self.folder, self.schema, self.version, self.ids = folder, schema, version, ids
        self.prefix = prefix
        self._names: list[str] = []
        self._unfinished: LanceWriter | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self._remove()

    @contextmanager
    def removed_by_conflict(self) -> Iterator[None]:
        """Remove the files where the block ends in a `CommitConflict`.

        After any other failure to commit there may be a version that needs them.
        """
        try:
            yield
        except CommitConflict:
            self._remove()
            raise

    def _remove(self) -> None:
        if self._unfinished is not None:
            self._unfinished.abort()
        for name in self._names:
            remove_file(self.folder, name)
        remove_empty_folder(self.folder, DATA)

    def fragments(self, batches: Iterable[pa.RecordBatch], most: int) -> list[DataFragment]:
        """Write *batches*; return fragments of *most* rows each, which have no number yet."""
        found: list[DataFragment] = []
        writer: LanceWriter | None = None
        for batch in batches:
            at = 0
            while at < batch.num_rows:
                writer = self._writer() if writer is None else writer
                part = batch.slice(at, most - writer.num_rows)
                writer.write(part)
                at += part.num_rows
                if writer.num_rows == most:
                    found.append(self._fragment(writer))
                    writer = None
        if writer is not None:
            found.append(self._fragment(writer))
        return found

    def file(self, batches: Iterable[pa.RecordBatch]) -> DataFile:
        """Write all rows to one file, and return it."""
        writer = self._writer()
        for batch in batches:
            writer.write(batch)
        return self._finished(writer)

    def _writer(self) -> LanceWriter:
        name = f"{DATA}/{self.prefix}{uuid4().hex}.lance"
        place = f"{self.folder.path}/{name}"
        self._names.append(name)
        make_folder(self.folder, DATA)  # created here, since a failing writer removes empty folders
        self._unfinished = LanceWriter(
            place,
            self.schema,
            version=self.version,
            filesystem=self.folder.filesystem,
            ids=self.ids,
        )
        return self._unfinished

    def _fragment(self, writer: LanceWriter) -> DataFragment:
        rows = writer.num_rows
        return DataFragment(files=[self._finished(writer)], physical_rows=rows)

    def _finished(self, writer: LanceWriter) -> DataFile:
        writer.finish()
        self._unfinished = None
        pair = next(each.manifest_pair for each in VERSIONS if each.name == self.version)
        major, minor = map(int, pair.split("/"))
        fields = tree_of(writer.fields, DEFAULT_LIMITS)
        ids = [each.id for each in fields_with_columns(fields, self.version)]
        return DataFile(
            path=self._names[-1].removeprefix(f"{DATA}/"),
            fields=ids,
            column_indices=range(len(ids)),
            file_major_version=major,
            file_minor_version=minor,
            file_size_bytes=writer.size,
        )
