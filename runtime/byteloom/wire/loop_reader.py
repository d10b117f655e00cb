"""Taking elements over and over: as many as a count says, or as there are.

- What a loop makes is accounted for, elements of no bytes above all: nothing pays for them.
- The other rules are those of `byteloom.wire.reader`, which builds on this.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from itertools import count as count_from
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


class LoopReader(FieldReader):
    """A place in a window of a buffer, from which fields are taken again and again."""

    __slots__ = ()

    def records_to_end(self, name: str, read: Callable[[Self], _T]) -> list[_T]:
        """Take records with *read* until the window ends."""
        taken: list[_T] = []
        allowed = self.limits.objects - self._spent.objects
        with self._deeper(name, 0, many=self.left >= _MUCH):
            try:
                before = -1, 0
                while not self.eof and before != (self._at, self._bits_left):
                    before = self._at, self._bits_left
                    taken.append(read(self))
                    if len(taken) > allowed:
                        raise self.exceeds("", "objects", self.limits.objects + 1)
            except FormatError as error:
                raise error.inside(f"{name}[{len(taken)}]") from error.__cause__
        self._spent.objects += len(taken)
        if self._spent.objects > self.limits.objects:
            raise self.exceeds(name, "objects", self._spent.objects)
        if not self.eof:
            last = f"{name}[{len(taken) - 1}]"
            raise self.invalid(last, self.offset, "an element of 0 bytes", "elements up to the end")
        return taken

    def records(self, name: str, count: int, read: Callable[[Self], _T], *, each: int) -> list[_T]:
        """Take *count* records with *read*; each is at least *each* bytes long."""
        self.check_count(name, count, each)
        taken: list[_T] = []
        keep = taken.append
        with self._deeper(name, count):
            for _ in range(count) if each else self._paid(name, range(count)):
                try:
                    keep(read(self))
                except FormatError as error:
                    raise error.inside(f"{name}[{len(taken)}]") from error.__cause__
        return taken

    def times(self, name: str, count: int, *, each: int) -> Iterator[int]:
        """Yield 0 to *count* - 1, for a loop that takes one element each time."""
        self.check_count(name, count, each)
        with self._deeper(name, 0, many=count >= _MANY):
            numbers = range(count)
            yield from self._numbered(name, numbers if each else self._paid(name, numbers))

    def to_end(self, name: str) -> Iterator[int]:
        """Yield 0, 1, ... until the window ends, for a loop that takes one element each time."""
        with self._deeper(name, 0, many=self.left >= _MUCH):
            for index in self._numbered(name, count_from()):
                if self.eof:
                    return
                before = self._at, self._bits_left
                yield index
                if before == (self._at, self._bits_left):
                    raise self.invalid(
                        name, self.offset, "an element of 0 bytes", "elements up to the end"
                    )

    def repeatedly(self, name: str) -> Iterator[int]:
        """Yield 0, 1, ..., for a loop that ends itself; elements of no bytes are bounded."""
        with self._deeper(name, 0):
            yield from self._numbered(name, self._paid(name, count_from()))

    def _paid(self, name: str, numbers: Iterable[int]) -> Iterator[int]:
        """Pass *numbers* on, and account for those that nothing was read for."""
        spent = self._spent
        for index in numbers:
            before = self._at, self._bits_left
            yield index
            if before == (self._at, self._bits_left):
                spent.empty -= 1
                if spent.empty < 0:
                    raise self._unpaid(name, f"{index + 1} elements, too many of 0 bytes")

    def _numbered(self, name: str, numbers: Iterable[int]) -> Iterator[int]:
        outer = self._element
        try:
            for index in numbers:
                self._element = name, index
                yield index
        finally:
            self._element = outer

    # What the methods above share

    @contextmanager
    def _deeper(self, name: str, count: int, *, many: bool = False) -> Iterator[None]:
        """Account for *count* records one level down; *many* of them pause the collector."""
        spent = self._spent
        spent.objects += count
        if spent.depth >= self.limits.nesting:
            raise self.exceeds(name, "nesting", spent.depth + 1)
        if spent.objects > self.limits.objects:
            raise self.exceeds(name, "objects", spent.objects)
        spent.depth += 1
        pause = (many or count >= _MANY) and gc.isenabled()
        if pause:
            gc.disable()
        try:
            yield
        finally:
            spent.depth -= 1
            if pause:
                gc.enable()
