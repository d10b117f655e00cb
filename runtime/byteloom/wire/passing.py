"""Give records what the records around them pass, and note what that replaces.

Writing sets the parameters of every record inside another.  If nothing is written after all, or if
something is only measured, they get back what they had.
"""

from __future__ import annotations

from contextlib import contextmanager
from threading import local
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from byteloom.wire.crowded import Room
    from byteloom.wire.passes import Pass

__all__ = [
    "WRITING", "Replaced", "given_room", "kept_origins", "kept_partners", "measuring", "note_taken",
    "noting", "pass_to",
]  # fmt: skip

Replaced = dict[tuple[int, str], tuple[Any, str, Any]]
"""By the id of a record and the name of an attribute: both, and the value that was replaced."""


Key = tuple[int, str]
"""The id of a record, and the name of a part."""

Partners = list[int | None]
"""For each element of a list the index of the one that it was; None for new ones."""


class _Writing(local):
    """What this thread is writing.

    current   the pass over it; None outside one
    replaced  what writing has replaced; None where nobody asks
    rooms     the streams that get bytes in addition, by the ids of the records that have them
    partners  by the ids of lists that have other elements than they were read with: for each
              element the index that it had, or None
    taken     notes where parts were taken from; None where nobody asks
    """

    current: Pass | None = None
    replaced: Replaced | None = None
    rooms: Mapping[int, Room] = MappingProxyType({})
    partners: Mapping[int, Partners] = MappingProxyType({})
    taken: list[tuple[dict[Key, Any], Key, Any]] | None = None


WRITING: Final = _Writing()


def pass_to(child: Any, /, **fields: object) -> None:
    """Set fields of *child* that derive from the enclosing record, before both are written."""
    for name, value in fields.items():
        before = getattr(child, name)
        if before is not value and before != value:
            if WRITING.current is not None:
                WRITING.current.note_change()
            if WRITING.replaced is not None:
                WRITING.replaced.setdefault((id(child), name), (child, name, before))
        setattr(child, name, value)


@contextmanager
def noting() -> Iterator[Replaced]:
    """Note what is replaced during the block; put it back if the block raises an exception."""
    outer, replaced = WRITING.replaced, Replaced()
    WRITING.replaced = replaced
    try:
        yield replaced
    except BaseException:
        _put_back(replaced)
        raise
    finally:
        WRITING.replaced = outer


@contextmanager
def measuring() -> Iterator[Replaced]:
    """Note what is replaced during the block; put it back at the end."""
    with noting() as replaced:
        yield replaced
        _put_back(replaced)


@contextmanager
def kept_partners(partners: Mapping[int, Partners]) -> Iterator[None]:
    """Let elements of edited lists be those that they were, whatever follows during the block."""
    outer = WRITING.partners
    WRITING.partners = partners
    try:
        yield
    finally:
        WRITING.partners = outer


@contextmanager
def given_room(owner: object, room: Room) -> Iterator[None]:
    """Give the stream of *owner* the *room* during the block."""
    outer = WRITING.rooms
    WRITING.rooms = {**outer, id(owner): room}
    try:
        yield
    finally:
        WRITING.rooms = outer


@contextmanager
def kept_origins() -> Iterator[set[Key]]:
    """Let some parts be where they were taken from before the block, which may read them again.

    The block adds their keys to the set.
    """
    outer, notes, kept = WRITING.taken, list[tuple[dict[Key, Any], Key, Any]](), set[Key]()
    WRITING.taken = notes
    try:
        yield kept
    finally:
        WRITING.taken = outer
        for taken, key, before in reversed(notes):
            if key not in kept:
                note_taken(taken, key)
            elif before is None:
                taken.pop(key, None)
            else:
                taken[key] = before


def note_taken(taken: dict[Key, Any], key: Key) -> None:
    """Note what *taken* says of *key*, before it says something else."""
    if WRITING.taken is not None:
        WRITING.taken.append((taken, key, taken.get(key)))


def _put_back(replaced: Replaced) -> None:
    for record, name, value in replaced.values():
        setattr(record, name, value)
