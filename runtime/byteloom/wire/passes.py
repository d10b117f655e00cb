"""Write a record in passes until its layout settles: sizes, then positions, then bytes.

Most records are written in one pass.  Some values are known only after a first pass: a position
that counts from the end of its stream, one that an earlier field stores, a part placed in a stream
that was complete already.  A second pass uses them.  The layout is settled when a pass finds the
same as the pass before.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError, LimitExceeded
from byteloom.wire.inlining.writing import may_be_inlined, note_written, write_inlined
from byteloom.wire.passing import WRITING, measuring
from byteloom.wire.reader import Reader
from byteloom.wire.stored import Stored
from byteloom.wire.streams import Placed, Stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.wire.writer import Writable, Writer

__all__ = [
    "OpenStream", "Pass", "bytes_of", "inlined_bytes_of", "inner_of", "length_of", "size_of",
    "touch",
]  # fmt: skip

_MOST: Final = 12
"""The most passes.  Each settles one more stream that depends on another; files nest only a few."""


@dataclass(slots=True)
class _Found:
    """The results of a pass for one stream."""

    size: int
    late: list[Placed] = field(default_factory=list)


@dataclass(slots=True)
class Pass:
    """One pass over a record: the results of the pass before, and its own.

    known   the previous pass's results for each stream, by the id of the record that owns it
    places_before  where the previous pass placed the target of each position field, by record and
                   name
    strict  the layout is settled: an error in it is raised where it occurs
    touches  the pass only reads parts that were not accessed yet, so that they can be moved
    measures  only the size is asked for: parts in streams that are not written do not matter
    asked   whether anything depended on results of a previous pass
    guesses  whether a size was asked for that only this pass finds out: it is 0 until then
    outdated  a record changed, or may have, after bytes were made from it
    """

    known: dict[int, _Found] = field(default_factory=dict)
    places_before: dict[tuple[int, str], int] = field(default_factory=dict)
    strict: bool = False
    touches: bool = False
    measures: bool = False
    found: dict[int, _Found] = field(default_factory=dict)
    places: dict[tuple[int, str], int] = field(default_factory=dict)
    movable: dict[tuple[int, str], bool] = field(default_factory=dict)
    asked: bool = False
    guesses: bool = False
    outdated: bool = False
    problem: FormatError | None = None
    streams: dict[int, OpenStream] = field(default_factory=dict)
    _inner: dict[tuple[int, int | None], bytes] = field(default_factory=dict)
    _begun: set[tuple[int, int | None]] = field(default_factory=set)
    _inlining: set[tuple[int, int | None]] = field(default_factory=set)
    _streams: list[OpenStream] = field(default_factory=list)
    _held: list[tuple[Any, str, Any]] = field(default_factory=list)

    def whole(self, name: str, value: Writable, size: int | None = None) -> bytes:
        """Return *value* as the bytes of its own stream, which is written once in a pass."""
        key = id(value), size
        if key not in self._inner:
            data = None if self.touches else self._inlined(key, value)
            if data is None or size not in {None, len(data)}:
                data = self._whole(name, value, size)
                note_written(type(value), len(data))
            self._inner[key] = data
        return self._inner[key]

    def _inlined(self, key: tuple[int, int | None], value: Writable) -> bytes | None:
        self._inlining.add(key)
        data = write_inlined(value)
        self._inlining.discard(key)
        return data

    def _whole(self, name: str, value: Writable, size: int | None) -> bytes:
        stream = OpenStream(self, value, size)
        self._streams.append(stream)
        self._begun.add((id(value), size))
        w = stream.writer()
        w.record(name, value)
        try:
            return stream.finished(w.getvalue())
        except FormatError as error:
            raise error.inside(name) from error.__cause__

    def size_of(self, name: str, value: Writable) -> int:
        """Return the size of *value* in a stream of its own.

        What is inside it may depend on that size: then it is what the previous pass found.
        """
        key = id(value), None
        if key in self._inlining:
            raise FormatError(name, None, "a size that depends on itself", "another one")
        if key in self._begun and key not in self._inner:
            self.asked = True
            known = self.known.get(id(value))
            self.guesses |= known is None
            return 0 if known is None else known.size
        return len(self.whole(name, value))

    def postpones(self, error: FormatError) -> bool:
        """Whether *error* need not be raised, since another pass has to look anyway."""
        if self.guesses and not self.strict:
            self.problem = self.problem or error
            return True
        return False

    def hold(self, record: Any, attribute: str, value: object) -> None:
        """Set *attribute* of *record* to *value* until the pass ends."""
        self._held.append((record, attribute, getattr(record, attribute)))
        setattr(record, attribute, value)

    def put_back(self) -> None:
        """Restore the attributes of all records."""
        for record, attribute, value in reversed(self._held):
            setattr(record, attribute, value)

    def learns(self) -> None:
        """Go on with another pass if any record was made bytes of before one learned something."""
        self.outdated |= bool(self._inner)

    def settled(self) -> bool:
        """Whether another pass would have the same results."""
        if self.asked or self.outdated or self.problem is not None:
            for stream in self._streams:
                self.found[id(stream.owner)] = stream.found()
        for stream in () if self.measures else self.streams.values():
            stream.check_begun()
        if self.outdated:
            return False
        return not self.asked or (self.found == self.known and self.places == self.places_before)


def bytes_of(name: str, value: Writable, *, measures: bool = False) -> bytes:
    """Return the bytes of *value*, called *name*; on an error nothing is written.

    measures  only their number is asked for
    """
    data, problem = _settled(Pass(measures=measures), name, value)
    if problem is not None:
        with suppress(FormatError):  # a part that cannot be read cannot be moved either
            _written(Pass(touches=True), name, value)
            data, problem = _settled(Pass(measures=measures), name, value)
    if problem is not None:
        raise problem
    return data


def inlined_bytes_of(value: Writable) -> bytes | None:
    """Return the bytes of *value*; None if that is left to `bytes_of`, and to checks after it."""
    if not may_be_inlined(type(value)):
        return None
    outer, this = WRITING.current, Pass()
    WRITING.current = this
    try:
        with measuring() as replaced:
            data = write_inlined(value)
            is_unusual = replaced or this.asked or this.outdated or this.problem or this.streams
            return None if is_unusual else data
    finally:
        WRITING.current = outer
        this.put_back()


def _settled(this: Pass, name: str, value: Writable) -> tuple[bytes, FormatError | None]:
    """Write until the layout settles; return the bytes, or the error."""
    for _ in range(_MOST):
        try:
            data = _written(this, name, value)
        except FormatError as error:
            if this.strict:
                return b"", error
            raise
        settled = this.settled()
        if settled and this.problem is None:
            return data, None
        this = Pass(this.found, this.places, strict=settled, measures=this.measures)
    raise FormatError(
        name, None, "sizes and positions that change each other", "a layout that settles"
    )


def _written(this: Pass, name: str, value: Writable) -> bytes:
    outer, WRITING.current = WRITING.current, this
    try:
        return this.whole(name, value)
    except RecursionError as error:
        raise LimitExceeded(name, None, "records inside records", "fewer levels") from error
    finally:
        WRITING.current = outer
        this.put_back()


def inner_of(name: str, value: Writable) -> bytes:
    """Return *value* as the bytes of its own stream, which is written once in a pass."""
    if WRITING.current is not None:
        return WRITING.current.whole(name, value)
    with measuring():
        return bytes_of(name, value)


def size_of(name: str, value: Writable) -> int:
    """Return the size of *value* in a stream of its own."""
    if WRITING.current is not None:
        return WRITING.current.size_of(name, value)
    with measuring():
        return len(bytes_of(name, value, measures=True))


def length_of(name: str, value: Writable | bytes) -> int:
    """Return the size of *value*, a record or bytes."""
    return len(value) if isinstance(value, bytes) else size_of(name, value)


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
        self.layout = Stream(base, size, size or (before if known is None else known.size))
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
        if outcome.problem is not None:
            if self._pass.strict:
                raise outcome.problem
            self._pass.problem = outcome.problem
        base = self.layout.base
        before = base.source() if base is not None else None
        return before if isinstance(before, Stored) and before == outcome.data else outcome.data

    def check_begun(self) -> None:
        """Refuse parts in a stream that is never written."""
        if self._done is None and self._parts:
            raise FormatError(
                self._parts[0].name, None, "a stream that is not being written", "one that is"
            )

    def found(self) -> _Found:
        """Return the results for the next pass."""
        return _Found(self._size, self._placed(self._done or 0))

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
                    key=None if hint is None else key,
                    found=hint is not False,
                )
            )
        return placed
