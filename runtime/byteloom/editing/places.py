"""Where the fields of a record are: as it was read, and as it is written after an edit.

Paths are those of the record as it was read; elements that were added have none.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from functools import cached_property
from re import split
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from byteloom.editing.aliases import Place, bare, leaves_of, read_all
from byteloom.editing.alignment import aligned
from byteloom.editing.differences import source_of
from byteloom.editing.parts import MOST, part
from byteloom.limits import DEFAULT_LIMITS
from byteloom.wire.collecting import collector_paused
from byteloom.wire.folding import Folding
from byteloom.wire.members import is_record, parameters, stored

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from byteloom.wire.record import Record

__all__ = ["Before", "Pairs", "Place", "Places", "inside"]

_LOOKED_AT: Final = 100
"""Fields before a place among which the one that has its byte is looked for."""

_REMEMBERED: Final = 4
"""Readings of what was written that are kept."""


class _Leaf(NamedTuple):
    place: Place
    path: str


class _Read(NamedTuple):
    """Every field of some bytes that were read, with its bytes, and the paths of parts."""

    leaves: list[tuple[str, Place]]
    parts: set[str]


class _Parts:
    """The paths of what is read only when asked for, and what is in them."""

    def __init__(self, paths: set[str]) -> None:
        """Take the *paths*; more may be added to them before the first question."""
        self._paths = paths
        self._known: dict[str, tuple[int, ...]] = {"": ()}

    def around(self, path: str) -> tuple[int, ...]:
        """Return where in *path* those of them end that it is in, or is; the outermost first."""
        unknown, outer = [], path
        while outer not in self._known:
            unknown.append(outer)
            outer = outer[: max(outer.rfind("."), outer.rfind("["), 0)]
        found = self._known[outer]
        for inner in reversed(unknown):
            found = (*found, len(inner)) if inner in self._paths else found
            self._known[inner] = found
        return found


class Pairs:
    """The records of an edited one, each with what it was and where that was.

    records  path, the record, the record as it was read
    changed  by path, the lists with other elements: for each the index of the one that it was
    partners  the same by the ids of these lists
    """

    def __init__(self, record: Record, as_read: Record) -> None:
        """Go through *record* and what it was *as_read*, as far as both are alike."""
        self.records: list[tuple[str, Any, Any]] = []
        parts = set[str]()
        self._parts = _Parts(parts)
        self.changed: dict[str, list[int | None]] = {}
        self.partners: dict[int, list[int | None]] = {}
        waiting: deque[tuple[str, Any, Any]] = deque([(bare(as_read.NAME), record, as_read)])
        while waiting and len(self.records) < MOST:
            path, now, was = waiting.popleft()
            if is_record(now) and type(now) is type(was):
                self.records.append((path, now, was))
                parts |= {f"{path}.{bare(name)}" for name in type(now).LAZY}
                for name in stored(now):
                    value = getattr(now, name)
                    if isinstance(value, list) or is_record(value):
                        waiting.append((f"{path}.{bare(name)}", value, getattr(was, name)))
                for name, hidden in type(now).LAZY.items():
                    if getattr(now, hidden) is not None:
                        value = getattr(now, hidden)
                        waiting.append((f"{path}.{bare(name)}", value, part(was, name)))
            elif isinstance(now, list) and isinstance(was, list):
                partners = aligned(now, was)
                if partners != list(range(len(was))):
                    self.changed[path] = self.partners[id(now)] = partners
                waiting += [
                    (f"{path}[{index}]", now[number], was[index])
                    for number, index in enumerate(partners)
                    if index is not None
                    and (isinstance(now[number], list) or is_record(now[number]))
                ]

    def depth(self, path: str) -> int:
        """Return how many parts that are read only when asked for *path* is in, or is."""
        return len(self._parts.around(path))

    def innermost(self, path: str) -> str:
        """Return the path of the innermost of these parts; "" if *path* is in none."""
        ends = self._parts.around(path)
        return path[: ends[-1]] if ends else ""

    def as_read(self, path: str) -> str | None:
        """Return what *path* of the edited record was; None for what is new."""
        if not self.changed:
            return path
        pieces = split(r"\[(\d+)\]", path)
        found = pieces[0]
        for number in range(1, len(pieces), 2):
            index: int | None = int(pieces[number])
            partners = self.changed.get(found)
            if partners is not None:
                index = (*partners, None)[min(index or 0, len(partners))]
            if index is None:
                return None
            found = f"{found}[{index}]{pieces[number + 1]}"
        return found


class Places:
    """The fields of one reading that have bytes of their own."""

    def __init__(self, leaves: list[_Leaf], parts: set[str], changed: Collection[str] = ()) -> None:
        """Take them.

        parts    the paths of what is read only when asked for
        changed  the paths of lists with other elements than before
        """
        self.changed = changed
        self._by_path = sorted(leaves, key=_path)
        self._of = {leaf.path: leaf.place for leaf in leaves}
        self._starting: dict[tuple[int, int], list[_Leaf]] = {}
        for leaf in leaves:
            self._starting.setdefault(leaf.place[:2], []).append(leaf)
        self._parts = _Parts(parts)

    @cached_property
    def _by_place(self) -> list[_Leaf]:
        return sorted(self._by_path)

    def of(self, path: str) -> Place | None:
        """Return the bytes of the field at *path*; None if it is not one, or has none."""
        place = self._of.get(path)
        return place if place is not None and place.end > place.start else None

    def at(self, place: Place) -> Iterator[str]:
        """Yield the paths of all fields with exactly the bytes of *place*."""
        same = self._starting.get(place[:2], [])
        return (leaf.path for leaf in same if leaf.place == place)

    def span(self, path: str) -> Place | None:
        """Return the bytes of *path* and all in it, without parts at places of their own."""
        own = list(self._own(path))
        return Place(*min(own)[:2], max(each.end for each in own)) if own else None

    def start_of(self, path: str) -> Place | None:
        """Return the first field of *path*, or *path* itself; None if it has no bytes."""
        first = min(self._own(path), default=None)
        return first if first is None or first.end > first.start else None

    def _own(self, path: str) -> Iterator[Place]:
        """Yield the bytes of all fields in *path*, without parts at places of their own."""
        leaves = self._inside(path)
        return (leaf.place for leaf in leaves if not self._is_part(leaf.path, len(path)))

    def _inside(self, path: str) -> Iterator[_Leaf]:
        for number in range(bisect_left(self._by_path, path, key=_path), len(self._by_path)):
            leaf = self._by_path[number]
            if not leaf.path.startswith(path):
                return
            if inside(leaf.path, path):
                yield leaf

    def moved(self, place: Place, after: Places, without: str) -> Place | None:
        """Return where *after* has the start of *place*, as fields outside *without* show."""
        exact = self._starting.get(place[:2], [])
        last = bisect_right(self._by_place, (place.tree, place.start), key=_start)
        around = self._by_place[max(0, last - _LOOKED_AT) : last]
        around = [leaf for leaf in around if leaf.place.tree == place.tree]
        for leaves in (exact, [leaf for leaf in around if place.start < leaf.place.end]):
            for leaf, there in self._known(leaves, after, without):
                by = place.start - leaf.place.start
                return Place(there.tree, there.start + by, there.end)
        return None

    def moved_end(self, place: Place, after: Places, without: str) -> int | None:
        """Return where *after* has the end of *place*, likewise; None if no field is there.

        A list that ends there may have got or lost elements: then the next field begins there.
        """
        first = bisect_left(self._by_place, place[:2], key=_start)
        last = bisect_left(self._by_place, (place.tree, place.end), key=_start)
        ending = [leaf for leaf in self._by_place[first:last] if leaf.place.end == place.end]
        leaf, there = next(self._known(ending, after, without), (None, None))
        if leaf and there and not any(inside(leaf.path, each) for each in after.changed):
            return there.end
        following = self._starting.get((place.tree, place.end), [])
        return next((there.start for _, there in self._known(following, after, without)), None)

    def _known(
        self, leaves: list[_Leaf], after: Places, without: str
    ) -> Iterator[tuple[_Leaf, Place]]:
        """Yield *leaves* that *after* has, with their places there; the least nested come first."""
        known = [leaf for leaf in leaves if leaf.path in after._of]
        others = [leaf for leaf in known if not (without and inside(leaf.path, without))]
        others.sort(key=lambda leaf: self._depth(leaf.path))
        return ((leaf, after._of[leaf.path]) for leaf in others)

    def _depth(self, path: str) -> int:
        """Return how many parts that are read only when asked for *path* is in."""
        return len(self._parts.around(path))

    def _is_part(self, path: str, after: int = 0) -> bool:
        """Whether *path* is in a part that is read only when asked for, begun *after* there."""
        ends = self._parts.around(path)
        return bool(ends) and ends[-1] > after


class Before:
    """Where the fields of a record are as it was read, and in what was written of it since.

    Each is found out when it is first asked for; what was written last is remembered, since other
    attempts may write the same.
    """

    def __init__(self, as_read: Record) -> None:
        """Take the record as it was read."""
        self._as_read = as_read
        self._source = source_of(as_read)
        self._written: dict[bytes, _Read] = {}

    @cached_property
    def places(self) -> Places:
        """The places as it was read."""
        leaves = [_Leaf(place, path) for path, place in self.leaves]
        return Places(leaves, self._before.parts)

    @cached_property
    def leaves(self) -> list[tuple[str, Place]]:
        """Every field by its path, with its bytes, in the order of the paths."""
        return sorted(self._before.leaves)

    def after(self, data: bytes, pairs: Pairs) -> Places:
        """Return the places in *data*, the bytes of the record edited as *pairs* says."""
        read = self._written.pop(data, None) or self._read(data)
        self._written[data] = read
        if len(self._written) > _REMEMBERED:
            del self._written[next(iter(self._written))]
        paths = ((pairs.as_read(path), place) for path, place in read.leaves)
        leaves = [_Leaf(place, path) for path, place in paths if path is not None]
        return Places(leaves, read.parts, pairs.changed)

    @cached_property
    def _before(self) -> _Read:
        return _Read([], set()) if self._source is None else self._read(self._source.written())

    def _read(self, data: bytes) -> _Read:
        # Imported late: not needed for reading and writing.
        from byteloom.editing.placing import PlacingReader

        limits = DEFAULT_LIMITS if self._source is None else self._source.limits
        r = PlacingReader(data, limits=limits, folding=Folding(siblings=MOST))
        kind = type(self._as_read)
        with collector_paused():
            parts = read_all(r.whole(kind.NAME, kind.read, **parameters(self._as_read)))
            return _Read(list(leaves_of(r)), parts)


def _path(leaf: _Leaf) -> str:
    return leaf.path


def _start(leaf: _Leaf) -> tuple[int, int]:
    return leaf.place[:2]


def inside(path: str, outer: str) -> bool:
    """Whether *path* is *outer*, or in it."""
    return path.startswith(outer) and path[len(outer) :][:1] in {"", ".", "["}
