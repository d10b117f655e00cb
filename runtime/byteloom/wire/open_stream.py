"""A stream that is being written in a pass: its fields, and the parts placed in it.

`byteloom.wire.passes` writes a record in passes.  Each opens the streams anew, and hands what it
found for one, its size and its late parts, to the next.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from byteloom.errors import FormatError
from byteloom.wire.passing import WRITING
from byteloom.wire.reader import Reader
from byteloom.wire.stored import Stored
from byteloom.wire.streams import Placed, Stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.wire.passes import Pass
    from byteloom.wire.writer import Writable, Writer

__all__ = ["Found", "OpenStream", "touch"]


@dataclass(slots=True)
class Found:
    """The results of a pass for one stream."""

    size: int
    late: list[Placed] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Part:
    """The part *name* of *record*, on its own writer; *anchored* as in `Placed`."""

    w: Writer
    name: str
    record: object
    anchored: bool


def touch(record: Any, *names: str) -> None:
    """Read the parts that *record* reads on demand, while it has the stream it was read from."""
    if isinstance(record._io, Reader):
        for name in names:
            getattr(record, name)


@cache
def _writer_class() -> type[Writer]:
    from byteloom.wire.writer import Writer  # the two modules import each other

    return Writer


class OpenStream:
    """A stream being written, shared by the writers on it."""

    __slots__ = (
        "_done",
        "_is_part",
        "_late",
        "_parts",
        "_pass",
        "_size",
        "_sized",
        "layout",
        "owner",
    )

    def __init__(self, this: Pass, owner: Any = None, size: int | None = None) -> None:
        """Open the stream of *owner*; its size is *size* bytes, unless that is None."""
        known = this.known.get(id(owner)) if this.known else None
        base: Reader | None = getattr(owner, "_stream", None)
        before = base.size if base is not None else 0
        assumed = size or (before if known is None else known.size)
        self.layout = Stream(base, size, assumed, WRITING.rooms.get(id(owner)))
        self.owner = owner
        self._pass = this
        # a record that was read, but owns no stream, is written without the rest of its stream
        self._is_part = base is None and getattr(owner, "_io", self) is not None
        self._size = 0
        self._sized = False
        self._late = [] if known is None else known.late
        self._parts: list[_Part] = []
        self._done: int | None = None

    @property
    def size(self) -> int:
        """The size of the stream, as the previous pass found it."""
        if self.owner is None:
            raise FormatError(
                "_io.size", None, "a stream being written", "a value that does not need its size"
            )
        if self.layout.size is None:
            self._pass.asked = self._sized = True
        return self.layout.assumed

    def writer(self, at: int = 0) -> Writer:
        """Return a writer on this stream."""
        return _writer_class()(self, at)

    def inner(self, name: str, value: Writable, size: int | None) -> bytes:
        """Return a record as the bytes of a stream inside this one."""
        return self._pass.whole(name, value, size)

    def begin(self, record: Any, w: Writer, lazy: tuple[str, ...]) -> None:
        """Make *w* the stream of *record*, with the parts that *record* reads on demand."""
        stream = record._io
        if self._pass.touches:
            touch(record, *lazy)
            return
        if isinstance(stream, Reader):
            if not self._is_part and not stream.is_on(self.layout.base):
                touch(record, *lazy)
            self._take_in(stream)
        self._take_in(record)
        self._pass.hold(record, "_io", w)

    def postpones(self, error: FormatError) -> bool:
        """Whether *error* need not be raised in this pass."""
        return self._pass.postpones(error)

    def holds(self, record: Any, attribute: str, value: object) -> None:
        """Set *attribute* of *record* to *value* until the pass ends."""
        self._pass.hold(record, attribute, value)

    def moves(self, record: Any, name: str, hidden: str) -> None:
        """Set the position of part *name* to where the previous pass placed it, or where it is."""
        key = id(record), name
        place = self._pass.places_before.get(key, getattr(record, hidden))
        self._pass.movable[key] = place is not None
        self._pass.hold(record, hidden, place or 0)

    def parked(self, key: object) -> OpenStream:
        """Return the stream of *key*, a record or its reader; often it is not begun yet."""
        streams = self._pass.streams
        if id(key) not in streams:
            streams[id(key)] = OpenStream(self._pass, key)
        return streams[id(key)]

    def _take_in(self, key: object) -> None:
        """Add the parts that were placed in the stream of *key* before it was begun."""
        found = self._pass.streams.get(id(key))
        if found is not None and found is not self:
            self._parts += found._parts
            found._parts = []
        self._pass.streams[id(key)] = self

    def at(self, name: str, pos: Callable[[], int], record: object) -> Writer:
        """Return a writer for the part of *record* at *pos*."""
        self._sized = False
        start = pos()
        w = self.writer(start)
        if self._done is not None:
            self._pass.asked = True
        self._parts.append(_Part(w, name, record, self._sized))
        return w

    def finished(self, forward: bytes) -> bytes:
        """Return all bytes of the stream, after its fields were written."""
        if not self._parts and not self._late and self.layout.is_plain(forward):
            self._done, self._size = 0, len(forward)
            return forward
        outcome = self.layout.laid_out(forward, [*self._placed(0), *self._late])
        self._done, self._size = len(self._parts), outcome.size
        self._pass.places |= outcome.places
        self._pass.asked |= outcome.moved
        problem = outcome.problem_in(self.owner)
        if problem is not None:
            if self._pass.strict:
                raise problem
            self._pass.problem = problem
        base = self.layout.base
        before = base.source() if base is not None else None
        return before if isinstance(before, Stored) and before == outcome.data else outcome.data

    def check_begun(self) -> None:
        """Refuse parts in a stream that is never written."""
        if self._done is None and self._parts:
            raise FormatError(
                self._parts[0].name,
                None,
                "a stream that is not being written",
                "a stream that is being written",
            )

    def found(self) -> Found:
        """Return the results for the next pass."""
        return Found(self._size, self._placed(self._done or 0))

    def _placed(self, first: int) -> list[Placed]:
        if self._is_part:
            return []
        base, placed = self.layout.base, []
        for part in self._parts[first:]:
            origin = None
            if base is not None:
                origin = base.taken(part.record, part.name)
                part.w.fill(base.written()[part.w.pos : part.w.pos + 1])
            data = part.w.getvalue()
            key = id(part.record), part.name
            hint = self._pass.movable.get(key)
            placed.append(
                Placed(
                    part.name,
                    part.w.start,
                    part.anchored,
                    origin,
                    data,
                    key,
                    may_move=hint is not None,
                    found=hint is not False,
                )
            )
        return placed
