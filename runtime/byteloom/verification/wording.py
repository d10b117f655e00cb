"""Counts with their nouns, for summaries."""

from __future__ import annotations

__all__ = ["counted"]


def counted(count: int, what: str) -> str:
    """Return so many of *what*, as ``1 block`` and ``2 blocks``."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"
