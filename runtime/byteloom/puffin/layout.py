"""Where blobs may be: after the leading magic, before the footer, and without overlaps."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from byteloom.errors import FormatError
from byteloom.puffin.metadata import BlobMetadata
from byteloom_generated.puffin.puffin import Puffin

__all__ = ["MAGIC", "check_layout"]

MAGIC: Final = Puffin.magic


def check_layout(blobs: Sequence[BlobMetadata], ofs_footer: int) -> None:
    """Refuse blobs that overlap each other, the magic, or the footer.

    Args:
        ofs_footer: Where the footer begins, in bytes from the start of the file.

    Raises:
        FormatError: About ``blobs[i].offset`` or ``blobs[i].length``.

    Source: https://iceberg.apache.org/puffin-spec/#file-structure
    """
    end = len(MAGIC)
    for blob in blobs:
        if blob.offset < end or blob.length < 0:
            break
        end = blob.offset + blob.length
    else:
        if end <= ofs_footer:
            return  # in order and without overlaps, as in nearly every file
    _check_each(blobs, ofs_footer)
    _check_apart(blobs)


def _check_each(blobs: Sequence[BlobMetadata], ofs_footer: int) -> None:
    for index, blob in enumerate(blobs):
        if not len(MAGIC) <= blob.offset <= ofs_footer:
            wanted = f"{len(MAGIC)} to {ofs_footer}, where the footer begins"
            raise FormatError(f"blobs[{index}].offset", None, blob.offset, wanted)
        left = ofs_footer - blob.offset
        if not 0 <= blob.length <= left:
            wanted = f"0 to {left}, the bytes from {blob.offset} to the footer"
            raise FormatError(f"blobs[{index}].length", None, blob.length, wanted)


def _check_apart(blobs: Sequence[BlobMetadata]) -> None:
    filled = [index for index, blob in enumerate(blobs) if blob.length]
    filled.sort(key=lambda index: blobs[index].offset)
    for before, after in pairwise(filled):
        end = blobs[before].offset + blobs[before].length
        if blobs[after].offset < end:
            wanted = f"{end} or more, where blobs[{before}] ends"
            raise FormatError(f"blobs[{after}].offset", None, blobs[after].offset, wanted)
