"""Puffin files, and the content of blobs of known types."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol, cast

from byteloom.errors import FormatError
from byteloom.puffin.endings import check_start
from byteloom.puffin.layout import MAGIC
from byteloom.puffin.reader import PuffinFile
from byteloom.verification.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from byteloom.puffin.metadata import BlobMetadata
    from byteloom.storage import Source

__all__ = ["BLOB_TYPES", "inside_blob", "origin_of", "verify"]

BLOB_TYPES: Final = {
    "apache-datasketches-theta-v1": "theta",
    "deletion-vector-v1": "deletion_vector",
}
"""Types of blobs with a module of their own, here and in `byteloom.cli.formats`."""


class _Checker(Protocol):
    """The interface of a blob type's module."""

    def check(
        self, data: bytes, origin: int, properties: Mapping[str, str] | None = None
    ) -> str: ...


def verify(source: Source) -> str:
    """Check the file, each blob's frame, and the content of blobs of known types."""
    check_start(source, source.read(0, min(len(MAGIC), source.size)))
    file = PuffinFile(source)
    for index, blob in enumerate(file.blobs):
        data = file.read(blob)
        name = BLOB_TYPES.get(blob.type)
        if name is not None:
            checker = cast("_Checker", import_module(f"byteloom.verification.{name}"))
            try:
                checker.check(data, origin_of(blob), blob.properties)
            except FormatError as error:
                raise inside_blob(error, index, blob) from error.__cause__
    return counted(len(file.blobs), "blob")


def origin_of(blob: BlobMetadata) -> int:
    """Return where the content of a blob is in its file; 0 if it is compressed."""
    return 0 if blob.compression_codec else blob.offset


def inside_blob(error: FormatError, index: int, blob: BlobMetadata) -> FormatError:
    """Return *error* with the blob in its path; offsets in decompressed bytes are marked."""
    if blob.compression_codec:
        error.inside_decompressed("content", blob.offset, blob.length)
    return error.inside(f"blobs[{index}]")
