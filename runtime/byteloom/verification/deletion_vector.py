"""Deletion vectors: as blobs of a Puffin file, or as files of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.errors import FormatError
from byteloom.puffin.deletion_vector import DeletionVector
from byteloom.verification.damage import shifted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from byteloom.storage import Source

__all__ = ["check", "verify"]


def verify(source: Source) -> str:
    """Check the vector; return a summary of what it deletes."""
    return check(source.read(0, source.size), 0)


def check(data: bytes, origin: int, properties: Mapping[str, str] | None = None) -> str:
    """Check the vector *data*; return a summary of what it deletes.

    origin      where it is in its file
    properties  its properties in the footer, if it is the blob of a Puffin file

    Source: https://iceberg.apache.org/puffin-spec/#deletion-vector-v1-blob-type
    """
    with shifted(origin):
        vector = DeletionVector.from_bytes(data)
    if properties is not None:
        for key in ("referenced-data-file", "cardinality"):
            if key not in properties:
                raise FormatError(f"properties.{key}", None, "nothing", "a value for each vector")
        if properties["cardinality"] != str(vector.cardinality):
            wanted = f"{vector.cardinality}, as many as the vector holds"
            raise FormatError("properties.cardinality", None, properties["cardinality"], wanted)
    return f"{vector.cardinality:,} positions"
