"""Write a record in passes until its layout settles: sizes, then positions, then bytes.

Most records are written once.  A position that counts from the end of its stream, one that a field
before it has to hold, a part placed in a stream that was complete already: these are known only
after a first pass, and a second pass uses them.  A layout is done when a pass finds what the pass
before it found.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from threading import local
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError, LimitExceeded
from byteloom.wire.reader import Reader
from byteloom.wire.stored import Stored
from byteloom.wire.streams import Placed, Stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.wire.writer import Writable, Writer

__all__ = ["OpenStream", "Pass", "bytes_of", "inner_of", "length_of", "pass_to", "size_of", "touch"]

_MOST: Final = 12
"""Most passes.  Each settles one more stream that depends on another, and files nest only a few."""

_current = local()


@dataclass(slots=True)
class _Found:
    """What a pass found out about one stream."""

    size: int
    late: list[Placed] = field(default_factory=list)


@dataclass(slots=True)
class Pass:
    """One walk over a record: what it goes on with, and what it finds.

    known   by the record that owns a stream, what the pass before found out about it
    places_before  by record and name, where the pass before placed what a field points to
    strict  the layout is settled: what is wrong with it is raised, where it is
    touches  only what was not asked for yet is read, so that it can move where it has to
    asked   whether anything depended on what only a pass before can know
    outdated  a record learned something after bytes were made of it, or may have
    """

    known: dict[int, _Found] = field(default_factory=dict)
    places_before: dict[tuple[int, str], int] = field(default_factory=dict)
    strict: bool = False
    touches: bool = False
    found: dict[int, _Found] = field(default_factory=dict)
    places: dict[tuple[int, str], int] = field(default_factory=dict)
    movable: dict[tuple[int, str], bool] = field(default_factory=dict)
    asked: bool = False
    outdated: bool = False
    problem: FormatError | None = None
    streams: dict[int, OpenStream] = field(default_factory=dict)
    _inner: dict[tuple[int, int | None], bytes] = field(default_factory=dict)
    _streams: list[OpenStream] = field(default_factory=list)
    _held: list[tuple[Any, str, Any]] = field(default_factory=list)

    def whole(self, name: str, value: Writable, size: int | None = None) -> bytes:
        """Return *value* as the bytes of a stream of its own, made once in a pass."""
        key = id(value), size
        if key not in self._inner:
            stream = OpenStream(self, value, size)
            self._streams.append(stream)
            w = stream.writer()
            w.record(name, value)
            try:
                self._inner[key] = stream.finished(w.getvalue())
            except FormatError as error:
                raise error.inside(name) from error.__cause__
        return self._inner[key]

    def hold(self, record: Any, attribute: str, value: object) -> None:
        """Let *record* have *value* until the pass ends."""
        self._held.append((record, attribute, getattr(record, attribute)))
        setattr(record, attribute, value)

    def put_back(self) -> None:
        """Give every record what it had."""
        for record, attribute, value in reversed(self._held):
            setattr(record, attribute, value)

    def learns(self) -> None:
        """Go on with another pass if any record was made bytes of before one learned something."""
        self.outdated |= bool(self._inner)

    def settled(self) -> bool:
        """Whether another pass would find the same."""
        for stream in self._streams:
            self.found[id(stream.owner)] = stream.found()
        for stream in self.streams.values():
            stream.check_begun()
        if self.outdated:
            return False
        return not self.asked or (self.found == self.known and self.places == self.places_before)


def bytes_of(name: str, value: Writable) -> bytes:
    """Return *value*, called *name*, as bytes; or raise, and nothing was written."""
    data, problem = _settled(Pass(), name, value)
    if problem is not None:
        with suppress(FormatError):  # what cannot be read cannot move either
            _written(Pass(touches=True), name, value)
            data, problem = _settled(Pass(), name, value)
    if problem is not None:
        raise problem
    return data


def _settled(this: Pass, name: str, value: Writable) -> tuple[bytes, FormatError | None]:
    """Go on writing until the layout settles; return the bytes, or what is wrong with them."""
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
        this = Pass(known=this.found, places_before=this.places, strict=settled)
    raise FormatError(name, None, "sizes and positions that change each other", "a layout")


def _written(this: Pass, name: str, value: Writable) -> bytes:
    outer, _current.value = getattr(_current, "value", None), this
    try:
        return this.whole(name, value)
    except RecursionError as error:
        raise LimitExceeded(name, None, "records inside records", "fewer levels") from error
    finally:
        _current.value = outer
        this.put_back()


def inner_of(name: str, value: Writable) -> bytes:
    """Return *value* as the bytes of a stream of its own, which one pass makes only once."""
    current: Pass | None = getattr(_current, "value", None)
    return bytes_of(name, value) if current is None else current.whole(name, value)


def size_of(name: str, value: Writable) -> int:
    """Return the bytes that *value* takes in a stream of its own."""
    return len(inner_of(name, value))


def length_of(name: str, value: Writable | bytes) -> int:
    """Return the bytes that *value* takes, a record or bytes as they are."""
    return len(value) if isinstance(value, bytes) else size_of(name, value)


@dataclass(frozen=True, slots=True)
class _Part:
    """What *record* calls *name*, on a writer of its own; *anchored* as `Placed` has it."""

    w: Writer
    name: str
    record: object
    anchored: bool


def touch(record: Any, *names: str) -> None:
    """Read what *record* reads when asked, while it has the stream that it was read from."""
    if isinstance(record._io, Reader):
        for name in names:
            getattr(record, name)


def pass_to(child: Any, /, **fields: object) -> None:
    """Set fields of *child* that follow from the record around it, before both are written."""
    for name, value in fields.items():
        before = getattr(child, name)
        if before is not value and before != value:
            current: Pass | None = getattr(_current, "value", None)
            if current is not None:
                current.learns()
        setattr(child, name, value)


class OpenStream:
    """A stream that is being written, as the writers on it share it."""

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
        """Open the stream of *owner*, *size* bytes where that is given."""
        known = this.known.get(id(owner)) if this.known else None
        base: Reader | None = getattr(owner, "_stream", None)
        before = base.size if base is not None else 0
        self.layout = Stream(base, size, size or (before if known is None else known.size))
        self.owner = owner
        self._pass = this
        # a record that was read, and owns no stream, is written without the rest of the one it has
        self._is_part = base is None and getattr(owner, "_io", self) is not None
        self._size = 0
        self._sized = False
        self._late = [] if known is None else known.late
        self._parts: list[_Part] = []
        self._done: int | None = None

    @property
    def size(self) -> int:
        """The size that the layout goes on with."""
        if self.owner is None:
            raise FormatError(
                "_io.size", None, "a stream being written", "a value that does not need its size"
            )
        if self.layout.size is None:
            self._pass.asked = self._sized = True
        return self.layout.assumed

    def writer(self, at: int = 0) -> Writer:
        """Return a writer on this stream."""
        from byteloom.wire.writer import Writer  # the two know each other

        return Writer(self, at)

    def inner(self, name: str, value: Writable, size: int | None) -> bytes:
        """Return a record as the bytes of a stream inside this one."""
        return self._pass.whole(name, value, size)

    def begin(self, record: Any, w: Writer, lazy: tuple[str, ...]) -> None:
        """Let *record* find *w* as its stream, which has what *record* reads when asked."""
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

    def holds(self, record: Any, attribute: str, value: object) -> None:
        """Let *record* have *value* until the pass ends."""
        self._pass.hold(record, attribute, value)

    def moves(self, record: Any, name: str, hidden: str) -> None:
        """Let *record* say where the pass before placed *name*, or where it is."""
        key = id(record), name
        place = self._pass.places_before.get(key, getattr(record, hidden))
        self._pass.movable[key] = place is not None
        self._pass.hold(record, hidden, place or 0)

    def parked(self, key: object) -> OpenStream:
        """Return the stream of *key*, a record or what it was read from; one to come, mostly."""
        streams = self._pass.streams
        if id(key) not in streams:
            streams[id(key)] = OpenStream(self._pass, key)
        return streams[id(key)]

    def _take_in(self, key: object) -> None:
        """Take in what was placed in the stream of *key* before that was begun."""
        found = self._pass.streams.get(id(key))
        if found is not None and found is not self:
            self._parts += found._parts
            found._parts = []
        self._pass.streams[id(key)] = self

    def at(self, name: str, pos: Callable[[], int], record: object) -> Writer:
        """Return a writer for what *record* has at *pos*."""
        self._sized = False
        start = pos()
        w = self.writer(start)
        if self._done is not None:
            self._pass.asked = True
        self._parts.append(_Part(w, name, record, self._sized))
        return w

    def finished(self, forward: bytes) -> bytes:
        """Return all bytes of the stream, now that its fields were written."""
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
        """Refuse parts of a stream that is not written at all."""
        if self._done is None and self._parts:
            raise FormatError(
                self._parts[0].name, None, "a stream that is not being written", "one that is"
            )

    def found(self) -> _Found:
        """Return what the next pass has to know."""
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
