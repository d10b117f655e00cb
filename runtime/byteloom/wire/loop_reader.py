"""Reading repeated elements: as many as a count says, or up to the end.

- What a loop creates counts towards the limits, above all elements of no bytes, which the size
  of the file does not bound.
- The other rules are those of `byteloom.wire.reader`, which builds on this.
"""

from __future__ import annotations

import gc
from itertools import repeat
from typing import TYPE_CHECKING, Final, Self, TypeVar

from byteloom.errors import FormatError
from byteloom.wire.field_reader import FieldReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["LoopReader"]

_T = TypeVar("_T")

_MANY: Final = 1_000
"""From this many records, a repeated field pauses the cyclic collector: new records have no cycles,
and
walking them again and again costs up to three times what reading them does."""

_MUCH: Final = 16 * _MANY
"""The bytes that this many records may take."""


_ENDLESS: Final = repeat(None)


class LoopReader(FieldReader):
    """A reader of repeated elements, at a position in a window of a buffer."""

    __slots__ = ()

    def records_to_end(
        self, name: str, read: Callable[[Self], _T], into: list[_T] | None = None
    ) -> list[_T]:
        """Take records with *read* until the window ends.

        into  the list to append to, if records refer to those before them
        """
        taken: list[_T] = [] if into is None else into
        keep, spent, end = taken.append, self._spent, self._end
        depth, pause = spent.depth, self._enter(name, 0, end - self._at >= _MUCH)
        try:
            for _ in repeat(None, spent.most - spent.objects + 1):
                at, bits = self._at, self._bits_left
                if at >= end and not bits:
                    break
                keep(read(self))
                if self._at == at and self._bits_left == bits:
                    break
            else:
                raise self.exceeds("", "objects", spent.most + 1)
        except FormatError as error:
            raise error.inside(f"{name}[{len(taken)}]") from error.__cause__
        finally:
            spent.depth = depth
            if pause:
                gc.enable()
        spent.objects += len(taken)
        if spent.objects > spent.most:
            raise self.exceeds(name, "objects", spent.objects)
        if self._at < end or self._bits_left:
            last = f"{name}[{len(taken) - 1}]"
            raise self.invalid(last, self.offset, "an element of 0 bytes", "elements up to the end")
        return taken

    def records(
        self,
        name: str,
        count: int,
        read: Callable[[Self], _T],
        each: int,
        into: list[_T] | None = None,
    ) -> list[_T]:
        """Take *count* records with *read*; each is at least *each* bytes long.

        into  the list to append to, if records refer to those before them
        """
        self.check_count(name, count, each)
        taken: list[_T] = [] if into is None else into
        keep, spent = taken.append, self._spent
        depth = spent.depth
        pause = self._enter(name, count, count >= _MANY)
        try:
            for _ in range(count) if each else self._paid(name, range(count)):
                try:
                    keep(read(self))
                except FormatError as error:
                    raise error.inside(f"{name}[{len(taken)}]") from error.__cause__
        finally:
            spent.depth = depth
            if pause:
                gc.enable()
        return taken

    def times(self, name: str, count: int, each: int) -> Iterator[int]:
        """Yield 0 to *count* - 1, for a loop that takes one element each time."""
        self.check_count(name, count, each)
        outer, pause = self._element, self._enter(name, 0, count >= _MANY)
        depth = self._spent.depth
        try:
            for index in range(count) if each else self._paid(name, range(count)):
                self._element = name, index, depth
                yield index
        finally:
            self._element = outer
            self._leave(pause)

    def to_end(self, name: str) -> Iterator[int]:
        """Yield 0, 1, ... until the window ends, for a loop that takes one element each time."""
        many = self._end - self._at >= _MUCH
        outer, pause = self._element, self._enter(name, 0, many)
        index, depth = 0, self._spent.depth
        try:
            while self._at < self._end or self._bits_left:
                at, bits = self._at, self._bits_left
                self._element = name, index, depth
                yield index
                if self._at == at and self._bits_left == bits:
                    raise self.invalid(
                        name, self.offset, "an element of 0 bytes", "elements up to the end"
                    )
                index += 1
        finally:
            self._element = outer
            self._leave(pause)

    def repeatedly(self, name: str) -> Iterator[int]:
        """Yield 0, 1, ... for a loop that ends by itself; elements of no bytes are bounded."""
        outer, pause = self._element, self._enter(name, 0, many=False)
        index, depth = 0, self._spent.depth
        try:
            while True:
                at, bits = self._at, self._bits_left
                self._element = name, index, depth
                yield index
                index += 1
                if self._at == at and self._bits_left == bits:
                    self._pay(name, index)
        finally:
            self._element = outer
            self._leave(pause)

    def endless(self, name: str) -> Iterable[None]:  # noqa: ARG002  (whoever scans asks for it)
        """Return an endless iterator, for a loop that ends by itself and takes a byte each time."""
        return _ENDLESS

    def _paid(self, name: str, numbers: Iterable[int]) -> Iterator[int]:
        """Yield *numbers*, and account for steps that read no byte."""
        for index in numbers:
            before = self._at, self._bits_left
            yield index
            if before == (self._at, self._bits_left):
                self._pay(name, index + 1)

    # What the methods above share

    def _pay(self, name: str, count: int) -> None:
        """Account for an element of no bytes, the last of *count*."""
        self._spent.empty -= 1
        if self._spent.empty < 0:
            raise self._unpaid(name, f"{count} elements, too many of 0 bytes")

    def _enter(self, name: str, count: int, many: bool) -> bool:  # noqa: FBT001  (see `until`)
        """Account for *count* records, one level deeper; from *many* on, pause the collector.

        returns  whether this call paused it
        """
        spent = self._spent
        spent.objects += count
        if spent.depth >= spent.deepest or spent.objects > spent.most:
            raise self._too_many(name)
        spent.depth += 1
        if many and gc.isenabled():
            gc.disable()
            return True
        return False

    def _leave(self, paused: bool) -> None:  # noqa: FBT001  (what `_enter` returned)
        """Return to the level above, and resume the collector if it was paused here."""
        self._spent.depth -= 1
        if paused:
            gc.enable()
