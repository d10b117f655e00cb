"""Reading Puffin files.

The rules:

- Blobs are read on demand, neighbouring ones in one request.
- Opening checks all that the footer says against the file.  If the first request has the whole
  file, that includes the leading magic; `PuffinFile.verify` always looks at it.
- An unknown codec is an error only when that blob is read.
- `verify` also checks the content of blobs of known types, and what the footer says of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

from byteloom.codecs.compression import CODECS, decompress
from byteloom.errors import FormatError, Unsupported
from byteloom.files.kinds import PUFFIN
from byteloom.files.open_file import OpenFile, open_file
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.puffin.footer import MAGIC, check_places, check_start, read_footer, read_metadata
from byteloom.puffin.metadata import BlobMetadata, FileMetadata, Which, chosen
from byteloom.redaction import redacted
from byteloom.storage import Place, Source
from byteloom.storage.naming import naming

if TYPE_CHECKING:
    from byteloom.puffin.deletion_vector import DeletionVector
    from byteloom.puffin.theta import ThetaSketch

__all__ = ["PuffinFile", "about_content", "errors_in", "open"]


@contextmanager
def about_content(blob: BlobMetadata) -> Iterator[None]:
    """Make offsets in errors about the content of *blob* count from the start of the file."""
    try:
        yield
    except FormatError as error:
        if blob.compression_codec:
            error.inside_decompressed("content", blob.offset, blob.length)
        elif error.offset is not None:
            error.offset += blob.offset
        raise


def errors_in(blob: BlobMetadata, data: bytes) -> Iterator[FormatError]:
    """Yield what is wrong with the content *data* of a blob, and with what the footer says of it.

    Blobs of unknown types are not checked.
    """
    # Late, since they need NumPy.
    from byteloom.puffin import deletion_vector, theta

    kinds: dict[str, type[DeletionVector | ThetaSketch]] = {
        deletion_vector.BLOB_TYPE: deletion_vector.DeletionVector,
        theta.BLOB_TYPE: theta.ThetaSketch,
    }
    if (kind := kinds.get(blob.type)) is None:
        return
    try:
        with about_content(blob):
            content = kind.from_bytes(data)
    except FormatError as error:
        yield error
        return
    yield from content.contradictions(blob)


_T = TypeVar("_T")

_FLAGS_AT: Final = 8
"""Where the flags are, in bytes from the end of the file."""


def open(  # noqa: A001  as gzip.open and its like; never imported by its bare name here
    place: Place, *, filesystem: Any = None, limits: Limits = DEFAULT_LIMITS
) -> PuffinFile:
    """Open a Puffin file and read its footer.

    Args:
        place: A path, a URL, an open binary file, bytes, or a `byteloom.storage.Source`.
        filesystem: A filesystem of `pyarrow.fs` or fsspec, in which *place* is a path.
        limits: Bounds of what reading may cost.

    Raises:
        FormatError: For anything but a sound Puffin file.
        StorageError: The file cannot be read.

    Source: https://iceberg.apache.org/puffin-spec/#file-structure
    """
    return open_file(
        place,
        PUFFIN,
        lambda source, is_own: PuffinFile(source, limits=limits, owns_source=is_own),
        filesystem=filesystem,
    )


@naming
class PuffinFile(OpenFile):
    """An open Puffin file; use it in a ``with`` block, or close it.

    Attributes:
        footer: The footer as stored: payload, flags, reserved bits.
        metadata: The content of the footer.
        ofs_footer: Where the footer begins, in bytes from the start of the file.
        source: The reader of byte ranges.
        file_name: The name of the file in errors; None where it was opened from bytes or from
            an object without a name.
    """

    def __init__(
        self, source: Source, *, limits: Limits = DEFAULT_LIMITS, owns_source: bool = False
    ) -> None:
        """Read the footer of *source*; close it with this file only if *owns_source*.

        Args:
            source: The reader of byte ranges.
            limits: Bounds of what reading may cost.
            owns_source: Whether to close *source* with this file.

        Raises:
            FormatError: For anything but a sound Puffin file.
        """
        self.source, self._limits, self._owns_source = source, limits, owns_source
        self.file_name: str | None = None
        self.ofs_footer, self.footer = read_footer(source, limits)
        self.metadata: FileMetadata = read_metadata(self.footer, self.ofs_footer, limits)
        check_places(self.blobs, self.ofs_footer)

    def __repr__(self) -> str:
        """The file's name, number of blobs and size."""
        blobs = f"{len(self.blobs):,} blob{'' if len(self.blobs) == 1 else 's'}"
        return redacted(f"<PuffinFile {self.source.name}: {blobs}>")

    @property
    def blobs(self) -> list[BlobMetadata]:
        """The description of each blob, in the order of the footer."""
        return self.metadata.blobs

    @property
    def properties(self) -> Mapping[str, str]:
        """Properties of the file, such as ``created-by``."""
        return self.metadata.properties

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self.source.size

    @property
    def footer_size(self) -> int:
        """Bytes of the footer; Iceberg's ``file-footer-size-in-bytes``."""
        return self.size - self.ofs_footer

    def find(self, *, type: str | None = None, field: int | None = None) -> list[BlobMetadata]:  # noqa: A002  the spec's word
        """Return the blobs of a *type*, or computed from the field with id *field*, or both.

        Args:
            type: A type of blobs; None for any.
            field: The id of a field; None for any.
        """
        return [
            blob
            for blob in self.blobs
            if (type is None or blob.type == type) and (field is None or field in blob.fields)
        ]

    def read(self, blob: Which) -> bytes:
        """Return the content of *blob*, decompressed.

        Args:
            blob: Its entry in `blobs`, its number from 0, or its type if only one blob has it.

        Raises:
            Unsupported: For an unknown codec.
            LimitExceeded: The content is larger than the limits allow.
            FormatError: For damage.
        """
        return self.read_many([blob])[0]

    def read_many(self, blobs: Iterable[Which]) -> list[bytes]:
        """Return the contents of *blobs* in their order; neighbours are fetched together.

        Args:
            blobs: Entries of `blobs`.

        Raises:
            FormatError: As for `read`.
        """
        found = [chosen(self.blobs, blob) for blob in blobs]
        for blob in found:
            self._check_codec(blob)
        stored = self.source.read_ranges([(blob.offset, blob.length) for blob in found])
        return [self._decompressed(*pair) for pair in zip(found, stored, strict=True)]

    def theta_sketch(self, blob: Which) -> ThetaSketch:
        """Return the sketch in *blob*, whose type is ``apache-datasketches-theta-v1``.

        Args:
            blob: As for `read`.

        Raises:
            FormatError: For another type, and for damage.
        """
        from byteloom.puffin.theta import BLOB_TYPE, ThetaSketch

        return self._parsed(blob, BLOB_TYPE, ThetaSketch.from_bytes)

    def deletion_vector(self, blob: Which) -> DeletionVector:
        """Return the vector in *blob*, whose type is ``deletion-vector-v1``.

        Args:
            blob: As for `read`.

        Raises:
            FormatError: For another type, and for damage.
        """
        from byteloom.puffin.deletion_vector import BLOB_TYPE, DeletionVector

        return self._parsed(blob, BLOB_TYPE, DeletionVector.from_bytes)

    def read_stored(self, blob: Which, start: int = 0, length: int | None = None) -> bytes:
        """Return *length* bytes of *blob* as stored, from *start* on; without *length*, all.

        Args:
            blob: As for `read`.
            start: The offset of the first byte in the stored blob.
            length: The number of bytes; None for all from *start* on.
        """
        blob = chosen(self.blobs, blob)
        length = blob.length - start if length is None else length
        if not 0 <= start <= start + length <= blob.length:
            found = f"bytes {start} to {start + length}"
            raise FormatError(self._path(blob), blob.offset, found, f"0 to {blob.length}")
        return self.source.read(blob.offset + start, length)

    def verify(self) -> None:
        """Check everything: what `open` checks, and all that `errors` yields.

        Raises:
            ByteloomError: The first error found.
        """
        for error in self.errors():
            raise error

    def errors(self, blobs: Iterable[Which] | None = None) -> Iterator[FormatError]:
        """Yield what is wrong with an open file.

        That is the leading magic, flags that the spec does not define, the frame of each blob, and
        of known types the content of each blob and what the footer says of it.

        Args:
            blobs: Those to check; None for all.
        """
        try:
            check_start(self.source, self.source.read(0, len(MAGIC)))
        except FormatError as error:
            yield error
        if self.footer.reserved:
            found, at = f"unknown flags 0x{self.footer.reserved:x}", self.size - _FLAGS_AT
            yield FormatError("footer.reserved", at, found, "0: readers refuse unknown flags")
        for which in self.blobs if blobs is None else blobs:
            blob = chosen(self.blobs, which)
            try:
                data = self.read(blob)
            except FormatError as error:
                yield error
                continue
            yield from (each.inside(self._path(blob)) for each in errors_in(blob, data))

    def _parsed(self, which: Which, type_: str, parse: Callable[[bytes], _T]) -> _T:
        """Return *parse* applied to a blob; offsets in errors count from the start of the file."""
        blob = chosen(self.blobs, which)
        if blob.type != type_:
            raise FormatError(f"{self._path(blob)}.type", None, blob.type, type_)
        data = self.read(blob)
        try:
            with about_content(blob):
                return parse(data)
        except FormatError as error:
            raise error.inside(self._path(blob)) from error.__cause__

    def _decompressed(self, blob: BlobMetadata, stored: bytes) -> bytes:
        if blob.compression_codec is None:
            return stored
        try:
            return decompress(
                blob.compression_codec, stored, limits=self._limits, offset=blob.offset
            )
        except FormatError as error:
            raise error.inside(self._path(blob)) from error.__cause__

    def _check_codec(self, blob: BlobMetadata) -> None:
        codec = blob.compression_codec
        if codec is not None and codec not in CODECS:
            path = f"footer.payload.{self._path(blob)}.compression-codec"
            wanted = f"one of {', '.join(CODECS)}"
            raise Unsupported(path, self.ofs_footer + len(MAGIC), codec, wanted)

    def _path(self, blob: BlobMetadata) -> str:
        return f"blobs[{self.blobs.index(blob)}]" if blob in self.blobs else "blob"
