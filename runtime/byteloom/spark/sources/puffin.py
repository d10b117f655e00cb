"""``byteloom.puffin``: a row for each blob of Puffin files.

It has the footer's fields of the blob, the estimate of a sketch, and the number of positions of a
deletion vector.  Blobs are read only for the last two, if `columns` has them.

Source: https://iceberg.apache.org/puffin-spec/
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyspark.sql.types import StructType

from byteloom.spark.files import located
from byteloom.spark.options import Options
from byteloom.spark.sources.file_source import (
    COLUMNS,
    PATHS,
    SPLIT_SIZE,
    STORAGE,
    FileReader,
    FileSource,
)

if TYPE_CHECKING:
    from byteloom.puffin import BlobMetadata, PuffinFile

__all__ = ["OPTIONS", "PuffinSource"]

OPTIONS: Final = Options("byteloom.puffin", *PATHS, COLUMNS, SPLIT_SIZE, prefixes=STORAGE)

_COLUMNS: Final = pa.schema(
    [
        ("file", pa.string()),
        ("type", pa.string()),
        ("fields", pa.list_(pa.int32())),
        ("snapshot_id", pa.int64()),
        ("sequence_number", pa.int64()),
        ("offset", pa.int64()),
        ("length", pa.int64()),
        ("compression_codec", pa.string()),
        ("properties", pa.map_(pa.string(), pa.string())),
        ("ndv", pa.float64()),
        ("cardinality", pa.int64()),
    ]
)


class PuffinSource(FileSource):
    """Blobs of Puffin files."""

    OPTIONS = OPTIONS

    def columns(self) -> pa.Schema:
        """Return all columns."""
        return _COLUMNS

    def reader(self, schema: StructType) -> PuffinReader:
        """Return the reader of blobs."""
        return PuffinReader(schema, self)


class PuffinReader(FileReader):
    """A reader of one batch per file."""

    def batches(self, value: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield the blobs of files at these places."""
        from byteloom import puffin

        for place in value:
            path, filesystem = located(place, self.storage)
            with puffin.open(path, filesystem=filesystem) as file:
                columns = [
                    pa.array(_values(file, place, each.name), each.type) for each in self.columns
                ]
            yield pa.RecordBatch.from_arrays(columns, schema=self.columns)


def _values(file: PuffinFile, place: str, name: str) -> list[Any]:
    """Return a column of one file's blobs, of which there are few."""
    if name == "file":
        return [place] * len(file.blobs)
    if name == "properties":
        return [list(each.properties.items()) for each in file.blobs]
    if name in _CONTENT:
        of_content = _CONTENT[name]
        return [of_content(file, each) for each in file.blobs]
    return [getattr(each, name) for each in file.blobs]


def _distinct_values(file: PuffinFile, blob: BlobMetadata) -> float | None:
    """Return the estimate of a sketch; None for other blobs."""
    from byteloom.puffin.theta import BLOB_TYPE

    return file.theta_sketch(blob).estimate if blob.type == BLOB_TYPE else None


def _cardinality(file: PuffinFile, blob: BlobMetadata) -> int | None:
    """Return the number of positions of a deletion vector; None for other blobs."""
    from byteloom.puffin.deletion_vector import BLOB_TYPE

    return file.deletion_vector(blob).cardinality if blob.type == BLOB_TYPE else None


_CONTENT: Final[dict[str, Callable[[PuffinFile, BlobMetadata], Any]]] = {
    "ndv": _distinct_values,
    "cardinality": _cardinality,
}
"""Columns for which blobs are read, each with its function."""
