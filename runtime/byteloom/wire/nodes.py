"""The nodes of a report, one for each field and record, and how long runs of them are folded.

The rules of folding:

- Folded runs are numbered in the order in which they begin.  Reading the same file by the same
  rules folds the same runs, so that a later read can show a part of one by its number.
- A `Window` is such a part.  A read has one window, or several where a run is inside a field that
  was folded itself: the outermost first.
- What a window shows is bounded: it has nodes of its own, and folds the rest as any tree does.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.errors import ByteloomError

__all__ = ["MAX_NODES", "MAX_SIBLINGS", "WINDOW_NODES", "Folding", "Node", "Window"]


@dataclass(slots=True, kw_only=True)
class Node:
    """One field, or one record with the fields inside it.

    name      the field's name; ``blobs[3]`` for an element
    start     its first byte, from the start of the file
    end       one past its last byte
    value     the value, of long bytes and arrays the first 64; None for a record
    bits      the first bit in byte *start* and the number of bits, for a field that is not whole
              bytes
    more      the number of fields or records folded into this node; 0 for an ordinary one
    children  the fields of a record, in the order they were read
    error     why it could not be read
    placed    False if it has no bytes of its own: a calculated value, or one that failed
    record    the class of the record; None for a field
    """

    name: str
    start: int
    end: int
    value: object = None
    bits: tuple[int, int] | None = None
    more: int = 0
    children: list[Node] = field(default_factory=list)
    error: ByteloomError | None = None
    placed: bool = True
    record: type | None = None

    @property
    def size(self) -> int:
        """Bytes from start to end."""
        return self.end - self.start

    def leaves(self, path: str = "") -> Iterator[tuple[str, Node]]:
        """Yield every field with bytes of its own, with its path from here."""
        waiting = [(self, path)]
        while waiting:
            node, path = waiting.pop()
            here = f"{path}.{node.name}" if path and node.name else path or node.name
            inside = [child for child in node.children if child.placed]
            if inside:
                waiting += [(child, here) for child in reversed(inside)]
            else:
                yield here, node


MAX_SIBLINGS: Final = 1_000
"""Nodes below one record, after which the rest is folded: more is not readable."""

MAX_NODES: Final = 200_000
"""Nodes of one read, about 40 MB."""

WINDOW_NODES: Final = 20_000
"""Nodes that a window may add when a read has used up its own."""


class Window(NamedTuple):
    """A part of a folded run.

    run   the number of the run among those of the read
    skip  fields or records of the run that come before the part
    size  fields or records in the part
    """

    run: int
    skip: int
    size: int


@dataclass(slots=True)
class _Shown:
    """The progress of a window: its parent node, the children shown, and how many are left."""

    above: Node
    left: int
    nodes: list[Node] = field(default_factory=list)


class Folding:
    """The bounds of the trees of one report, the runs they fold, and the windows into these.

    siblings  nodes below one record before the rest is folded
    nodes     nodes of one tree before the rest is folded
    windows   the parts of folded runs that are unfolded
    runs      the nodes that stand for folded runs, by their numbers
    """

    __slots__ = ("_shown", "nodes", "runs", "siblings", "windows")

    def __init__(
        self,
        siblings: int = MAX_SIBLINGS,
        nodes: int = MAX_NODES,
        windows: Sequence[Window] = (),
    ) -> None:
        """Fold what exceeds *siblings* or *nodes*, except the parts in *windows*."""
        self.siblings, self.nodes = siblings, nodes
        self.runs: list[Node] = []
        self.windows = windows
        self._shown: list[_Shown] = []

    @classmethod
    def none(cls) -> Folding:
        """Return a folding that folds nothing."""
        return cls(sys.maxsize, sys.maxsize)

    @classmethod
    def by(cls, *, full: bool) -> Folding:
        """Return the default folding, or with *full* one that folds nothing."""
        return cls.none() if full else cls()

    @property
    def full(self) -> bool:
        """Whether nothing is folded."""
        return self.siblings == sys.maxsize

    @property
    def shown(self) -> tuple[Node, list[Node]] | None:
        """The parent and the nodes that the innermost window shows; None if it was not reached."""
        if not self.windows or len(self._shown) < len(self.windows):
            return None
        return self._shown[-1].above, self._shown[-1].nodes

    def shows(self, above: Node, start: int, *, is_full: bool) -> bool:
        """Whether a window includes the next node below *above*, which begins at *start*.

        is_full  whether the node would be folded
        """
        return self._open(above) is not None or (is_full and self._begins(above, start))

    def show(self, above: Node, node: Node) -> bool:
        """Add *node* of a window below *above*; return whether it is the window's first."""
        shown = self._open(above)
        is_first = shown is None
        if shown is None:
            shown = _Shown(above, self.windows[len(self._shown)].size)
            self._shown.append(shown)
        above.children.append(node)
        shown.nodes.append(node)
        shown.left -= 1
        return is_first

    def folds(self, above: Node, start: int, end: int) -> bool:
        """Whether the bytes from *start* to *end* continue the last run below *above*."""
        if not _continues(above, start):
            return False
        run = above.children[-1]
        run.end = end
        run.more += 1
        return True

    def begin(self, above: Node, run: Node) -> None:
        """Add a node for a new run below *above*, unless there are too many runs already."""
        if len(above.children) < 2 * self.siblings:
            above.children.append(run)
            self.runs.append(run)

    def _open(self, above: Node) -> _Shown | None:
        """Return the open window below *above*, if more of it is to be shown."""
        for each in self._shown:
            if each.above is above and each.left:
                return each
        return None

    def _begins(self, above: Node, start: int) -> bool:
        """Whether the next window begins with the node at *start* below *above*."""
        if len(self._shown) == len(self.windows):
            return False
        number, skip, _ = self.windows[len(self._shown)]
        if not _continues(above, start):
            return not skip and number == len(self.runs)
        run = above.children[-1]
        return number < len(self.runs) and self.runs[number] is run and run.more == skip


def _continues(above: Node, start: int) -> bool:
    """Whether a node at *start* follows the last run below *above*."""
    beside = above.children
    return bool(beside) and bool(beside[-1].more) and beside[-1].end == start
