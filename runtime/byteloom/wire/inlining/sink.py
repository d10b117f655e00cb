"""The writer of printed `write` methods: bytes one after another, and nothing placed elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom.wire.field_writer import FieldWriter
from byteloom.wire.inlining.giving_up import GiveUp
from byteloom.wire.streams import Stream
from byteloom.wire.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Sink", "Ways"]

Ways = dict[type, "int | Callable[[Any, Sink], None]"]
"""By type of value: the size of all its records if they have one size, otherwise a function that
writes one.
"""

_NOWHERE: Final = -1


class Sink(FieldWriter):
    """A growing buffer for the records of one stream, and of those inside it.

    A record in a stream of its own is put after the others; what was measured is put as it was.
    """

    __slots__ = ("_end", "_measured")

    element, repeatedly = staticmethod(Writer.element), staticmethod(Writer.repeatedly)

    def __init__(self) -> None:
        """Begin with an empty buffer."""
        super().__init__(Stream())
        self._end = _NOWHERE
        self._measured: dict[int, bytearray] = {}

    def ends(self, name: str) -> None:  # noqa: ARG002  (of the method that this replaces)
        """Forbid to put anything more into the stream after *name*."""
        if self._end == _NOWHERE:
            self._end = len(self._sink)

    def settled(self, name: str, number: int, known: int | None, follows: int, by: str) -> int:  # noqa: ARG002
        """Return *number* if it agrees with *follows*, the value that another field gives it."""
        if number != follows:
            raise GiveUp
        return number

    def length(self, value: Any, ways: Ways) -> int:
        """Return the size of *value*, bytes or a record; the bytes of a record are kept."""
        if isinstance(value, bytes):
            return len(value)
        way = ways[type(value)]
        if getattr(value, "_stream", None) is not None:
            raise GiveUp  # more bytes than its fields
        if isinstance(way, int):
            return way
        found = self._measured.get(id(value))
        if found is None:
            if self._bits_held or self._low_held:
                raise GiveUp
            outer, end, self._sink, self._end = self._sink, self._end, bytearray(), _NOWHERE
            way(value, self)
            self.close()
            found = self._measured[id(value)] = self._sink
            self._sink, self._end = outer, end
        return len(found)

    def close(self) -> None:
        """End a stream: give up if something was put after its end."""
        self.align()
        if self._end not in {_NOWHERE, len(self._sink)} or self._layout.follows:
            raise GiveUp
