"""The nodes of a report: one for each field and record, with its place and its value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.errors import ByteloomError

__all__ = ["Node"]


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
