"""HFiles: all blocks, indexes and Bloom filters."""

from __future__ import annotations

from typing import Final

from byteloom.errors import Truncated
from byteloom.files.kinds import HFILE, without_start
from byteloom.hfile.blocks import FILE_TYPES
from byteloom.hfile.verify import Audit, audit_source
from byteloom.storage import Source
from byteloom.verification.damage import Damage, counted

__all__ = ["verify"]


_OFFSET: Final = "trailer.load_on_open_data_offset"


def verify(source: Source, *, key: bytes | None = None) -> str:
    """Check every block and its checksums, the order of keys, indexes, sums and Bloom filters.

    raises  `Damage` with everything that was found
    """
    found = audit_source(source, key=key)
    if found.findings:
        cause = _missing_start(source, found)
        raise Damage([cause] if cause is not None else found.findings)
    return "; ".join([f"{found.dialect}, {counted(found.cells, 'cell')}", *found.notes])


def _missing_start(source: Source, found: Audit) -> Truncated | None:
    """Return the one cause of all findings in a file that lacks its first bytes; None in others.

    Its first bytes do not begin a block, and the root index is nearer to the beginning than the
    trailer states. Every offset in the file is then too large.
    """
    head = source.read(0, min(len(next(iter(FILE_TYPES))), source.size))
    root = next((each.offset for each in found.blocks if each.type == "root_index"), None)
    stated = [each.found for each in found.findings if each.path == _OFFSET]
    lost = max((each for each in stated if isinstance(each, int)), default=0) - (root or 0)
    if head in FILE_TYPES or root is None or lost <= 0:
        return None
    more = counted(len(found.findings) - 1, "other finding")
    wanted = f"a block; {counted(lost, 'byte')} missing, so no offset is right ({more})"
    return Truncated("block.magic", 0, head, f"{wanted}: {without_start(HFILE)}")
