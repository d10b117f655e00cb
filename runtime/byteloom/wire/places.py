"""Where the fields of a record are: as it was read, and as it is written after an edit.

Paths are those of the record as it was read; elements that were added have none.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from functools import cached_property
from re import finditer, split
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from byteloom.wire.aliases import bare, leaves_of, read_all
from byteloom.wire.edits import MOST, aligned, is_record, parameters, part, stored
from byteloom.wire.folding import Folding

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from byteloom.wire.record import Record

__all__ = ["Before", "Pairs", "Place", "Places", "inside", "places_of"]

_LOOKED_AT: Final = 100
"""Fields before a place among which the one that has its byte is looked for."""


class Place(NamedTuple):
    """Bytes *start* to *end* of a tree: of the file, or of what was made of some of its bytes."""

    tree: int
    start: int
    end: int


class _Leaf(NamedTuple):
    place: Place
    path: str


class Pairs:
    """The records of an edited one, each with what it was and where that was.

    records  path, the record, the record as it was read
    parts    the paths of all that they read only when asked
    changed  by path, the lists with other elements: for each the index of the one that it was
    """

    def __init__(self, record: Record, as_read: Record) -> None:
        """Go through *record* and what it was *as_read*, as far as both are alike."""
        self.records: list[tuple[str, Any, Any]] = []
        self.parts: set[str] = set()
        self.changed: dict[str, list[int | None]] = {}
        waiting: deque[tuple[str, Any, Any]] = deque([(bare(as_read.NAME), record, as_read)])
        while waiting and len(self.records) < MOST:
            path, now, was = waiting.popleft()
            if is_record(now) and type(now) is type(was):
                self.records.append((path, now, was))
                self.parts |= {f"{path}.{bare(name)}" for name in type(now).LAZY}
                waiting += [
                    (f"{path}.{bare(name)}", getattr(now, name), getattr(was, name))
                    for name in stored(now)
                ]
                for name, hidden in type(now).LAZY.items():
                    if getattr(now, hidden) is not None:
                        value = getattr(now, hidden)
                        waiting.append((f"{path}.{bare(name)}", value, part(was, name)))
            elif isinstance(now, list) and isinstance(was, list):
                partners = aligned(now, was)
                if partners != list(range(len(was))):
                    self.changed[path] = partners
                waiting += [
                    (f"{path}[{index}]", now[number], was[index])
                    for number, index in enumerate(partners)
                    if index is not None
                ]

    def depth(self, path: str) -> int:
        """Return how many parts that are read only when asked for *path* is in, or is."""
        return sum(1 for _ in self._around(path))

    def innermost(self, path: str) -> str:
        """Return the path of the innermost of these parts; "" if *path* is in none."""
        return max(self._around(path), key=len, default="")

    def _around(self, path: str) -> Iterator[str]:
        ends = (each.start() for each in finditer(r"[.\[]|$", path))
        return (path[:end] for end in ends if path[:end] in self.parts)

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
        self._by_place = sorted(leaves)
        self._parts = parts

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
        """Yield those of *leaves* that *after* has, those in the fewest parts first, and where."""
        known = [leaf for leaf in leaves if leaf.path in after._of]
        others = [leaf for leaf in known if not (without and inside(leaf.path, without))]
        others.sort(key=lambda leaf: self._depth(leaf.path))
        return ((leaf, after._of[leaf.path]) for leaf in others)

    def _depth(self, path: str) -> int:
        """Return how many parts that are read only when asked for *path* is in."""
        return sum(path[: each.start()] in self._parts for each in finditer(r"[.\[]|$", path))

    def _is_part(self, path: str, after: int = 0) -> bool:
        """Whether *path* is in a part that is read only when asked for, begun *after* there."""
        ends = (each.start() for each in finditer(r"[.\[]|$", path))
        return any(path[:end] in self._parts for end in ends if end > after)


def places_of(as_read: Record, data: bytes | None = None, pairs: Pairs | None = None) -> Places:
    """Read *as_read* again, or *data* as such a record, edited as *pairs* says."""
    from byteloom.wire.trace import TracingReader  # of no use to those who read and write

    source: Any = getattr(as_read, "_stream", None) or as_read._source  # noqa: SLF001
    data = source.written() if data is None else data
    r = TracingReader(data, limits=source.limits, folding=Folding(siblings=MOST))
    kind = type(as_read)
    found = read_all(r.whole(kind.NAME, kind.read, **parameters(as_read)))
    path_of = str if pairs is None else pairs.as_read
    known = ((path_of(path), Place(*where)) for path, where in leaves_of(r))
    leaves = [_Leaf(place, path) for path, place in known if path is not None]
    return Places(leaves, found, () if pairs is None else pairs.changed)


class Before:
    """The places of a record as it was read, found out when they are first asked for."""

    def __init__(self, as_read: Record) -> None:
        """Take the record as it was read."""
        self._as_read = as_read

    @cached_property
    def places(self) -> Places:
        """The places."""
        return places_of(self._as_read)


def _path(leaf: _Leaf) -> str:
    return leaf.path


def _start(leaf: _Leaf) -> tuple[int, int]:
    return leaf.place[:2]


def inside(path: str, outer: str) -> bool:
    """Whether *path* is *outer*, or in it."""
    return path.startswith(outer) and path[len(outer) :][:1] in {"", ".", "["}
