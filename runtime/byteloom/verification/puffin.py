"""Puffin files with the content of blobs of known types, and such blobs as files of their own."""

from __future__ import annotations

from byteloom.puffin.deletion_vector import DeletionVector
from byteloom.puffin.reader import PuffinFile
from byteloom.puffin.theta import ThetaSketch
from byteloom.storage import Source
from byteloom.verification.damage import Damage, counted

__all__ = ["verify", "verify_deletion_vector", "verify_theta"]


def verify(source: Source) -> str:
    """Check the file and all of its blobs; return how many there are.

    raises  the error of a file without a sound footer, or `Damage` with all errors
    """
    file = PuffinFile(source)
    if found := list(file.errors()):
        raise Damage(found)
    return counted(len(file.blobs), "blob")


def verify_deletion_vector(source: Source) -> str:
    """Check a deletion vector; return a summary of what it deletes."""
    vector = DeletionVector.from_bytes(source.read(0, source.size))
    return f"{vector.cardinality:,} positions"


def verify_theta(source: Source) -> str:
    """Check a Theta sketch; return its estimate."""
    sketch = ThetaSketch.from_bytes(source.read(0, source.size))
    return f"about {sketch.estimate:,.0f} distinct values"
