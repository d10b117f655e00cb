"""A tracing reader for those who ask where fields are, and not what they are.

It has the nodes of a `TracingReader` with the same places, without values: a run of fields is taken
in one step.
"""

from __future__ import annotations

from functools import lru_cache
from struct import Struct, calcsize
from typing import TYPE_CHECKING, Any

from byteloom.wire.forms import forms
from byteloom.wire.nodes import Node
from byteloom.wire.reader import Reader
from byteloom.wire.trace import TracingReader

if TYPE_CHECKING:
    from byteloom.wire.bits import Bits

__all__ = ["PlacingReader"]


class PlacingReader(TracingReader):
    """A `TracingReader` whose nodes have no values."""

    __slots__ = ()

    NAMES_MEMBERS = False

    def bit_run(self, names: tuple[str, ...], layout: Bits) -> int:
        """Take a run of bits, each of which becomes a node unless it is folded."""
        start = self.offset
        if self.trail.quiet or self._at + layout.size > self._end:
            return super().bit_run(names, layout)
        value = Reader.bit_run(self, names, layout)
        before = 0
        for name, width in zip(names, layout.widths, strict=True):
            after = before + width
            self._put(name, start + before // 8, start + (after + 7) // 8)
            before = after
        return value

    def run_floats(self, names: tuple[str, ...], layout: Struct) -> tuple[Any, ...]:
        """Take a run of fixed numbers, some of them floats of four bytes, likewise."""
        if self.trail.quiet or self._at + layout.size > self._end:
            return super().run_floats(names, layout)
        return self._put_run(names, layout, Reader.run_floats(self, names, layout))

    def _singly(self, names: tuple[str, ...], layout: Struct) -> tuple[Any, ...]:
        if self._at + layout.size > self._end:
            return super()._singly(names, layout)
        return self._put_run(names, layout, Reader.run(self, names, layout))

    def _put_run(
        self, names: tuple[str, ...], layout: Struct, values: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        """Add the nodes of a run that was just taken, and return its *values*."""
        start = self.offset - layout.size
        for name, size in zip(names, _sizes(layout), strict=True):
            self._put(name, start, start + size)
            start += size
        return values

    def _add(
        self,
        name: str,
        start: int,
        value: object,  # noqa: ARG002  (its interface)
        bits: tuple[int, int] | None = None,  # noqa: ARG002
    ) -> None:
        self._put(name, start, self.offset)

    def _put(self, name: str, start: int, end: int) -> None:
        self.trail.add(Node(name=self._named(name), start=start, end=end))


@lru_cache(maxsize=1024)
def _sizes(layout: Struct) -> tuple[int, ...]:
    return tuple(map(calcsize, forms(layout)))
