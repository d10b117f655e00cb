"""Counts with their nouns, for summaries."""

from __future__ import annotations

__all__ = ["counted"]


def counted(count: int, what: str) -> str:
    """Return a count with its noun, in the plural unless it is 1: ``1 block``, ``2 blocks``."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"
