"""The bytes of one stream while its parts are put to their places, and what is wrong with them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError, LimitExceeded
from byteloom.wire.contradictions import Crowded, Growth, Unequal

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Canvas", "Outcome", "Placed", "between", "too_large"]

_SEQUENCE: Final = "the fields before it"
_UNREAD: Final = "bytes that belong to no field"

_LARGEST_HOLE: Final = 512 << 20
"""The largest gap before a position: a wrong position must not fill the memory."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A part at a position of its own.

    anchored  whether the position is calculated from the size of the stream
    origin    where it was read, and the end of that; None if it is new
    of        the id of the record that has it, and its name
    may_move  whether the field that stores its position may change
    found     whether it has a position already
    """

    name: str
    start: int
    anchored: bool
    origin: tuple[int, int] | None
    data: bytes
    of: tuple[int, str] = (0, "")
    may_move: bool = False
    found: bool = True

    @property
    def end(self) -> int:
        """One past the last byte."""
        return self.start + len(self.data)


@dataclass(slots=True)
class Outcome:
    """The result of a layout: the bytes, their size, and the first error.

    places  the new positions of parts that may move
    moved   whether anything moved
    grown   what needs more bytes than it had
    """

    data: bytes
    size: int
    problem: FormatError | None = None
    places: dict[tuple[int, str], int] = field(default_factory=dict)
    moved: bool = False
    grown: tuple[Growth, ...] = ()

    def wrong(
        self, name: str, found: str, wanted: str, kind: type[FormatError] = FormatError
    ) -> None:
        """Keep the first error."""
        self.problem = self.problem or kind(name, None, found, wanted)

    def problem_in(self, owner: object) -> FormatError | None:
        """Return the first error; it says what grew where that may be its reason."""
        if isinstance(self.problem, Crowded):
            self.problem.owner, self.problem.grown = owner, self.grown
        return self.problem


class Canvas:
    """The bytes of a stream while its parts are placed."""

    def __init__(
        self,
        forward: bytes,
        size: int,
        kept: list[tuple[int, bytes]],
        problem: FormatError | None,
    ) -> None:
        """Begin with *forward*, the fields in sequence; what is *kept* belongs to no field."""
        self._result = Outcome(b"", size, problem)
        self._parts: list[tuple[int, int, str]] = []
        self._end = 0
        self._bytes = bytearray(0 if problem else size)
        if problem is None:
            self._put(_SEQUENCE, 0, forward)
            for at, data in kept:
                self._keep(at, data)

    def place(self, each: Placed) -> bool:
        """Put *each* at its position; return whether it can stay there."""
        if isinstance(self._result.problem, LimitExceeded):
            return True
        problem = self._met(each) if each.start < self._end else None
        if problem is not None:
            if each.may_move:
                return False
            self._result.problem = self._result.problem or problem
        if each.start >= 0:
            self._put(each.name, each.start, each.data)
        return True

    def outcome(self, size: int) -> Outcome:
        """Return the result, truncated or filled up with zeros to *size*."""
        result = self._result
        result.data = bytes(self._bytes)
        if isinstance(result.problem, LimitExceeded) or size == len(result.data):
            return result
        rest = result.data[size:]
        if rest.strip(b"\0") or any(end > size for _, end, name in self._parts if name != _UNREAD):
            result.wrong("", f"{len(result.data)} bytes", f"{size} bytes", Unequal)
        result.data = result.data[:size].ljust(size, b"\0")
        return result

    def _put(self, name: str, at: int, data: bytes) -> None:
        missing = at + len(data) - len(self._bytes)
        if missing > _LARGEST_HOLE:
            self._result.problem = _hole(name, at + len(data))
            return
        if missing > 0:
            self._bytes += bytes(missing)
        self._bytes[at : at + len(data)] = data
        if data:
            self._parts.append((at, at + len(data), name))
            self._end = max(self._end, at + len(data))

    def _keep(self, at: int, data: bytes) -> None:
        """Keep bytes that belong to no field; zeros among them make room if needed."""
        there = [(first, last) for first, last, _ in self._parts]
        for start, end in list(between(at, at + len(data), there)):
            self._put(_UNREAD, start, data[start - at : end - at])
        if self._bytes[at : at + len(data)] != data:
            found = [at + i for i, byte in enumerate(data) if byte and self._bytes[at + i] != byte]
            if found:
                there_is = f"{_SEQUENCE}, up to byte {found[-1]}"
                wanted = f"{_UNREAD} from byte {found[0]} on"
                self._result.wrong("", there_is, wanted, Crowded)

    def _met(self, each: Placed) -> FormatError | None:
        """Return the error that other bytes are at that position already."""
        if each.start < 0:
            return FormatError(each.name, None, f"position {each.start}", "0 or more")
        if self._bytes[each.start : each.end] == each.data:
            return None
        for start, end, name in self._parts:
            first, last = max(start, each.start), min(end, each.end)
            there = self._bytes[first:last]
            differs = there != each.data[first - each.start : last - each.start]
            if first < last and differs and (name != _UNREAD or there.strip(b"\0")):
                found = f"bytes {first} to {last}, where {name} is"
                return Crowded(each.name, None, found, "a place of its own")
        return None


def too_large(forward: bytes, placed: list[Placed], size: int) -> FormatError | None:
    """Return the error for *size* bytes of which far too many would belong to no part."""
    there = len(forward) + sum(len(each.data) for each in placed)
    if size - there <= _LARGEST_HOLE:
        return None
    return _hole(max(placed, key=lambda each: each.end).name if placed else "", size)


def _hole(name: str, size: int) -> FormatError:
    return LimitExceeded(name, None, f"{size} bytes in all", f"at most {_LARGEST_HOLE} unused")


def between(start: int, end: int, taken: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the parts of ``[start, end)`` that are not in *taken*."""
    for first, last in sorted(taken):
        if first > start:
            yield start, min(first, end)
        start = max(start, last)
        if start >= end:
            return
    if start < end:
        yield start, end
