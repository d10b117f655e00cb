"""New rows of a Lance dataset, and the data files that they are written to.

- A dataset takes fewer columns than a file, since pylance reads fewer from it.  Rows to append may
  lack fields that may be null: their data files do not have them.
- A file has a bounded number of rows, and a unique name, so writers do not interfere with each
  other.
- If writing fails, the files written so far are removed.

Source: https://lance.org/format/table/#data-files
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from uuid import uuid4

import pyarrow as pa

from byteloom.arrow.data import batches_of
from byteloom.errors import ArgumentError, CommitConflict, FormatError, Unsupported
from byteloom.lance.dataset.dataset_files import DATA
from byteloom.lance.fields import EXTENSION, JSON_TEXT, tree_of
from byteloom.lance.mapping import fields_with_columns
from byteloom.lance.writing.schema import storage_schema
from byteloom.lance.writing.writer import LanceWriter
from byteloom.limits import DEFAULT_LIMITS
from byteloom.storage.creating import make_folder, remove_empty_folder, remove_file
from byteloom_generated.lance.encodings import VERSIONS
from byteloom_generated.lance.table import DataFile, DataFragment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from byteloom.lance.fields import Field
    from byteloom.storage import Folder

__all__ = [
    "DataFiles",
    "RowStream",
    "Rows",
    "dataset_schema",
    "present_fields",
    "stream_of",
]


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


def dataset_schema(schema: pa.Schema) -> pa.Schema:
    """Return the schema with the types that are stored.

    Raises:
        ArgumentError: For a dot in a name, which leads to a field of a struct.
        Unsupported: For JSON, which pylance stores in a binary form of its own, and for what a file
            does not take.
    """
    for name in schema.names:
        if "." in name:
            raise ArgumentError("schema", None, f"a column {name!r}", "names without dots")
    stored = storage_schema(schema)
    for each in stored:
        _check(each, f"schema.{each.name}")
    return stored


def _check(field: pa.Field, path: str) -> None:
    """Refuse JSON, even inside other types."""
    if (field.metadata or {}).get(EXTENSION.encode()) == JSON_TEXT:
        raise Unsupported(path, None, JSON_TEXT.decode(), "its storage type, text")
    for number in range(field.type.num_fields):
        inner = field.type.field(number)
        _check(inner, f"{path}.{inner.name}")


def present_fields(fields: Sequence[Field], given: pa.Schema) -> list[Field]:
    """Return the fields of a dataset that rows to append have, in the dataset's order.

    Args:
        given: The schema of the rows.

    Raises:
        ArgumentError: For a field that the dataset does not have, and where one is missing that is
            never null, or all are.
    """
    found = _present(fields, list(given), "rows")
    if not found and fields:
        raise _other_columns("rows", fields, list(given))
    return found


def _present(fields: Sequence[Field], given: Sequence[pa.Field], path: str) -> list[Field]:
    by_name = {each.name: each for each in given}
    known = {each.name for each in fields}
    is_missing = any(not each.nullable and each.name not in by_name for each in fields)
    if is_missing or len(by_name) != len(given) or not known.issuperset(by_name):
        raise _other_columns(path, fields, given)
    return [
        _narrowed(each, by_name[each.name].type, f"{path}.{each.name}")
        for each in fields
        if each.name in by_name
    ]


def _narrowed(field: Field, type_: pa.DataType, path: str) -> Field:
    """A field with those of its inner fields that values of *type_* have."""
    if field.is_struct and not field.is_packed and pa.types.is_struct(type_):
        return replace(field, children=_present(field.children, list(type_), path))
    if field.children and (pa.types.is_list(type_) or pa.types.is_large_list(type_)):
        return replace(field, children=[_narrowed(field.children[0], type_.value_type, path)])
    return field


def _other_columns(path: str, fields: Sequence[Field], given: Sequence[pa.Field]) -> ArgumentError:
    """Return the error about the fields of rows to append."""
    names = ", ".join(each.name for each in given) or "none"
    needed = [each.name for each in fields if not each.nullable]
    wanted = f"some of {', '.join(each.name for each in fields)}"
    if needed:
        wanted += f", and always {', '.join(needed)}"
    return ArgumentError(path, None, f"columns {names}", wanted)


class Rows(NamedTuple):
    """A schema, and rows of it in batches."""

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]


def stream_of(data: Any) -> Rows:
    """Return Arrow data in any form that `batches_of` takes, with its schema.

    Raises:
        FormatError: For anything else, and where there is neither a schema nor a batch.
    """
    batches = batches_of(data)
    known = getattr(data, "schema", None)
    if isinstance(known, pa.Schema):
        return Rows(known, batches)
    first = next(batches, None)
    if first is None:
        raise ArgumentError("data", None, "no batches", "at least one, for the schema")
    return Rows(first.schema, chain([first], batches))


class RowStream:
    """A stream from which some rows at a time are taken."""

    def __init__(self, batches: Iterator[pa.RecordBatch]) -> None:
        """Set up the stream; nothing is taken yet."""
        self._batches = batches
        self._left: pa.RecordBatch | None = None
        self._taken = 0

    def take(self, count: int) -> Iterator[pa.RecordBatch]:
        """Yield the next *count* rows.

        Raises:
            FormatError: There are fewer.
        """
        while count:
            batch = self._next()
            if batch is None:
                raise FormatError("rows", None, f"{self._taken} rows", f"{count} more")
            part, rest = batch.slice(0, count), batch.slice(count)
            self._left = rest if rest.num_rows else None
            self._taken += part.num_rows
            count -= part.num_rows
            yield part

    def count_rest(self) -> int:
        """Return how many rows are left, and take them."""
        found = 0
        while (batch := self._next()) is not None:
            self._left = None
            found += batch.num_rows
        return found

    def _next(self) -> pa.RecordBatch | None:
        """The rows that are left of a batch, or the next batch with any."""
        while self._left is None or not self._left.num_rows:
            self._left = next(self._batches, None)
            if self._left is None:
                return None
        return self._left
