"""Deletion vectors as files of their own."""

from __future__ import annotations

from byteloom.puffin.deletion_vector import DeletionVector
from byteloom.storage import Source

__all__ = ["verify"]


def verify(source: Source) -> str:
    """Check the vector; return a summary of what it deletes."""
    vector = DeletionVector.from_bytes(source.read(0, source.size))
    return f"{vector.cardinality:,} positions"
