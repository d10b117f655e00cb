"""The fields of a record by their paths, which bytes each has in one reading of it, and its parts.

Paths are those of the record as it was read; elements that were added have none.  Parts are read
only when they are asked for, and have places of their own.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from functools import cached_property
from re import sub
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from byteloom.errors import FormatError
from byteloom.wire.members import is_record, stored

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from byteloom.wire.record import Record
    from byteloom.wire.trace import TracingReader

__all__ = [
    "MISSING",
    "MOST",
    "Leaf",
    "PartPaths",
    "Place",
    "Places",
    "bare",
    "inside",
    "leaves_of",
    "part",
    "read_all",
]

_LOOKED_AT: Final = 100
"""Fields before a place among which the one that has its byte is looked for."""


def bare(path: str) -> str:
    """Return *path* with the spec's names: attributes may have an extra underscore."""
    if "_." in path or "_[" in path or path.endswith("_"):
        return sub(r"_+(?=[.\[]|$)", "", path)
    return path


def inside(path: str, outer: str) -> bool:
    """Whether *path* is *outer*, or in it."""
    return path.startswith(outer) and path[len(outer) :][:1] in {"", ".", "["}


class PartPaths:
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

    def depth(self, path: str) -> int:
        """Return how many of them *path* is in, or is."""
        return len(self.around(path))

    def innermost(self, path: str) -> str:
        """Return the innermost of them that *path* is in, or is; "" if there is none."""
        ends = self.around(path)
        return path[: ends[-1]] if ends else ""


class Place(NamedTuple):
    """Bytes *start* to *end* of a tree: of the file, or of what was made of some of its bytes."""

    tree: int
    start: int
    end: int


class Leaf(NamedTuple):
    """A field that has bytes of its own."""

    place: Place
    path: str


class Places:
    """The fields of one reading that have bytes of their own."""

    def __init__(self, leaves: list[Leaf], parts: set[str], changed: Collection[str] = ()) -> None:
        """Take them.

        parts    the paths of what is read only when asked for
        changed  the paths of lists with other elements than before
        """
        self.changed = changed
        self._by_path = sorted(leaves, key=_path)
        self._of = {leaf.path: leaf.place for leaf in leaves}
        self._starting: dict[tuple[int, int], list[Leaf]] = {}
        for leaf in leaves:
            self._starting.setdefault(leaf.place[:2], []).append(leaf)
        self._parts = PartPaths(parts)

    @cached_property
    def _by_place(self) -> list[Leaf]:
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
        leaves = self.inside(path)
        return (leaf.place for leaf in leaves if not self.is_part(leaf.path, len(path)))

    def inside(self, path: str) -> Iterator[Leaf]:
        """Yield *path*, or all fields in it."""
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
        self, leaves: list[Leaf], after: Places, without: str
    ) -> Iterator[tuple[Leaf, Place]]:
        """Yield *leaves* that *after* has, with their places there; the least nested come first."""
        known = [leaf for leaf in leaves if leaf.path in after._of]
        others = [leaf for leaf in known if not (without and inside(leaf.path, without))]
        others.sort(key=lambda leaf: self._parts.depth(leaf.path))
        return ((leaf, after._of[leaf.path]) for leaf in others)

    def is_part(self, path: str, after: int) -> bool:
        """Whether *path* is in a part that is read only when asked for, begun *after* there."""
        return len(self._parts.innermost(path)) > after


def leaves_of(r: TracingReader) -> Iterator[Leaf]:
    """Yield every field that *r* has read, with its path and its bytes."""
    traced = r.trail.traced
    traced.settle()
    trees = [("", r.root), *((each.path.rpartition(".")[0], each.root) for each in traced.made)]
    for number, (path, root) in enumerate(trees):
        for found, leaf in root.leaves(path):
            yield Leaf(Place(number, leaf.start, leaf.end), bare(found))


def _path(leaf: Leaf) -> str:
    return leaf.path


def _start(leaf: Leaf) -> tuple[int, int]:
    return leaf.place[:2]


MISSING: Final = object()
"""Stands for a part that cannot be read, or that has no counterpart."""

MOST: Final = 20_000
"""The most parts read for a comparison: references between parts may be circular."""

_DEEPEST: Final = 50
"""Parts in parts that are looked for among others; what is deeper is only compared."""


def part(record: Any, name: str) -> Any:
    """Read the part *name* of *record* on demand; return MISSING if that fails."""
    try:
        return getattr(record, name)
    except FormatError:
        return MISSING


def read_all(record: Record) -> set[str]:
    """Read all parts of *record* that are read on demand, and return their paths.

    Of parts in parts the outer ones: a part may lead to itself, as a pointer to its own place does.
    """
    waiting: deque[tuple[str, Any, int]] = deque([(bare(record.NAME), record, 0)])
    asked: set[str] = set()
    while waiting and len(asked) < MOST:
        path, value, depth = waiting.popleft()
        if isinstance(value, list):
            if value and is_record(value[0]):
                waiting += [(f"{path}[{at}]", each, depth) for at, each in enumerate(value)]
        elif is_record(value):
            for name in stored(value):
                inner = getattr(value, name)
                if isinstance(inner, list) or is_record(inner):  # nothing else has parts
                    waiting.append((f"{path}.{bare(name)}", inner, depth))
            names = type(value).LAZY if depth < _DEEPEST else ()
            parts = [(name, f"{path}.{bare(name)}") for name in names]
            waiting += [(inner, part(value, name), depth + 1) for name, inner in parts]
            asked |= {inner for _, inner in parts}
    return asked
