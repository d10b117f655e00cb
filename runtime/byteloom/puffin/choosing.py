"""Select a blob by its metadata, its number, or its type."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import TypeAlias

from byteloom.errors import ArgumentError
from byteloom.puffin.metadata import BlobMetadata

__all__ = ["Which", "chosen"]

Which: TypeAlias = BlobMetadata | int | str
"""A blob's metadata, its number in the footer, from 0, or its type if only one blob has it."""


def chosen(blobs: Sequence[BlobMetadata], which: Which) -> BlobMetadata:
    """Return the blob that *which* selects; `FormatError` unless there is exactly one."""
    if isinstance(which, BlobMetadata):
        return which
    if isinstance(which, str):
        return _of_type(blobs, which)
    try:
        number = index(which)
    except TypeError as error:
        wanted = "the metadata of a blob, its number, or its type"
        raise ArgumentError("blob", None, type(which).__name__, wanted) from error
    if not 0 <= number < len(blobs):
        raise ArgumentError("blob", None, str(number), f"a number below {len(blobs)}, or a type")
    return blobs[number]


def _of_type(blobs: Sequence[BlobMetadata], type_: str) -> BlobMetadata:
    numbers = [number for number, blob in enumerate(blobs) if blob.type == type_]
    if len(numbers) != 1:
        found = f"{len(numbers)} blobs of type {type_}"
        types = ", ".join(dict.fromkeys(blob.type for blob in blobs)) or "no blobs"
        raise ArgumentError("blob", None, found, f"one of {', '.join(map(str, numbers)) or types}")
    return blobs[numbers[0]]
