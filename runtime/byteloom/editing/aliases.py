"""Which parts of a record share bytes with its edited fields."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from functools import cached_property
from re import findall, sub
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from byteloom.editing.differences import edits
from byteloom.editing.parts import MISSING, MOST, part
from byteloom.wire.members import is_record, stored

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from byteloom.editing.places import Before
    from byteloom.wire.record import Record
    from byteloom.wire.trace import TracingReader

__all__ = ["Aliases", "Place", "bare", "leaves_of", "read_all"]


_DEEPEST: Final = 50
"""Parts in parts that are looked for among others; what is deeper is only compared."""


class Place(NamedTuple):
    """Bytes *start* to *end* of a tree: of the file, or of what was made of some of its bytes."""

    tree: int
    start: int
    end: int


class Aliases:
    """The bytes of a record as it was read, and which of them were edited since."""

    def __init__(
        self,
        record: Record,
        as_read: Record | None,
        by_hand: Container[str],
        before: Before | None,
    ) -> None:
        """Take *record*, and the same *as_read*; parts are read when they are needed.

        by_hand  the paths that were edited; other differences are numbers that followed
        before   where the fields of the record as it was read are; None if it was made by hand
        """
        self._record, self._as_read, self._by_hand = record, as_read, by_hand
        self._before = before

    def covers(self, path: str) -> bool:
        """Whether the value at *path*, not edited itself, shares bytes with an edited one.

        A number that followed an edit may be seen as that number only, not as data.
        """
        if any(_is_inside(each, path) for each in self._edited):
            return False
        mine = list(self._leaves_in(path))
        return any(
            (_name(seen), where) == (_name(other), edited)
            if has_followed
            else _overlap(where, edited)
            for other, edited, has_followed in self._edited_bytes
            for seen, where in mine
        )

    @cached_property
    def _edited(self) -> list[str]:
        return [] if self._as_read is None else list(edits(self._record, self._as_read))

    @cached_property
    def _edited_bytes(self) -> list[tuple[str, Place, bool]]:
        """The fields of what was edited: path, bytes, and whether that followed another edit."""
        return [
            (found, where, path not in self._by_hand)
            for path in self._edited
            for found, where in self._leaves_in(self._footprint(path))
            if not self._is_apart(found, path)
        ]

    def _footprint(self, path: str) -> str:
        """Return *path*; for elements that were added to a list, the last one that it had."""
        outer, _, index = path.rpartition("[")
        if not index.endswith("]") or any(self._leaves_in(path)):
            return path
        return f"{outer}[{int(index[:-1]) - 1}]"

    def _is_apart(self, path: str, outer: str) -> bool:
        """Whether *path* is in a part of *outer* at a place of its own, which stays if it goes."""
        value: Any = self._as_read
        steps, first = _steps(path), len(_steps(outer))
        for number, step in enumerate(steps[1:], 1):
            if is_record(value):
                names = {bare(name): name for name in (*stored(value), *type(value).LAZY)}
                name = names.get(step, "")
                if number >= first and name in type(value).LAZY:
                    return True
                value = part(value, name) if name else MISSING
            elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
                value = value[int(step)]
            else:
                return False
        return False

    def _leaves_in(self, path: str) -> Iterator[tuple[str, Place]]:
        """Yield *path*, or everything inside it, with the ranges of bytes."""
        leaves, path = [] if self._before is None else self._before.leaves, bare(path)
        for number in range(bisect_left(leaves, (path,)), len(leaves)):
            found, where = leaves[number]
            if not found.startswith(path):
                return
            if _is_inside(found, path):
                yield found, where


def _steps(path: str) -> list[str]:
    return findall(r"[^.\[\]]+", bare(path))


def leaves_of(r: TracingReader) -> Iterator[tuple[str, Place]]:
    """Yield every field that *r* has read, by its path, with its bytes."""
    traced = r.trail.traced
    traced.settle()
    trees = [("", r.root), *((each.path.rpartition(".")[0], each.root) for each in traced.made)]
    for number, (path, root) in enumerate(trees):
        for found, leaf in root.leaves(path):
            yield bare(found), Place(number, leaf.start, leaf.end)


def bare(path: str) -> str:
    """Return *path* with the spec's names: attributes may have an extra underscore."""
    if "_." in path or "_[" in path or path.endswith("_"):
        return sub(r"_+(?=[.\[]|$)", "", path)
    return path


def _name(path: str) -> str:
    return path.rpartition(".")[2]


def _is_inside(path: str, outer: str) -> bool:
    return path.startswith(outer) and path[len(outer) :][:1] in {"", ".", "["}


def _overlap(one: Place, other: Place) -> bool:
    return one.tree == other.tree and max(one.start, other.start) < min(one.end, other.end)


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
