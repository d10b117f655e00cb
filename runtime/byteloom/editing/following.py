"""What a record remembers of its own writing: the values that followed edits of other values.

They differ from what was read, and were not edited by hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom.wire.record import Record

__all__ = ["followed_in", "note_followed"]


def followed_in(record: Record) -> dict[tuple[int, str | int], Any]:
    """Return the values that followed, by the id of their owner, and their attribute or index."""
    return {(id(owner), key): value for owner, key, value in getattr(record, "_followed", ())}


class _Stored(Protocol):
    """A value of a record or a list, its *owner*, by attribute or index."""

    @property
    def owner(self) -> Any: ...
    @property
    def key(self) -> str | int: ...
    @property
    def value(self) -> Any: ...


def note_followed(record: Record, values: Iterable[_Stored]) -> None:
    """Remember *values* that followed, as they are now; the last one of each place counts."""
    new = [(each.owner, each.key, each.value) for each in values]
    known = {(id(owner), key) for owner, key, _ in new}
    before = getattr(record, "_followed", ())
    kept = [each for each in before if (id(each[0]), each[1]) not in known]
    record._followed = [*kept, *new]  # noqa: SLF001  (its own)
