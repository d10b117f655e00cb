"""Hudi log files: every block, and the records in it.

Source: https://hudi.apache.org/docs/storage_layouts
"""

from __future__ import annotations

from collections import Counter

from byteloom.errors import ByteloomError
from byteloom.hudi.log_checks import check_content, walk
from byteloom.hudi.logs import BlockType
from byteloom.storage import Source
from byteloom.verification.damage import Damage, counted

__all__ = ["verify"]


def verify(source: Source) -> str:
    """Check every block: its frame, its headers, and its content by its type.

    raises  `Damage` with everything that was found
    """
    errors: list[ByteloomError] = []
    notes: list[str] = []
    blocks, rows = Counter[BlockType](), Counter[BlockType]()
    for met in walk(source, lambda block, found: check_content(block, found, notes), errors):
        blocks[met.block.type] += 1
        rows[met.block.type] += met.records or 0
    if errors:
        raise Damage(errors)
    deletes, commands = rows.pop(BlockType.DELETE, 0), blocks[BlockType.COMMAND]
    parts = [counted(blocks.total(), "block"), counted(rows.total(), "record")]
    parts += [counted(deletes, "delete"), *([counted(commands, "command")] if commands else [])]
    return "; ".join([", ".join(parts), *dict.fromkeys(notes)])
