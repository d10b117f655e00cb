"""Counts with their nouns, for summaries."""

from __future__ import annotations

__all__ = ["counted"]


def counted(count: int, what: str) -> str:
    """Return a count with its noun, in the plural unless it is 1: ``1 entry``, ``2 entries``."""
    if count == 1:
        return f"1 {what}"
    return f"{count:,} {what[:-1]}ies" if what.endswith("ry") else f"{count:,} {what}s"
