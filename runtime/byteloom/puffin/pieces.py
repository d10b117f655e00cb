"""The parts of a blob that its type determines, for the writer of a Puffin file."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["BlobPieces"]


class BlobPieces(NamedTuple):
    """The parts of a blob that its type determines.

    Attributes:
        type: The blob type, as the Puffin spec names it.
        data: The blob's bytes.
        properties: The properties that the footer gives a blob of this type.
    """

    type: str
    data: bytes
    properties: dict[str, str]
