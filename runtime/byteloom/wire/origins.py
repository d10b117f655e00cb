"""Where readers took parts from, and how to keep that while parts are read again."""

from __future__ import annotations

from contextlib import contextmanager
from threading import local
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["kept_origins", "note_taken"]

Key = tuple[int, str]
"""The id of a record, and the name of a part."""


class _Notes(local):
    """Where this thread took parts from before; None where nobody asks."""

    taken: list[tuple[dict[Key, Any], Key, Any]] | None = None


_NOTES: Final = _Notes()


@contextmanager
def kept_origins() -> Iterator[set[Key]]:
    """Let some parts be where they were taken from before the block, which may read them again.

    The block adds their keys to the set.
    """
    outer, notes, kept = _NOTES.taken, list[tuple[dict[Key, Any], Key, Any]](), set[Key]()
    _NOTES.taken = notes
    try:
        yield kept
    finally:
        _NOTES.taken = outer
        for taken, key, before in reversed(notes):
            if key not in kept:
                note_taken(taken, key)
            elif before is None:
                taken.pop(key, None)
            else:
                taken[key] = before


def note_taken(taken: dict[Key, Any], key: Key) -> None:
    """Note what *taken* says of *key*, before it says something else."""
    if _NOTES.taken is not None:
        _NOTES.taken.append((taken, key, taken.get(key)))
