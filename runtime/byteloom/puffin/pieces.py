"""What a blob type gives to whoever writes the Puffin file."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["BlobPieces"]


class BlobPieces(NamedTuple):
    """The part of a blob that its type decides.

    type        the blob type, as the Puffin spec names it
    data        the blob's bytes
    properties  what the blob type wants to be said in the footer
    """

    type: str
    data: bytes
    properties: dict[str, str]
