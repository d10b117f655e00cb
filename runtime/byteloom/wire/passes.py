"""Write a record in passes until its layout settles: sizes, then positions, then bytes.

Most records are written in one pass.  Some values are known only after a first pass: a position
that counts from the end of its stream, one that an earlier field stores, a part placed in a stream
that was complete already.  A second pass uses them.  The layout is settled when a pass finds the
same as the pass before.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError, LimitExceeded
from byteloom.wire.inlining.writing import may_be_inlined, note_written, write_inlined
from byteloom.wire.open_stream import Found, OpenStream
from byteloom.wire.passing import WRITING, measuring

if TYPE_CHECKING:
    from byteloom.wire.writer import Writable

__all__ = [
    "Pass", "bytes_of", "inlined_bytes_of", "inner_of", "length_of", "size_of",
]  # fmt: skip

_MOST: Final = 12
"""The most passes.  Each settles one more stream that depends on another; files nest only a few."""


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
    assumes_size  whether a size was asked for that only this pass finds out: it is 0 until then
    outdated  a record changed, or may have, after bytes were made from it
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
            raise FormatError(name, None, "a size that depends on itself", "a size that does not")
        if key in self._begun and key not in self._inner:
            self.asked = True
            known = self.known.get(id(value))
            self.assumes_size |= known is None
            return 0 if known is None else known.size
        return len(self.whole(name, value))

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
