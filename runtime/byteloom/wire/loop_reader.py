"""Taking elements over and over: as many as a count says, or as there are.

- What a loop creates counts towards the limits, above all elements of no bytes, for which the size
  of the file is no bound.
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
"""From here on a repeated field pauses the cyclic collector: new records hold no cycles, and
walking them again and again costs up to three times what reading them does."""

_MUCH: Final = 16 * _MANY
"""Bytes that may hold so many."""


_ENDLESS: Final = repeat(None)


class LoopReader(FieldReader):
    """A place in a window of a buffer, from which fields are taken again and again."""

    __slots__ = ()

    def records_to_end(
        self, name: str, read: Callable[[Self], _T], into: list[_T] | None = None
    ) -> list[_T]:
        """Take records with *read* until the window ends.

        into  the list that they are appended to, where they see those before them
        """
        taken = list[_T]() if into is None else into
        keep, allowed = taken.append, self.limits.objects - self._spent.objects
        pause = self._enter(name, 0, many=self._end - self._at >= _MUCH)
        at, bits = -1, 0
        try:
            while self._at < self._end or self._bits_left:
                if self._at == at and self._bits_left == bits:
                    break
                at, bits = self._at, self._bits_left
                keep(read(self))
                if len(taken) > allowed:
                    raise self.exceeds("", "objects", self.limits.objects + 1)
        except FormatError as error:
            raise error.inside(f"{name}[{len(taken)}]") from error.__cause__
        finally:
            self._leave(pause)
        self._spent.objects += len(taken)
        if self._spent.objects > self.limits.objects:
            raise self.exceeds(name, "objects", self._spent.objects)
        if not self.eof:
            last = f"{name}[{len(taken) - 1}]"
            raise self.invalid(last, self.offset, "an element of 0 bytes", "elements up to the end")
        return taken

    def records(
        self,
        name: str,
        count: int,
        read: Callable[[Self], _T],
        *,
        each: int,
        into: list[_T] | None = None,
    ) -> list[_T]:
        """Take *count* records with *read*; each is at least *each* bytes long."""
        self.check_count(name, count, each)
        taken = list[_T]() if into is None else into
        keep = taken.append
        pause = self._enter(name, count, many=count >= _MANY)
        try:
            for _ in range(count) if each else self._paid(name, range(count)):
                try:
                    keep(read(self))
                except FormatError as error:
                    raise error.inside(f"{name}[{len(taken)}]") from error.__cause__
        finally:
            self._leave(pause)
        return taken

    def times(self, name: str, count: int, *, each: int) -> Iterator[int]:
        """Yield 0 to *count* - 1, for a loop that takes one element each time."""
        self.check_count(name, count, each)
        outer, pause = self._element, self._enter(name, 0, many=count >= _MANY)
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
        outer, pause = self._element, self._enter(name, 0, many=many)
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
        """Yield 0, 1, ..., for a loop that ends itself; elements of no bytes are bounded."""
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
        """Return what a loop runs through that ends itself, and takes a byte each time."""
        return _ENDLESS

    def _paid(self, name: str, numbers: Iterable[int]) -> Iterator[int]:
        """Yield *numbers*, and account for those for which no byte was read."""
        for index in numbers:
            before = self._at, self._bits_left
            yield index
            if before == (self._at, self._bits_left):
                self._pay(name, index + 1)

    # What the methods above share

    def _pay(self, name: str, count: int) -> None:
        """Account for the last of *count* elements, which took no bytes."""
        self._spent.empty -= 1
        if self._spent.empty < 0:
            raise self._unpaid(name, f"{count} elements, too many of 0 bytes")

    def _enter(self, name: str, count: int, *, many: bool) -> bool:
        """Account for *count* records one level down; *many* of them pause the collector.

        returns  whether it was paused here
        """
        spent = self._spent
        spent.objects += count
        if spent.depth >= self.limits.nesting:
            raise self.exceeds(name, "nesting", spent.depth + 1)
        if spent.objects > self.limits.objects:
            raise self.exceeds(name, "objects", spent.objects)
        spent.depth += 1
        if many and gc.isenabled():
            gc.disable()
            return True
        return False

    def _leave(self, paused: bool) -> None:  # noqa: FBT001  (what `_enter` returned)
        """Go up again."""
        self._spent.depth -= 1
        if paused:
            gc.enable()
