"""A pass over a record, and the streams that are written in it: fields, and parts placed in them.

`byteloom.wire.passes` writes a record in passes.  Each opens new streams, and hands what it
found for one, its size and its late parts, to the next.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from byteloom.errors import FormatError
from byteloom.wire.contradictions import rooms_given
from byteloom.wire.reader import Reader
from byteloom.wire.stored import Stored
from byteloom.wire.stream_bytes import Placed
from byteloom.wire.stream_layout import StreamLayout

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.wire.number_writer import NumberWriter

__all__ = ["Found", "OpenStream", "Pass", "touch"]


@dataclass(slots=True)
class Found:
    """The results of a pass for one stream."""

    size: int
    late: list[Placed] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Part:
    """The part *name* of *record*, on its own writer; *anchored* as in `Placed`."""

    w: NumberWriter
    name: str
    record: object
    anchored: bool


@dataclass(slots=True)
class Pass:
    """One pass over a record: the results of the pass before, and its own.

    known          the previous pass's results for each stream, by the id of the record that owns it
    places_before  where the previous pass placed the target of each position field, by record and
                   name
    strict         the layout is settled: an error in it is raised where it occurs
    touches        the pass only reads parts that were not accessed yet, so that they can be moved
    measures       only the size is asked for: parts in streams that are not written do not matter
    asked          whether anything depended on results of a previous pass
    assumes_size   whether a size was asked for that only this pass finds out: it is 0 until then
    outdated       a record changed, or may have, after bytes were made from it
    """

    known: dict[int, Found] = field(default_factory=dict)
    places_before: dict[tuple[int, str], int] = field(default_factory=dict)
    strict: bool = False
    touches: bool = False
    measures: bool = False
    found: dict[int, Found] = field(default_factory=dict)
    places: dict[tuple[int, str], int] = field(default_factory=dict)
    movable: dict[tuple[int, str], bool] = field(default_factory=dict)
    asked: bool = False
    assumes_size: bool = False
    outdated: bool = False
    problem: FormatError | None = None
    streams: dict[int, OpenStream] = field(default_factory=dict)
    inner: dict[tuple[int, int | None], bytes] = field(default_factory=dict)
    begun: set[tuple[int, int | None]] = field(default_factory=set)
    opened: list[OpenStream] = field(default_factory=list)
    _held: list[tuple[Any, str, Any]] = field(default_factory=list)

    def postpones(self, error: FormatError) -> bool:
        """Whether *error* need not be raised, since another pass has to look anyway."""
        if self.assumes_size and not self.strict:
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

    def note_change(self) -> None:
        """Note that a record changed: bytes that were made before are outdated."""
        self.outdated |= bool(self.inner)

    def settled(self) -> bool:
        """Whether another pass would have the same results."""
        if self.asked or self.outdated or self.problem is not None:
            for stream in self.opened:
                self.found[id(stream.owner)] = stream.found()
        for stream in () if self.measures else self.streams.values():
            stream.check_begun()
        if self.outdated:
            return False
        return not self.asked or (self.found == self.known and self.places == self.places_before)


def touch(record: Any, *names: str) -> None:
    """Read the parts that *record* reads on demand, while it has the stream it was read from."""
    if isinstance(record._io, Reader):
        for name in names:
            getattr(record, name)


class OpenStream:
    """A stream being written, shared by the writers on it."""

    __slots__ = (
        "_done",
        "_is_part",
        "_late",
        "_parts",
        "_size",
        "_sized",
        "_writers",
        "layout",
        "owner",
        "this",
    )

    def __init__(self, this: Pass, owner: Any = None, size: int | None = None) -> None:
        """Open the stream of *owner*; its size is *size* bytes, unless that is None."""
        known = this.known.get(id(owner)) if this.known else None
        base: Reader | None = getattr(owner, "_stream", None)
        before = base.size if base is not None else 0
        assumed = size or (before if known is None else known.size)
        self.layout = StreamLayout(base, size, assumed, rooms_given().get(id(owner)))
        self.owner = owner
        self.this = this
        # a record that was read, but owns no stream, is written without the rest of its stream
        self._is_part = base is None and getattr(owner, "_io", self) is not None
        self._size = 0
        self._sized = False
        self._late = [] if known is None else known.late
        self._parts: list[_Part] = []
        self._writers: list[NumberWriter] = []
        self._done: int | None = None

    @property
    def size(self) -> int:
        """The size of the stream, as the previous pass found it."""
        if self.owner is None:
            raise FormatError(
                "_io.size", None, "a stream being written", "a value that does not need its size"
            )
        if self.layout.size is None:
            self.this.asked = self._sized = True
        return self.layout.assumed

    def begin(self, record: Any, w: NumberWriter, lazy: tuple[str, ...]) -> None:
        """Make *w* the stream of *record*, with the parts that *record* reads on demand."""
        stream = record._io
        if self.this.touches:
            touch(record, *lazy)
            return
        if isinstance(stream, Reader):
            if not self._is_part and not stream.is_on(self.layout.base):
                touch(record, *lazy)
            self._take_in(stream)
        self._take_in(record)
        self.this.hold(record, "_io", w)

    def postpones(self, error: FormatError) -> bool:
        """Whether *error* need not be raised in this pass."""
        return self.this.postpones(error)

    def holds(self, record: Any, attribute: str, value: object) -> None:
        """Set *attribute* of *record* to *value* until the pass ends."""
        self.this.hold(record, attribute, value)

    def moves(self, record: Any, name: str, hidden: str) -> None:
        """Set the position of part *name* to where the previous pass placed it, or where it is."""
        key = id(record), name
        place = self.this.places_before.get(key, getattr(record, hidden))
        self.this.movable[key] = place is not None
        self.this.hold(record, hidden, place or 0)

    def parked(self, key: object) -> OpenStream:
        """Return the stream of *key*, a record or its reader; often it is not begun yet."""
        streams = self.this.streams
        if id(key) not in streams:
            streams[id(key)] = OpenStream(self.this, key)
        return streams[id(key)]

    def _take_in(self, key: object) -> None:
        """Add the parts that were placed in the stream of *key* before it was begun."""
        found = self.this.streams.get(id(key))
        if found is not None and found is not self:
            self._parts += found._parts
            found._parts = []
        self.this.streams[id(key)] = self

    def position(self, pos: Callable[[], int]) -> tuple[int, bool]:
        """Return the result of *pos*, and whether it depends on the size of this stream."""
        self._sized = False
        return pos(), self._sized

    def add(self, w: NumberWriter, name: str, record: object, *, anchored: bool) -> None:
        """Add the part *name* of *record*, which *w* will write; *anchored* as in `Placed`."""
        if self._done is not None:
            self.this.asked = True
        self._parts.append(_Part(w, name, record, anchored))
        self._writers.append(w)

    def finished(self, w: NumberWriter) -> bytes:
        """Return all bytes of the stream, after *w* has put its fields."""
        forward = w.getvalue()
        for each in (w, *self._writers):
            self.layout.ends += each.ended()
            self.layout.follows += each.followed()
        if not self._parts and not self._late and self.layout.is_plain(forward):
            self._done, self._size = 0, len(forward)
            return forward
        outcome = self.layout.laid_out(forward, [*self._placed(0), *self._late])
        self._done, self._size = len(self._parts), outcome.size
        self.this.places |= outcome.places
        self.this.asked |= outcome.moved
        problem = outcome.problem_in(self.owner)
        if problem is not None:
            if self.this.strict:
                raise problem
            self.this.problem = problem
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
            hint = self.this.movable.get(key)
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
