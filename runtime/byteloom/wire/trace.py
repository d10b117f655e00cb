"""A reader that records which field each byte belongs to.

It is the same reader with its methods wrapped, so `byteloom inspect --hex` prints what the parser
itself did.  The rules all methods obey:

- A field becomes a node after it was decoded.  After an error the tree ends with the last
  field before the damage.
- Windows and views of a reader add to the same tree; parts read on demand are below their
  record.  A stream over decoded bytes has its own tree.
- The size of trees is bounded, and only the beginning of long bytes is kept.
"""

from __future__ import annotations

from contextlib import contextmanager
from enum import IntEnum
from functools import wraps
from itertools import count as count_from
from struct import calcsize
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.wire.layouts import FieldRun, forms
from byteloom.wire.nodes import Folding, Node
from byteloom.wire.reader import Buffer, Reader
from byteloom.wire.trail import Made, Traced, Trail

if TYPE_CHECKING:
    import builtins
    from collections.abc import Callable, Iterator

    from byteloom.wire.layouts import Bits

__all__ = ["Node", "TracingReader"]

_T = TypeVar("_T")

PREVIEW: Final = 64
"""Bytes or elements of a long value that its node keeps: more than a line shows."""


def _leaf(method: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method of `Reader` that takes one field so that it adds a node."""

    @wraps(method)
    def take(self: TracingReader, name: str, *args: Any, **kwargs: Any) -> Any:
        trail = self.trail
        if trail.quiet:
            return method(self, name, *args, **kwargs)
        start, trail.quiet = self.offset, 1  # `silence`, in a tenth of its time
        try:
            value = method(self, name, *args, **kwargs)
        finally:
            trail.quiet = 0
        self._add(name, start, value)
        return value

    return take


def _bit_leaf(method: Callable[..., int]) -> Callable[..., Any]:
    """Wrap a method of `Reader` that takes bits; the node begins with the byte of the first bit."""

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

    folding  which nodes are folded; by default those past what is readable
    """

    __slots__ = ("root", "trail")

    def __init__(
        self,
        data: Buffer | bytearray | memoryview,
        *,
        limits: Limits = DEFAULT_LIMITS,
        origin: int = 0,
        folding: Folding | None = None,
    ) -> None:
        """Begin at the first byte of *data*, with an empty tree."""
        super().__init__(data, limits=limits, origin=origin)
        self.root = Node(name="", start=origin, end=origin + len(self._data))
        folding = folding or Folding()
        self.trail = Trail(self.root, Traced(folding, folding.nodes))

    u1, s1 = _leaf(Reader.u1), _leaf(Reader.s1)
    u2le, u2be, s2le, s2be = map(_leaf, (Reader.u2le, Reader.u2be, Reader.s2le, Reader.s2be))
    u4le, u4be, s4le, s4be = map(_leaf, (Reader.u4le, Reader.u4be, Reader.s4le, Reader.s4be))
    u8le, u8be, s8le, s8be = map(_leaf, (Reader.u8le, Reader.u8be, Reader.s8le, Reader.s8be))
    f4le, f4be, f8le, f8be = map(_leaf, (Reader.f4le, Reader.f4be, Reader.f8le, Reader.f8be))
    bits_be, bits_le = _bit_leaf(Reader.bits_be), _bit_leaf(Reader.bits_le)
    array, bytes = _leaf(Reader.array), _leaf(Reader.bytes)
    uleb128, protobuf = _leaf(Reader.uleb128), _leaf(Reader.protobuf)
    zigzag, hadoop, varints = _leaf(Reader.zigzag), _leaf(Reader.hadoop), _leaf(Reader.varints)
    rest, until, cut = _leaf(Reader.rest), _leaf(Reader.until), _leaf(Reader.cut)

    def magic(self, name: str, wanted: builtins.bytes) -> None:
        """Take the bytes *wanted*, and no others."""
        start = self.offset
        with self.trail.silence():
            super().magic(name, wanted)
        if not self.trail.quiet:
            self._add(name, start, wanted)

    def run(self, layout: FieldRun) -> tuple[int, ...]:
        """Take a run of fixed numbers, each of which becomes a node unless it is folded."""
        return super().run(layout) if self.trail.quiet else self._singly(layout)

    def run_floats(self, layout: FieldRun) -> tuple[Any, ...]:
        """Take a run of fixed numbers, some of them floats of four bytes, likewise."""
        if self.trail.quiet:
            return super().run_floats(layout)
        return self._singly(layout)

    def _singly(self, layout: FieldRun) -> tuple[Any, ...]:
        return tuple(
            self.bytes(name, calcsize(form)) if form[-1] == "s" else _BY_FORM[form](self, name)
            for name, form in zip(layout.names, forms(layout), strict=True)
        )

    def run_mixed(self, layout: FieldRun) -> tuple[Any, ...]:
        """Take a run of numbers and bytes, likewise."""
        return self.run(layout)

    def bit_run(self, names: tuple[str, ...], layout: Bits) -> int:
        """Take a run of bits, likewise."""
        if self.trail.quiet:
            return super().bit_run(names, layout)
        take = self.bits_le if layout.order == "little" else self.bits_be
        fields = zip(names, layout.widths, layout.places, strict=True)
        return sum(take(name, width) << shift for name, width, (shift, _) in fields)

    def text(self, name: str, raw: builtins.bytes, encoding: str, after: int = 0) -> str:
        """Decode *raw*, just taken, as text, which its node then shows."""
        text = super().text(name, raw, encoding, after)
        if not self.trail.quiet:
            named, end = self._named(name), self.offset - after
            for node in reversed(self.trail.open[-1].children):
                if node.end <= end:
                    if node.name == named:
                        node.value = text[:PREVIEW]
                    break
        return text

    def record(self, name: str, read: Callable[..., _T], given: tuple[Any, ...] = ()) -> _T:
        """Take one record; the fields it reads become the children of its node."""
        if self.trail.adopted is None and (self.trail.quiet or not self.trail.keeps(self.offset)):
            return self._folded(name, read, given)
        with self._node(self._named(name)) as node:
            value = super().record(name, read, given)
            self._complete(value, node)
            return value

    def within(
        self, name: str, size: int, read: Callable[..., _T], given: tuple[Any, ...] = ()
    ) -> _T:
        """Take one record from the next *size* bytes, likewise."""
        return self._within(name, size, read, given)

    def another(
        self, name: str, taken: list[_T], read: Callable[..., _T], given: tuple[Any, ...] = ()
    ) -> _T:
        """Take one more record after those *taken*, likewise."""
        value = self.record(f"{name}[{len(taken)}]", read, given)
        taken.append(value)
        return value

    def _complete(self, record: object, node: Node) -> None:
        """Add what only the record knows to its node, whose fields are all read."""
        _name_members(record, node)
        self.trail.complete(record, node)

    def _folded(self, name: str, read: Callable[..., _T], given: tuple[Any, ...]) -> _T:
        """Take one record without adding nodes for its fields, since there may be millions."""
        record = super().record
        return self._unseen(self._named(name), lambda _: record(name, read, given))

    def _unseen(self, name: str, read: Callable[[Self], _T]) -> _T:
        """Return the result of *read*; its bytes become a node without children, or are folded."""
        trail, start = self.trail, self.offset
        trail.quiet += 1
        try:
            return read(self)
        finally:
            trail.quiet -= 1
            if not trail.quiet and not trail.folds(start, self.offset):
                trail.add(Node(name=name, start=start, end=self.offset))

    def records(
        self,
        name: str,
        count: int,
        read: Callable[[Self], _T],
        each: int,
        into: list[_T] | None = None,
    ) -> list[_T]:
        """Take *count* records, each a node called ``name[index]``."""
        return super().records(name, count, _numbered(name, read), each, into)

    def records_to_end(
        self, name: str, read: Callable[[Self], _T], into: list[_T] | None = None
    ) -> list[_T]:
        """Take records up to the end, each a node called ``name[index]``."""
        return super().records_to_end(name, _numbered(name, read), into)

    def stream(self, data: builtins.bytes) -> Self:
        """Return a window over *data*; it gets its own tree unless *data* is part of the file."""
        view, source = super().stream(data), self.trail.last()
        if self.trail.quiet or source is None or source.end != self.offset:
            view.trail = Trail(Node(name="", start=0, end=len(data)), Traced(Folding(0, 0), 0))
            view.trail.quiet = 1
        elif self._holds(data, source.start):
            view.trail = self.trail.adopting(source)
            view._origin = source.start
        else:
            path, traced = self.trail.here, self.trail.traced
            made = Made(f"{path}.{source.name}", Node(name="", start=0, end=len(data)), data)
            traced.made.append(made)
            view.trail = Trail(made.root, traced, path)
        view.root = view.trail.root
        return view

    def view(self, name: str, pos: int, record: object = None) -> Self:
        """Move to *pos* of this window for the block; what is read there is below *record*."""
        view = super().view(name, pos, record)
        if record is not None and not self.trail.quiet:
            view.trail = self.trail.below(record)
        return view

    def _holds(self, data: builtins.bytes, offset: int) -> bool:
        at = offset - self._origin
        return self._data[at : at + len(data)] == data

    def _add(
        self, name: str, start: int, value: object, bits: tuple[int, int] | None = None
    ) -> None:
        node = Node(name=self._named(name), start=start, end=self.offset, bits=bits)
        node.value = _preview(value)
        self.trail.add(node)

    @contextmanager
    def _node(self, name: str) -> Iterator[Node]:
        """Open a record's node; it ends at the reader's position, even after an error."""
        trail, start = self.trail, self.offset
        node, trail.adopted = trail.adopted, None
        if node is not None:
            node.value = None
        else:
            node = Node(name=name, start=start, end=start)
            trail.add(node)
        trail.open.append(node)
        try:
            yield node
        finally:
            node.end = max(node.end, self.offset)
            trail.open.pop()

    def _view(self, start: int, at: int, end: int, data: Buffer | None = None) -> Self:
        view = super()._view(start, at, end, data)
        view.root, view.trail = self.root, self.trail
        return view


_R = TypeVar("_R", bound=TracingReader)


def _numbered(name: str, read: Callable[[_R], _T]) -> Callable[[_R], _T]:
    """Make *read* open a node for every record: ``name[0]``, ``name[1]``, ..."""
    numbers = count_from()

    def element(r: _R) -> _T:
        path, trail = f"{name}[{next(numbers)}]", r.trail
        if trail.adopted is None and (trail.quiet or not trail.keeps(r.offset)):
            return r._unseen(path, read)
        with r._node(path) as node:
            value = read(r)
            r._complete(value, node)
            return value

    return element


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


def _name_members(record: object, node: Node) -> None:
    """Use enum members as the values of nodes whose fields the record has as such members."""
    for child in node.children:
        if type(child.value) is not int or not child.name.isidentifier():
            continue
        if not isinstance(getattr(type(record), child.name, None), property):  # it would be read
            found = getattr(record, child.name, None)
            child.value = found if isinstance(found, IntEnum) else child.value
