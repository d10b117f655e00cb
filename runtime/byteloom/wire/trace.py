"""A reader that remembers which field every byte belonged to.

It is the same reader with its methods wrapped: what `byteloom inspect --hex` prints is what the
parser did, not a second opinion.  A tree cut short by an error ends at the last field understood.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, Self, TypeVar

from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.wire.reader import Buffer, Reader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from struct import Struct

__all__ = ["Node", "TracingReader"]

_T = TypeVar("_T")


@dataclass(slots=True, kw_only=True)
class Node:
    """One field, or one record with the fields inside it.

    name      the field's name; ``blobs[3]`` for an element
    start     its first byte, from the start of the file
    end       one past its last byte
    value     what was read; None for a record
    bits      how many bits, where the field is not made of whole bytes
    children  the fields of a record, in the order they were read
    """

    name: str
    start: int
    end: int
    value: object = None
    bits: int | None = None
    children: list[Node] = field(default_factory=list)

    def leaves(self, path: str = "") -> Iterator[tuple[str, Node]]:
        """Yield every field that holds bytes itself, with its path from here."""
        here = f"{path}.{self.name}" if path else self.name
        if not self.children:
            yield here, self
        for child in self.children:
            yield from child.leaves(here)


def _traced(name: str) -> Callable[..., Any]:
    """Wrap the leaf method *name* of `Reader` so that it adds a node."""
    method = getattr(Reader, name)

    @wraps(method)
    def take(self: TracingReader, field_name: str, *args: Any, **kwargs: Any) -> Any:
        start = self.offset
        value = method(self, field_name, *args, **kwargs)
        shown = args[0] if name == "magic" else value
        self.open[-1].children.append(Node(name=field_name, start=start, end=self.offset, value=shown))
        return value

    return take


class TracingReader(Reader):
    """A `Reader` whose `root` grows while it reads."""

    __slots__ = ("open", "root")

    def __init__(
        self, data: Buffer | bytearray | memoryview, *, limits: Limits = DEFAULT_LIMITS, origin: int = 0
    ) -> None:
        """Stand at the first byte of *data* with an empty tree."""
        super().__init__(data, limits=limits, origin=origin)
        self.root = Node(name="", start=origin, end=origin + len(self._data))
        self.open = [self.root]

    u1, s1 = _traced("u1"), _traced("s1")
    u2le, u2be, u4le, u4be = _traced("u2le"), _traced("u2be"), _traced("u4le"), _traced("u4be")
    u8le, u8be, s2le, s2be = _traced("u8le"), _traced("u8be"), _traced("s2le"), _traced("s2be")
    s4le, s4be, s8le, s8be = _traced("s4le"), _traced("s4be"), _traced("s8le"), _traced("s8be")
    f4le, f4be, f8le, f8be = _traced("f4le"), _traced("f4be"), _traced("f8le"), _traced("f8be")
    bytes, until = _traced("bytes"), _traced("until")

    def magic(self, name: str, wanted: bytes) -> None:
        """Take the bytes *wanted*, and no others."""
        super().magic(name, wanted)

    def run(self, names: tuple[str, ...], layout: Struct) -> tuple[int, ...]:
        """Take a run of fixed numbers one by one, each a node."""
        order, *letters = layout.format
        return tuple(_BY_LETTER[order + letter](self, name) for name, letter in zip(names, letters, strict=True))

    def bits_be(self, name: str, width: int) -> int:
        """Take *width* bits, the highest of a byte first."""
        return self._bits_node(name, width, Reader.bits_be)

    def bits_le(self, name: str, width: int) -> int:
        """Take *width* bits, the lowest of a byte first."""
        return self._bits_node(name, width, Reader.bits_le)

    def record(self, name: str, read: Callable[[Self], _T]) -> _T:
        """Take one record; the fields it reads become the children of its node."""
        with_node = self._into(name)
        value = super().record(name, read)
        self._out_of(with_node)
        return value
