"""Puffin files, and the content of blobs of known types."""

from __future__ import annotations

from byteloom.puffin.reader import PuffinFile
from byteloom.storage import Source
from byteloom.verification.damage import Damage
from byteloom.verification.wording import counted

__all__ = ["verify"]


def verify(source: Source) -> str:
    """Check the file and all of its blobs; return how many there are.

    raises  the error of a file without a sound footer, or `Damage` with all errors
    """
    file = PuffinFile(source)
    if found := list(file.errors()):
        raise Damage(found)
    return counted(len(file.blobs), "blob")
