"""HFiles: all blocks, indexes and Bloom filters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.hfile.verify import audit_source
from byteloom.verification.damage import Damage
from byteloom.verification.wording import counted

if TYPE_CHECKING:
    from byteloom.storage import Source

__all__ = ["verify"]


def verify(source: Source, *, key: bytes | None = None) -> str:
    """Check every block and its checksums, the order of keys, indexes, sums and Bloom filters.

    raises  `Damage` with everything that was found
    """
    found = audit_source(source, key=key)
    if found.findings:
        raise Damage(found.findings)
    return "; ".join([f"{found.dialect}, {counted(found.cells, 'cell')}", *found.notes])
