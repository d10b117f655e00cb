"""The part of a file that one of several readers reads."""

from __future__ import annotations

from typing import TypeAlias

__all__ = ["Span", "begins_in"]

Span: TypeAlias = "tuple[int, int] | None"
"""Bytes of a file from one offset up to another; None for all of it."""


def begins_in(span: Span, place: int) -> bool:
    """Return whether a block, stripe or row group that begins at *place* belongs to a span."""
    return span is None or span[0] <= place < span[1]
