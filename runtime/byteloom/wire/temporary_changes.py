"""What a thread changes only for a time: values that writing replaces, places that rereading takes.

- Writing sets the parameters of every record inside another.  If an error ends it, or if something
  is only measured, the records get back what they had.
- A reader notes where it took a part from.  Where parts are read again to look at them, the notes
  are restored, but for parts that are to stay at their new places.
"""

from __future__ import annotations

from contextlib import contextmanager
from threading import local
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "Replaced",
    "kept_origins",
    "measuring",
    "note_replaced",
    "note_taken",
    "noting",
]

Replaced = dict[tuple[int, str], tuple[Any, str, Any]]
"""By the id of a record and the name of an attribute: both, and the value that was replaced."""


class _Replacements(local):
    """What this thread has replaced; None where nobody asks."""

    replaced: Replaced | None = None


_REPLACEMENTS: Final = _Replacements()


def note_replaced(record: Any, name: str, before: object) -> None:
    """Note that *name* of *record* was *before*, unless an earlier value is known."""
    if _REPLACEMENTS.replaced is not None:
        _REPLACEMENTS.replaced.setdefault((id(record), name), (record, name, before))


@contextmanager
def noting() -> Iterator[Replaced]:
    """Note what is replaced during the block; put it back if the block raises an exception."""
    outer, replaced = _REPLACEMENTS.replaced, Replaced()
    _REPLACEMENTS.replaced = replaced
    try:
        yield replaced
    except BaseException:
        _put_back(replaced)
        raise
    finally:
        _REPLACEMENTS.replaced = outer


@contextmanager
def measuring() -> Iterator[Replaced]:
    """Note what is replaced during the block; put it back at the end."""
    with noting() as replaced:
        yield replaced
        _put_back(replaced)


def _put_back(replaced: Replaced) -> None:
    for record, name, value in replaced.values():
        setattr(record, name, value)


Part = tuple[int, str]
"""The id of a record, and the name of a part."""


class _Origins(local):
    """Where this thread took parts from before; None where nobody asks."""

    taken: list[tuple[dict[Part, Any], Part, Any]] | None = None


_ORIGINS: Final = _Origins()


@contextmanager
def kept_origins() -> Iterator[set[Part]]:
    """Let some parts be where they were taken from before the block, which may read them again.

    The block adds their keys to the set.
    """
    outer, notes, kept = _ORIGINS.taken, list[tuple[dict[Part, Any], Part, Any]](), set[Part]()
    _ORIGINS.taken = notes
    try:
        yield kept
    finally:
        _ORIGINS.taken = outer
        for taken, key, before in reversed(notes):
            if key not in kept:
                note_taken(taken, key)
            elif before is None:
                taken.pop(key, None)
            else:
                taken[key] = before


def note_taken(taken: dict[Part, Any], key: Part) -> None:
    """Note what *taken* says of *key*, before it says something else."""
    if _ORIGINS.taken is not None:
        _ORIGINS.taken.append((taken, key, taken.get(key)))
