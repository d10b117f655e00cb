"""A reader that remembers which field every byte belonged to.

It is the same reader with its methods wrapped: what `byteloom inspect --hex` prints is what the
parser did, not a second opinion.  The rules all methods obey:

- A field becomes a node after it was understood.  A tree cut short by an error ends at the last
  field before the damage.
- Windows and views of a reader add to the same tree, below the record that is open.
- The tree is bounded, whatever the file: siblings past a number are folded into one node that
  counts them, and of long bytes only the beginning is kept.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from itertools import count as count_from
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, Self, TypeVar

from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.wire.reader import Buffer, Reader

if TYPE_CHECKING:
    import builtins
    from collections.abc import Callable, Iterator
    from struct import Struct

__all__ = ["Node", "TracingReader"]

_T = TypeVar("_T")
_P = ParamSpec("_P")

PREVIEW: Final = 64
"""Bytes or elements of a long value that its node keeps: a line has room for fewer."""

MAX_SIBLINGS: Final = 1_000
"""Nodes below one record, the rest folded: a person reads no more."""

MAX_NODES: Final = 200_000
"""Nodes of one tree, some 40 MB."""


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
    """

    name: str
    start: int
    end: int
    value: object = None
    bits: tuple[int, int] | None = None
    more: int = 0
    children: list[Node] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Bytes from start to end."""
        return self.end - self.start

    def leaves(self, path: str = "") -> Iterator[tuple[str, Node]]:
        """Yield every field that holds bytes itself, with its path from here."""
        here = f"{path}.{self.name}" if path and self.name else path or self.name
        if not self.children:
            yield here, self
        for child in self.children:
            yield from child.leaves(here)


class _Trail:
    """What all windows of one traced read share: the tree, and where in it they are."""

    __slots__ = ("left", "open", "quiet", "siblings")

    def __init__(self, root: Node, siblings: int, nodes: int) -> None:
        self.open = [root]
        self.siblings = siblings
        self.left = nodes
        self.quiet = 0

    @property
    def full(self) -> bool:
        """Whether the next node has to be folded."""
        return self.left <= 0 or len(self.open[-1].children) >= self.siblings

    def add(self, node: Node) -> None:
        """Hang *node* below the record that is open, or fold it into the last one there."""
        beside = self.open[-1].children
        if not self.full:
            beside.append(node)
            self.left -= 1
        elif beside and beside[-1].more and beside[-1].end == node.start:
            beside[-1].end = node.end
            beside[-1].more += 1
        elif len(beside) < 2 * self.siblings:
            beside.append(Node(name=f"{node.name}…", start=node.start, end=node.end, more=1))

    @contextmanager
    def silence(self) -> Iterator[None]:
        """Add nothing for what is read meanwhile: a method built on others is one field."""
        self.quiet += 1
        try:
            yield
        finally:
            self.quiet -= 1


def _leaf(method: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method of `Reader` that takes one field so that it adds a node."""

    @wraps(method)
    def take(self: TracingReader, name: str, *args: Any, **kwargs: Any) -> Any:
        if self.trail.quiet:
            return method(self, name, *args, **kwargs)
        start = self.offset
        with self.trail.silence():
            value = method(self, name, *args, **kwargs)
        self._add(name, start, value)
        return value

    return take


def _bit_leaf(method: Callable[..., int]) -> Callable[..., Any]:
    """Wrap a method of `Reader` that takes bits; its node begins in the byte they begin in."""

    @wraps(method)
    def take(self: TracingReader, name: str, width: int) -> int:
        if self.trail.quiet:
            return method(self, name, width)
        begun = self._bits_left
        start = self.offset - (begun > 0)
        with self.trail.silence():
            value = method(self, name, width)
        self._add(name, start, value, bits=(-begun % 8, width))
        return value

    return take


def _preview(value: object) -> object:
    return value[:PREVIEW] if isinstance(value, bytes | list) else value


class TracingReader(Reader):
    """A `Reader` whose `root` grows while it reads.

    siblings  nodes below one record before the rest is folded
    nodes     nodes of the whole tree before the rest is folded
    """

    __slots__ = ("root", "trail")

    def __init__(
        self,
        data: Buffer | bytearray | memoryview,
        *,
        limits: Limits = DEFAULT_LIMITS,
        origin: int = 0,
        siblings: int = MAX_SIBLINGS,
        nodes: int = MAX_NODES,
    ) -> None:
        """Stand at the first byte of *data* with an empty tree."""
        super().__init__(data, limits=limits, origin=origin)
        self.root = Node(name="", start=origin, end=origin + len(self._data))
        self.trail = _Trail(self.root, siblings, nodes)

    u1, s1 = _leaf(Reader.u1), _leaf(Reader.s1)
    u2le, u2be, s2le, s2be = map(_leaf, (Reader.u2le, Reader.u2be, Reader.s2le, Reader.s2be))
    u4le, u4be, s4le, s4be = map(_leaf, (Reader.u4le, Reader.u4be, Reader.s4le, Reader.s4be))
    u8le, u8be, s8le, s8be = map(_leaf, (Reader.u8le, Reader.u8be, Reader.s8le, Reader.s8be))
    f4le, f4be, f8le, f8be = map(_leaf, (Reader.f4le, Reader.f4be, Reader.f8le, Reader.f8be))
    bits_be, bits_le = _bit_leaf(Reader.bits_be), _bit_leaf(Reader.bits_le)
    array, bytes = _leaf(Reader.array), _leaf(Reader.bytes)
    rest, until, cut = _leaf(Reader.rest), _leaf(Reader.until), _leaf(Reader.cut)

    def magic(self, name: str, wanted: builtins.bytes) -> None:
        """Take the bytes *wanted*, and no others."""
        start = self.offset
        with self.trail.silence():
            super().magic(name, wanted)
        if not self.trail.quiet:
            self._add(name, start, wanted)

    def run(self, names: tuple[str, ...], layout: Struct) -> tuple[int, ...]:
        """Take a run of fixed numbers one by one, each a node."""
        order, letters = layout.format[0], layout.format[1:]
        takes = [_BY_FORM[order + letter] for letter in letters]
        return tuple(take(self, name) for take, name in zip(takes, names, strict=True))

    def text(self, name: str, raw: builtins.bytes, encoding: str) -> str:
        """Return *raw*, just taken, as text, and show it so."""
        text = super().text(name, raw, encoding)
        beside = self.trail.open[-1].children
        if not self.trail.quiet and beside and beside[-1].name == self._named(name):
            beside[-1].value = text[:PREVIEW]
        return text

    def record(
        self,
        name: str,
        read: Callable[Concatenate[Self, _P], _T],
        /,
        *args: _P.args,
        **kwargs: _P.kwargs,
    ) -> _T:
        """Take one record; the fields it reads become the children of its node."""
        with self._node(self._named(name)):
            return super().record(name, read, *args, **kwargs)

    def records(self, name: str, count: int, read: Callable[[Self], _T], *, each: int) -> list[_T]:
        """Take *count* records, each a node called ``name[index]``."""
        numbers = count_from()

        def element(r: Self) -> _T:
            with r._node(f"{name}[{next(numbers)}]"):
                return read(r)

        return super().records(name, count, element, each=each)

    def stream(self, data: builtins.bytes) -> Self:
        """Return a window over *data*; its bytes have no place in the file, and so no nodes."""
        view = super().stream(data)
        view.root = Node(name="", start=0, end=len(data))
        view.trail = _Trail(view.root, 0, 0)
        view.trail.quiet = 1
        return view

    def _add(
        self, name: str, start: int, value: object, bits: tuple[int, int] | None = None
    ) -> None:
        node = Node(name=self._named(name), start=start, end=self.offset, bits=bits)
        node.value = _preview(value)
        self.trail.add(node)

    @contextmanager
    def _node(self, name: str) -> Iterator[None]:
        """Open a record's node; it closes where the reader stands, also after an error."""
        trail, start = self.trail, self.offset
        if trail.quiet or trail.full:
            try:
                with trail.silence():
                    yield
            finally:
                if not trail.quiet:
                    trail.add(Node(name=name, start=start, end=self.offset))
            return
        node = Node(name=name, start=start, end=start)
        trail.add(node)
        trail.open.append(node)
        try:
            yield
        finally:
            node.end = self.offset
            trail.open.pop()

    def _view(self, start: int, at: int, end: int, data: Buffer | None = None) -> Self:
        view = super()._view(start, at, end, data)
        view.root, view.trail = self.root, self.trail
        return view


_BY_FORM: Final[dict[str, Callable[..., Any]]] = {
    order + letter: getattr(TracingReader, name + suffix)
    for order, suffix in (("<", "le"), (">", "be"))
    for letter, name in zip(
        "HIQhiqfd", ("u2", "u4", "u8", "s2", "s4", "s8", "f4", "f8"), strict=True
    )
} | {
    order + letter: getattr(TracingReader, name)
    for order in "<>"
    for letter, name in (("B", "u1"), ("b", "s1"))
}
