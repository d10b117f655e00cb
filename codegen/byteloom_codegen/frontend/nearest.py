"""The name that a misspelt one was probably meant to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["did_you_mean", "nearest"]


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the one of *names* that is most like *name*; None if none is like it."""
    from difflib import get_close_matches  # late: most specs have no mistakes

    close = get_close_matches(name, sorted(names), 1)
    return close[0] if close else None


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return the hint for a misspelt *name*; empty if none of *names* is like it."""
    found = nearest(name, names)
    return "" if found is None else f"did you mean '{found}'?"
