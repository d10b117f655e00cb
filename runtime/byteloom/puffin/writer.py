"""Writing Puffin files.

The rules:

- Blobs are written as they come, the footer last; then the file appears under its name.  After an
  exception in its ``with`` block, a writer leaves the target as it was.
- A blob is refused before a byte of it is written, so the writer can still be used after an error.
- Unknown fields of a file that is rewritten can be kept: `PuffinWriter` with *like*.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import index
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

import byteloom
from byteloom.codecs.compression import compress
from byteloom.files.new_file import NewFile
from byteloom.limits import DEFAULT_LIMITS
from byteloom.puffin.footer import MAGIC
from byteloom.puffin.metadata import BlobMetadata, FileMetadata, encode, plain
from byteloom.puffin.pieces import as_view
from byteloom.puffin.reader import PuffinFile
from byteloom.puffin.strict import blob_metadata, string_map
from byteloom.storage import Place, open_target
from byteloom_generated.puffin.puffin import Footer

if TYPE_CHECKING:
    from byteloom.puffin.deletion_vector import DeletionVector
    from byteloom.puffin.theta import ThetaSketch

__all__ = ["PuffinWriter"]

_CREATED_BY: Final = "created-by"
_ROW_POSITION: Final = (1 << 31) - 3
"""The reserved field id of ``_pos``, which Java's writer also uses for deletion vectors."""

_PIECE: Final = 8 << 20
"""Bytes that `PuffinWriter.copy` has in memory at a time."""


class PuffinWriter(NewFile):
    """A writer of one Puffin file; use it in a ``with`` block, whose end finishes the file.

    Without such a block call `finish` or `abort`; a writer that is dropped before that leaves
    nothing.

    Attributes:
        blobs: The descriptions of the blobs so far, for the footer.
        footer_size: Bytes of the finished file's footer; Iceberg's
            ``file-footer-size-in-bytes``.
        file_size: Bytes of the file so far.
    """

    def __init__(  # noqa: PLR0913  each is one thing the format lets a writer say
        self,
        place: Place,
        *,
        filesystem: Any = None,
        created_by: str | None = f"byteloom {byteloom.__version__}",
        properties: Mapping[str, str] | None = None,
        compress_footer: bool = False,
        like: PuffinFile | None = None,
    ) -> None:
        """Begin a file; nothing appears at *place* before it is finished.

        Until then, an existing file at *place* stays as it is; then it is replaced.

        Args:
            place: A path, a URL, an open binary file, or a `byteloom.storage.Target`.
            filesystem: A filesystem of `pyarrow.fs` or fsspec, in which *place* is a path.
            created_by: The property ``created-by``, unless *properties* or *like* has one; None
                for none.
            properties: Other properties of the file.
            compress_footer: Whether to store the footer as LZ4, which byteloom reads and other
                readers do not yet.
            like: A file whose properties, unknown JSON fields and flags go into this one too.

        Source: https://iceberg.apache.org/puffin-spec/#filemetadata
        """
        merged = dict(like.properties) if like else {}
        merged |= string_map("properties", {} if properties is None else _plain_map(properties))
        if created_by is not None:
            merged.setdefault(_CREATED_BY, created_by)
        self._properties = string_map("properties", merged)
        self._extra = dict(like.metadata.extra) if like else {}
        self._reserved = like.footer.reserved if like else 0
        self._compress = compress_footer or (like is not None and like.footer.payload_is_compressed)
        self.blobs: list[BlobMetadata] = []
        self.file_size = self.footer_size = 0
        self._begin(open_target(place, filesystem=filesystem))
        self._write(MAGIC)

    def add(  # noqa: PLR0913  the fields of a blob, by their names in the spec
        self,
        *,
        type: str,  # noqa: A002  the spec's word
        data: bytes | bytearray | memoryview,
        fields: Iterable[int],
        snapshot_id: int,
        sequence_number: int,
        compression: str | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> BlobMetadata:
        """Write one blob and return its description for the footer.

        Args:
            type: One of the spec's blob types, or any other name.
            data: The blob's content.
            fields: Ids of the table's fields that it was computed from, order kept.
            snapshot_id: The table's snapshot at that time; -1 if inherited or unknown.
            sequence_number: The table's sequence number at that time; -1 if inherited or unknown.
            compression: ``lz4``, ``zstd`` or None.
            properties: Other information about the blob.

        Raises:
            FormatError: For a value that its field cannot hold.
            StorageError: The place cannot be written to.

        Source: https://iceberg.apache.org/puffin-spec/#blobmetadata
        """
        self._check_open()
        path = f"blobs[{len(self.blobs)}]"
        content = as_view(f"{path}.data", data)
        stored = content if compression is None else compress(compression, content)
        value = {
            "type": type,
            "fields": _numbers(fields),
            "snapshot-id": _number(snapshot_id),
            "sequence-number": _number(sequence_number),
            "offset": self.file_size,
            "length": len(stored),
            "compression-codec": compression,
            "properties": {} if properties is None else _plain_map(properties),
        }
        blob = blob_metadata(path, value, DEFAULT_LIMITS)
        self._write(stored)
        self.blobs.append(blob)
        return blob

    def add_theta_sketch(
        self,
        sketch: ThetaSketch,
        *,
        fields: Iterable[int],
        snapshot_id: int,
        sequence_number: int,
        compression: str | None = None,
    ) -> BlobMetadata:
        """Write a sketch and its property ``ndv``; for the arguments see `add`.

        Args:
            sketch: The sketch.
            fields: As for `add`.
            snapshot_id: As for `add`.
            sequence_number: As for `add`.
            compression: As for `add`.

        Source: https://iceberg.apache.org/puffin-spec/#apache-datasketches-theta-v1-blob-type
        """
        return self.add(
            **sketch.blob()._asdict(),
            fields=fields,
            snapshot_id=snapshot_id,
            sequence_number=sequence_number,
            compression=compression,
        )

    def add_deletion_vector(
        self, vector: DeletionVector, referenced_data_file: str
    ) -> BlobMetadata:
        """Write the vector of the data file at that location.

        Its description is otherwise the same for every vector: the field of row positions, an
        inherited snapshot and sequence number (-1), no codec.

        Args:
            vector: The vector.
            referenced_data_file: The location of the data file.

        Source: https://iceberg.apache.org/puffin-spec/#deletion-vector-v1-blob-type
        """
        return self.add(
            **vector.blob(referenced_data_file)._asdict(),
            fields=[_ROW_POSITION],
            snapshot_id=-1,
            sequence_number=-1,
        )

    def copy(self, file: PuffinFile, blob: BlobMetadata) -> BlobMetadata:
        """Write a *blob* of another *file* as it is stored there, whatever its codec.

        Args:
            file: The file that has the blob.
            blob: The blob, as for `PuffinFile.read`.
        """
        self._check_open()
        value = plain(replace(blob, offset=self.file_size))
        copied = blob_metadata(f"blobs[{len(self.blobs)}]", value, DEFAULT_LIMITS)
        for start in range(0, blob.length, _PIECE):
            piece = file.read_stored(blob, start, min(_PIECE, blob.length - start))
            self._write(piece)
        self.blobs.append(copied)
        return copied

    def _put_end(self) -> None:
        """Write the footer."""
        metadata = FileMetadata(blobs=self.blobs, properties=self._properties, extra=self._extra)
        payload = encode(metadata)
        footer = Footer(
            payload=compress("lz4", payload) if self._compress else payload,
            payload_is_compressed=self._compress,
            reserved=self._reserved,
        ).to_bytes()
        self._write(footer)
        self.footer_size = len(footer)

    def _write(self, data: bytes | bytearray | memoryview) -> None:
        with self._writing():  # after a failure, an unknown part of the blob was written
            self._target.write(data)
        self.file_size += len(data)


def _plain_map(value: Any) -> Any:
    """Turn any mapping into a dictionary; anything else is left for the check to refuse."""
    return dict(value) if isinstance(value, Mapping) else value


def _numbers(values: Any) -> Any:
    """Do the same for the numbers in a list or an array; leave anything else as it is."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        return values
    return [_number(each) for each in values]


def _number(value: Any) -> Any:
    """Turn NumPy's integers into Python's; anything else is left for the check to refuse."""
    if isinstance(value, bool):
        return value
    try:
        return index(value)
    except TypeError:
        return value
