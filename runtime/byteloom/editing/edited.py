"""An edited record, what it was, and where its fields were and are.

Each is found out when it is first asked for; what was written last is remembered, since other
attempts may write the same.
"""

from __future__ import annotations

from copy import copy
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from byteloom.editing.differences import edits_by_hand, followed_in, source_of
from byteloom.editing.formulas import numbers_of
from byteloom.editing.pairs import Pairs
from byteloom.editing.places import MOST, Leaf, Places, leaves_of, read_all
from byteloom.limits import DEFAULT_LIMITS
from byteloom.wire.members import parameters
from byteloom.wire.nodes import Folding
from byteloom.wire.record import collector_paused
from byteloom.wire.trace import TracingReader

if TYPE_CHECKING:
    from byteloom.editing.formulas import Member
    from byteloom.wire.record import Record

__all__ = ["Edited", "FreeNumbers"]

_REMEMBERED: Final = 4
"""Readings of what was written that are kept."""


class _Reading(NamedTuple):
    """Every field of some bytes that were read, with its bytes, and the paths of parts."""

    leaves: list[Leaf]
    parts: set[str]


class Edited:
    """An edited record, and what it was.

    record   the record
    as_read  the same, read again from the bytes that it was read from
    by_hand  the paths that were edited; what else differs followed from that
    """

    def __init__(self, record: Record, as_read: Record) -> None:
        """Take both, and find what was edited."""
        self.record, self.as_read = record, as_read
        self.by_hand = frozenset(edits_by_hand(record, as_read))
        self._written: dict[bytes, _Reading] = {}

    def renewed(self) -> Edited:
        """Return the same after other edits."""
        other = copy(self)
        other.by_hand = frozenset(edits_by_hand(self.record, self.as_read))
        return other

    def pairs(self) -> Pairs:
        """Return the records in it, each with what it was."""
        return Pairs(self.record, self.as_read)

    @cached_property
    def places(self) -> Places:
        """The places of its fields as it was read."""
        source = source_of(self.as_read)
        reading = _Reading([], set()) if source is None else self._reading(source.written())
        return Places(sorted(reading.leaves), reading.parts)

    def places_in(self, data: bytes, pairs: Pairs) -> Places:
        """Return the places of its fields in *data*, its bytes; *pairs* are those of now."""
        reading = self._written.pop(data, None) or self._reading(data)
        self._written[data] = reading
        if len(self._written) > _REMEMBERED:
            del self._written[next(iter(self._written))]
        paths = ((leaf.place, pairs.as_read(leaf.path)) for leaf in reading.leaves)
        leaves = [Leaf(place, path) for place, path in paths if path is not None]
        return Places(leaves, reading.parts, pairs.changed)

    def _reading(self, data: bytes) -> _Reading:
        source = source_of(self.as_read)
        limits = DEFAULT_LIMITS if source is None else source.limits
        r = TracingReader(data, limits=limits, folding=Folding(siblings=MOST))
        kind = type(self.as_read)
        with collector_paused():
            parts = read_all(r.whole(kind.NAME, partial(kind.read, **parameters(self.as_read))))
            return _Reading(list(leaves_of(r)), parts)


class FreeNumbers:
    """The numbers of an edited record that nobody edited."""

    def __init__(self, edited: Edited) -> None:
        """Look at the record as it is now."""
        self._twins = edited.pairs().twins
        self._followed = followed_in(edited.record)

    def __contains__(self, number: Member) -> bool:
        """Whether *number* is as it was read, or followed an edit."""
        if self._followed.get(number.id) == number.value:
            return True
        twin = self._twins.get(id(number.owner))
        try:
            return twin is None or number.of(twin) == number.value
        except (AttributeError, IndexError):
            return True

    def of(self, record: Any, formula: str) -> list[Member]:
        """Return those that the property *formula* of *record* is calculated from."""
        return [each for each in numbers_of(record, formula) if each in self]
