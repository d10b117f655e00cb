"""Where the fields of a record are: as it was read, and as it is written after an edit.

Paths are those of the record as it was read; elements that were added have none.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from re import finditer, split
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from byteloom.wire.aliases import bare, leaves_of, read_all
from byteloom.wire.edits import MOST, aligned, is_record, parameters, part, stored
from byteloom.wire.folding import Folding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from byteloom.wire.record import Record

__all__ = ["Pairs", "Place", "Places", "inside", "places_of"]

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

    def __init__(self, leaves: list[_Leaf], parts: set[str]) -> None:
        """Take them; *parts* are the paths of what is read only when asked for."""
        self._by_path = sorted(leaves, key=_path)
        self._of = {leaf.path: leaf.place for leaf in leaves}
        self._starting: dict[tuple[int, int], list[_Leaf]] = {}
        for leaf in leaves:
            self._starting.setdefault(leaf.place[:2], []).append(leaf)
        self._by_place = sorted(leaves)
        self._parts = parts

    def start_of(self, path: str) -> Place | None:
        """Return the first field of *path*, or *path* itself; None if it has no bytes."""
        first = min((leaf.place for leaf in self._inside(path)), default=None)
        return first if first is None or first.end > first.start else None

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
            known = [leaf for leaf in leaves if leaf.path in after._of]
            others = [leaf for leaf in known if not (without and inside(leaf.path, without))]
            in_sequence = [leaf for leaf in others if not self._is_part(leaf.path)]
            for leaf in in_sequence or others:
                there = after._of[leaf.path]
                by = place.start - leaf.place.start
                return Place(there.tree, there.start + by, there.end)
        return None

    def _is_part(self, path: str) -> bool:
        return any(path[: each.start()] in self._parts for each in finditer(r"[.\[]|$", path))


def places_of(
    as_read: Record,
    parts: set[str],
    data: bytes | None = None,
    path_of: Callable[[str], str | None] = str,
) -> Places:
    """Read *as_read* again, or *data* as such a record; *path_of* gives each field's path."""
    from byteloom.wire.trace import TracingReader  # of no use to those who read and write

    source: Any = getattr(as_read, "_stream", None) or as_read._source  # noqa: SLF001
    data = source.written() if data is None else data
    r = TracingReader(data, limits=source.limits, folding=Folding(siblings=MOST))
    kind = type(as_read)
    read_all(r.whole(kind.NAME, kind.read, **parameters(as_read)))
    known = ((path_of(path), Place(*where)) for path, where in leaves_of(r))
    return Places([_Leaf(place, path) for path, place in known if path is not None], parts)


def _path(leaf: _Leaf) -> str:
    return leaf.path


def _start(leaf: _Leaf) -> tuple[int, int]:
    return leaf.place[:2]


def inside(path: str, outer: str) -> bool:
    """Whether *path* is *outer*, or in it."""
    return path.startswith(outer) and path[len(outer) :][:1] in {"", ".", "["}
