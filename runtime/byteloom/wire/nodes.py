"""The result of a traced read: trees of nodes, and where in them each record is.

The rules of the trees:

- There is one for the file and one for each run of bytes that was made from bytes of the file, as
  decompression makes them; places in it count from its own first byte.
- What a record reads on demand is below that record, whoever asked for it; if it is read from
  another tree than the record's own, it is at the top of that tree.
- All of them together are bounded, whatever the file: siblings past a number are folded into one
  node that counts them.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from byteloom.wire.folding import WINDOW_NODES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.errors import ByteloomError
    from byteloom.wire.folding import Folding

__all__ = ["Made", "Node", "Place", "Traced", "Trail"]


@dataclass(slots=True, kw_only=True)
class Node:
    """One field, or one record with the fields inside it.

    name      the field's name; ``blobs[3]`` for an element
    start     its first byte, from the start of the file
    end       one past its last byte
    value     what was read, of long bytes and arrays the first 64; None for a record
    bits      first bit in byte *start* and number of bits, where they are not whole bytes
    more      how many fields or records were folded into this node; 0 for an ordinary one
    children  the fields of a record, in the order they were read
    error     what kept it from being read
    placed    False for what has no bytes of its own: a calculated value, or one that failed
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
        """Yield every field that holds bytes itself, with its path from here."""
        here = f"{path}.{self.name}" if path and self.name else path or self.name
        inside = [child for child in self.children if child.placed]
        if not inside:
            yield here, self
        for child in inside:
            yield from child.leaves(here)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record that was read is: its node, the tree's root, the path from there."""

    record: object
    node: Node
    root: Node
    path: str


@dataclass(frozen=True, slots=True)
class Made:
    """Bytes that were made from bytes of the file; *path* is the field they were made for."""

    path: str
    root: Node
    data: bytes


@dataclass(slots=True)
class Traced:
    """What all windows of one traced read share.

    folding  what is folded
    left     nodes until the rest is folded
    places   records in the order they were complete
    made     the other trees
    """

    folding: Folding
    left: int
    places: list[Place] = field(default_factory=list)
    made: list[Made] = field(default_factory=list)
    _by_record: dict[int, Place] = field(default_factory=dict)
    _early: dict[int, tuple[object, Node, Node]] = field(default_factory=dict)

    def place_of(self, record: object) -> Place | None:
        """Return where *record* is, once it is complete."""
        found = self._by_record.get(id(record))
        return found if found is not None and found.record is record else None

    def complete(self, place: Place) -> None:
        """Note where a record is, and add below it what it read before it was complete."""
        self.places.append(place)
        self._by_record[id(place.record)] = place
        early = self._early.pop(id(place.record), None)
        if early is not None:
            place.node.children += early[2].children
            early[2].children = place.node.children

    def early(self, record: object, root: Node) -> Node:
        """Return the node for what *record* reads before it is complete."""
        found = self._early.setdefault(id(record), (record, root, Node(name="", start=0, end=0)))
        return found[2]

    def settle(self) -> None:
        """Hang what incomplete records read below the tops of their trees."""
        for _, root, early in self._early.values():
            top = root.children[-1] if root.children else root
            top.children += early.children
        self._early.clear()


class Trail:
    """Where in a tree reading is: the records that are open, outermost first."""

    __slots__ = ("adopted", "open", "path", "quiet", "root", "traced")

    def __init__(self, root: Node, traced: Traced, path: str = "") -> None:
        """Stand at *root*; *path* leads there from the root of the file."""
        self.root = root
        self.open = [root]
        self.traced = traced
        self.path = path
        self.quiet = 0
        self.adopted: Node | None = None

    @property
    def has_room(self) -> bool:
        """Whether one more node fits below the record that is open."""
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
        """The path to the record that is open."""
        names = [self.path, *(node.name for node in self.open)]
        return ".".join(name for name in names if name)

    def folds(self, start: int, end: int) -> bool:
        """Whether bytes that are not kept were folded into the last node, with no need for one."""
        return self.traced.folding.folds(self.open[-1], start, end)

    def add(self, node: Node) -> None:
        """Hang *node* below the record that is open, or fold it into the last one there."""
        above, folding, has_room = self.open[-1], self.traced.folding, self.has_room
        if folding.shows(above, node.start, is_full=not has_room):
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
        """Note that *record* was read into *node*, which is the one open."""
        if node is not None:
            node.record = type(record)
            self.traced.complete(Place(record, node, self.root, self.here))

    def last(self) -> Node | None:
        """Return the field just read."""
        beside = self.open[-1].children
        return beside[-1] if beside and not beside[-1].more else None

    def adopting(self, node: Node) -> Trail:
        """Return a trail on which the next record becomes *node*, which is there already."""
        trail = Trail(self.root, self.traced, self.path)
        trail.open, trail.quiet, trail.adopted = list(self.open), self.quiet, node
        return trail

    def below(self, record: object) -> Trail:
        """Return a trail on which *record* is the one open, or this tree's root."""
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
        """Hang what is read meanwhile below *node*."""
        before, self.open = self.open, [node]
        try:
            yield
        finally:
            self.open = before

    @contextmanager
    def silence(self) -> Iterator[None]:
        """Add nothing for what is read meanwhile: a method built on others is one field."""
        self.quiet += 1
        try:
            yield
        finally:
            self.quiet -= 1
