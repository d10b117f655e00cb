"""Check the content of blobs of known types, and what the footer says of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from byteloom.errors import FormatError
from byteloom.puffin.metadata import BlobMetadata

if TYPE_CHECKING:
    from byteloom.puffin.deletion_vector import DeletionVector
    from byteloom.puffin.theta import ThetaSketch

__all__ = ["about_content", "errors_in"]


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
