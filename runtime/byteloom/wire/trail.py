"""The result of a traced read: trees of nodes, and the node of each record.

The rules of the trees:

- There is one tree for the file, and one for each run of bytes that was decoded from the file, as
  by decompression; offsets in it count from its own first byte.
- Parts that a record reads on demand are below that record, whoever accessed them; if they are read
  from another tree than the record's own, they are at the top of that tree.
- Their total size is bounded, whatever the file: siblings past a limit are folded into one
  node that counts them.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from byteloom.wire.nodes import WINDOW_NODES, Folding, Node

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Made", "Place", "Traced", "Trail"]


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a record in the trees: its node, the tree's root, the path from there."""

    record: object
    node: Node
    root: Node
    path: str


@dataclass(frozen=True, slots=True)
class Made:
    """Bytes that were decoded from bytes of the file; *path* is the field that they belong to."""

    path: str
    root: Node
    data: bytes


@dataclass(slots=True)
class Traced:
    """The state that all windows of one traced read share.

    folding  which nodes are folded
    left     the nodes that may be added before the rest is folded
    places   the places of records, in the order in which they were completed
    made     the other trees
    """

    folding: Folding
    left: int
    places: list[Place] = field(default_factory=list)
    made: list[Made] = field(default_factory=list)
    _by_record: dict[int, Place] = field(default_factory=dict)
    _early: dict[int, tuple[object, Node, Node]] = field(default_factory=dict)

    def place_of(self, record: object) -> Place | None:
        """Return the place of *record*, once it is complete."""
        found = self._by_record.get(id(record))
        return found if found is not None and found.record is record else None

    def complete(self, place: Place) -> None:
        """Store the place of a record, and add below it what it read before it was complete."""
        self.places.append(place)
        self._by_record[id(place.record)] = place
        early = self._early.pop(id(place.record), None)
        if early is not None:
            place.node.children += early[2].children
            early[2].children = place.node.children

    def early(self, record: object, root: Node) -> Node:
        """Return the node for parts that *record* reads before it is complete."""
        found = self._early.setdefault(id(record), (record, root, Node(name="", start=0, end=0)))
        return found[2]

    def settle(self) -> None:
        """Add what incomplete records read below the roots of their trees."""
        for _, root, early in self._early.values():
            top = root.children[-1] if root.children else root
            top.children += early.children
        self._early.clear()


class Trail:
    """The position of a read in a tree: the open records, outermost first."""

    __slots__ = ("adopted", "open", "path", "quiet", "root", "traced")

    def __init__(self, root: Node, traced: Traced, path: str = "") -> None:
        """Begin at *root*; *path* leads there from the root of the file."""
        self.root = root
        self.open = [root]
        self.traced = traced
        self.path = path
        self.quiet = 0
        self.adopted: Node | None = None

    @property
    def has_room(self) -> bool:
        """Whether the open record may get another node."""
        traced = self.traced
        return traced.left > 0 and len(self.open[-1].children) < traced.folding.siblings

    def keeps(self, start: int) -> bool:
        """Whether a node that begins at *start* is not folded."""
        folding = self.traced.folding
        return self.has_room or (
            bool(folding.windows) and folding.shows(self.open[-1], start, is_full=True)
        )

    @property
    def here(self) -> str:
        """The path of the open record."""
        names = [self.path, *(node.name for node in self.open)]
        return ".".join(name for name in names if name)

    def folds(self, start: int, end: int) -> bool:
        """Whether bytes without a node of their own were folded into the last node."""
        return self.traced.folding.folds(self.open[-1], start, end)

    def add(self, node: Node) -> None:
        """Add *node* below the open record, or fold it into the last node there."""
        above, folding, has_room = self.open[-1], self.traced.folding, self.has_room
        if folding.windows and folding.shows(above, node.start, is_full=not has_room):
            if folding.show(above, node):
                self.traced.left = max(self.traced.left, WINDOW_NODES)
            self.traced.left -= 1
        elif has_room:
            above.children.append(node)
            self.traced.left -= 1
        elif not folding.folds(above, node.start, node.end):
            run = Node(name=f"{node.name}…", start=node.start, end=node.end, more=1)
            folding.begin(above, run)

    def complete(self, record: object, node: Node | None) -> None:
        """Store that *record* was read into *node*, the open one."""
        if node is not None:
            node.record = type(record)
            self.traced.complete(Place(record, node, self.root, self.here))

    def last(self) -> Node | None:
        """Return the field that was just read."""
        beside = self.open[-1].children
        return beside[-1] if beside and not beside[-1].more else None

    def adopting(self, node: Node) -> Trail:
        """Return a trail on which the next record becomes *node*, which exists already."""
        trail = Trail(self.root, self.traced, self.path)
        trail.open, trail.quiet, trail.adopted = list(self.open), self.quiet, node
        return trail

    def below(self, record: object) -> Trail:
        """Return a trail on which *record*, or else this tree's root, is open."""
        place = self.traced.place_of(record)
        if place is None:
            node, path = self.traced.early(record, self.root), self.here
        elif place.root is self.root:
            node, path = place.node, place.path.removesuffix(place.node.name).removesuffix(".")
        else:
            node, path = self.root, self.path
        trail = Trail(self.root, self.traced, path)
        trail.open, trail.quiet = [node], self.quiet
        return trail

    @contextmanager
    def under(self, node: Node) -> Iterator[None]:
        """Add what is read in the block below *node*."""
        before, self.open = self.open, [node]
        try:
            yield
        finally:
            self.open = before

    @contextmanager
    def silence(self) -> Iterator[None]:
        """Add no nodes in the block: a method that is built on others reads one field."""
        self.quiet += 1
        try:
            yield
        finally:
            self.quiet -= 1
