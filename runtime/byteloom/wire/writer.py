"""Putting fields into bytes: the mirror image of `byteloom.wire.reader`.

A value that does not fit its field is refused, with the field's path, before anything leaves the
writer: output goes to memory, and callers get all bytes or an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from byteloom.errors import FormatError, LimitExceeded, count_of_elements
from byteloom.limits import DEFAULT_LIMITS
from byteloom.wire.contradictions import Unequal, found_in
from byteloom.wire.field_writer import FieldWriter
from byteloom.wire.number_writer import NOWHERE
from byteloom.wire.open_stream import OpenStream, Pass
from byteloom.wire.value_types import MISFITS, misfit, refuse_stranger

if TYPE_CHECKING:
    import builtins
    from collections.abc import Callable, Iterator, Sequence

    from byteloom.wire.window import Stream

__all__ = ["Writable", "Writer", "size_in", "whole"]

_T = TypeVar("_T")


class Writable(Protocol):
    """A record, or any other object that can write itself."""

    def write(self, w: Writer, /) -> None:
        """Write this object to *w*."""


class Writer(FieldWriter):
    """A growing buffer, in a stream that may also get bytes at other positions.

    One that you make yourself only grows.  `byteloom.wire.passes` makes writers that know their
    stream: its size, and the parts placed in it.
    """

    __slots__ = ("_made", "_open")

    def __init__(self, stream: OpenStream | None = None, base: int = 0) -> None:
        """Begin empty, at the position *base* of *stream*."""
        self._open = OpenStream(Pass()) if stream is None else stream
        self._made: dict[int, bytearray] = {}
        super().__init__(base)

    @property
    def size(self) -> int:
        """The size of the whole stream, as the previous pass found it."""
        return self._open.size

    @property
    def eof(self) -> bool:
        """Whether the stream is at its end; always true while writing."""
        return True

    # Records

    def record(self, name: str, value: Any, kind: type = object) -> None:
        """Put one record, which must be of this *kind*; an error inside it begins with *name*."""
        if type(value) is not kind and not isinstance(value, kind):
            refuse_stranger(name, value, kind)
        try:
            value.write(self)
        except FormatError as error:
            found_in(error, value)
            raise error.inside(name) from error.__cause__
        except MISFITS as error:
            raise misfit(name, value, error) from error

    def records(self, name: str, values: Sequence[Any], kind: type = object) -> None:
        """Put records of one *kind* one after another."""
        value = None  # the error is about no single record
        try:
            for value in values:
                if type(value) is not kind and value is not None and not isinstance(value, kind):
                    refuse_stranger("", value, kind)
                value.write(self)
        except (FormatError, *MISFITS) as error:
            if value is None:
                raise
            index = next(number for number, each in enumerate(values) if each is value)
            if not isinstance(error, FormatError):
                raise misfit(f"{name}[{index}]", value, error) from error
            found_in(error, value)
            raise error.inside(f"{name}[{index}]") from error.__cause__

    @staticmethod
    def element(name: str, values: Sequence[_T], number: int) -> _T:
        """Return the element *number* of *values*; an error if there is none."""
        if number >= len(values):
            raise FormatError(name, None, count_of_elements(len(values)), "more")
        return values[number]

    @staticmethod
    def repeatedly(name: str) -> Iterator[int]:
        """Yield 0, 1, ... for a loop that ends by itself."""
        most = DEFAULT_LIMITS.empty_elements
        yield from range(most)
        raise LimitExceeded(name, None, f"{most} elements without an end", "fewer")

    def within(
        self, name: str, value: Any, kind: type = object, size: int | None = None, by: str = ""
    ) -> None:
        """Put one record, of this *kind*, in a stream of its own that it does not ask for.

        It is put right here, unless the stream has other bytes than those of its fields.

        size  the bytes that the stream has; None for as many as the fields take
        by    the field that gives the size, for the error
        """
        if type(value) is not kind and not isinstance(value, kind):
            refuse_stranger(name, value, kind)
        made = self._made.pop(id(value), None) if self._made else None
        if made is not None and size is None:
            self.out += made
            return
        start = len(self.out)
        if not self._puts(name, value) or size not in {None, len(self.out) - start}:
            del self.out[start:]
            self.window(name, value, kind, size, by)

    def size_of(self, name: str, value: Writable | builtins.bytes) -> int:
        """Return the size of *value*, bytes or a record that `within` puts next."""
        if isinstance(value, bytes):
            return len(value)
        made = self._made.get(id(value))
        if made is None:
            outer, self.out = self.out, bytearray()
            try:
                fits, made = self._puts(name, value), self.out
            finally:
                self.out = outer
            if not fits:
                return size_in(self._open.this, name, value)
            self._made[id(value)] = made
        return len(made)

    def _puts(self, name: str, value: Any) -> bool:
        """Put *value* as a stream of its own; return whether that is all of its stream."""
        if getattr(value, "_stream", None) is not None or self._bits_held or self._low_held:
            return False
        base, end, follows = self._base, self._end, self._follows
        self._base, self._end, self._follows = -len(self.out), NOWHERE, None
        try:
            value.write(self)
            self.align()
            return self._end in {NOWHERE, len(self.out)} and not self.followed()
        except FormatError as error:
            found_in(error, value)
            raise error.inside(name) from error.__cause__
        except MISFITS as error:
            raise misfit(name, value, error) from error
        finally:
            self._base, self._end, self._follows = base, end, follows

    def window(
        self, name: str, value: Any, kind: type = object, size: int | None = None, by: str = ""
    ) -> None:
        """Put one record in its own stream, of *size* bytes unless that is None."""
        if type(value) is not kind and not isinstance(value, kind):
            refuse_stranger(name, value, kind)
        try:
            data = self.inner(name, value, size)
        except Unequal as error:
            if error.record is None:
                error.field, error.value = name, value
            raise
        if size is not None and len(data) != size:
            self._contradicts(self._unequal(name, data, size, by))
        self.out += data

    def _contradicts(self, error: Unequal) -> None:
        """Raise *error*, unless it may be due to a size that is only known after this pass."""
        if not self._open.postpones(error):
            raise error

    def inner(self, name: str, value: Writable, size: int | None = None) -> builtins.bytes:
        """Return one record as the bytes of its own stream."""
        return whole(self._open.this, name, value, size)

    # At other positions

    def here(self, record: Any, *lazy: str) -> None:
        """Make this stream that of *record* while it is being written.

        lazy  the parts that it reads from its stream on demand
        """
        self._open.begin(record, self, lazy)

    def moves(self, record: Any, name: str, hidden: str) -> None:
        """Allow the part *name* of *record* to move; *hidden* is the attribute of its position."""
        self._open.moves(record, name, hidden)

    def forgets(self, record: Any, hidden: str) -> None:
        """Make *record* recalculate values that depend on its position, now and later."""
        self._open.holds(record, hidden, None)

    def asks(self, place: object) -> None:
        """Evaluate a calculated *place* when a reader would; the first result is kept."""

    def settled(self, name: str, number: int, known: int | None, follows: int, by: str) -> int:
        """Return the value that *number* must have: what *follows* from the field *by*.

        known   the number as it was read; None for a record made by hand
        errors  FormatError: it was edited, and differs
        """
        if known is not None and number not in {known, follows}:
            raise self.invalid(name, number, f"{follows}, as {by} says")
        return follows

    def of(self, record: Any) -> Writer:
        """Return a writer on the stream that *record* owns, begun or not."""
        stream = getattr(record, "_io", None)
        return stream if isinstance(stream, Writer) else Writer(self._open.parked(record))

    def into(self, stream: Stream) -> Writer:
        """Return a writer on the *stream*, which some record owns, begun or not."""
        return stream if isinstance(stream, Writer) else Writer(self._open.parked(stream))

    def after(self, size: int) -> Writer:
        """Return this writer's position after *size* more bytes."""
        return Writer(self._open, self.pos + size)

    def at(self, name: str, pos: Callable[[], int], record: object) -> Writer:
        """Return a writer at *pos* of this stream, for the part *name* of *record*.

        pos  calculated here, to detect whether it depends on the size of the stream
        """
        start, anchored = self._open.position(pos)
        w = Writer(self._open, start)
        self._open.add(w, name, record, anchored=anchored)
        return w


def whole(this: Pass, name: str, value: Writable, size: int | None = None) -> bytes:
    """Return *value* as the bytes of its own stream, which is written once in the pass *this*."""
    key = id(value), size
    if key not in this.inner:
        this.inner[key] = _opened(this, name, value, size)
    return this.inner[key]


def size_in(this: Pass, name: str, value: Writable) -> int:
    """Return the size of *value* in a stream of its own, which the pass *this* may be writing.

    What is inside it may depend on that size: then it is what the previous pass found.
    """
    key = id(value), None
    if key in this.begun and key not in this.inner:
        this.asked = True
        known = this.known.get(id(value))
        this.assumes_size |= known is None
        return 0 if known is None else known.size
    return len(whole(this, name, value))


def _opened(this: Pass, name: str, value: Writable, size: int | None) -> bytes:
    stream = OpenStream(this, value, size)
    this.opened.append(stream)
    this.begun.add((id(value), size))
    w = Writer(stream)
    w.record(name, value)
    try:
        return stream.finished(w)
    except FormatError as error:
        raise error.inside(name) from error.__cause__
