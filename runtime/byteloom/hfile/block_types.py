"""Types of blocks, and the eight bytes that a block of each type begins with.

Source: specs/hfile/block.ksy
"""

from __future__ import annotations

from typing import Final

from byteloom_generated.hfile.block import BlockType

__all__ = ["FILE_TYPES", "MAGICS", "TYPE_NAMES"]

TYPE_NAMES: Final[dict[int, str]] = {each: each.name.lower() for each in BlockType}
"""Names of block types by their numbers in headers."""

MAGICS: Final = {name: each.to_bytes(8, "big") for each, name in TYPE_NAMES.items()}
"""The bytes that begin a block of each type, by the type's name."""

FILE_TYPES: Final = {magic: name for name, magic in MAGICS.items()}
"""Names of block types by the bytes that begin the block."""
