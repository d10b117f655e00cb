"""Putting fields into bytes: the mirror image of `byteloom.wire.reader`.

A value that its field cannot hold is refused with the field's path before anything leaves the
writer: the sink is memory, and callers get all bytes or an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from byteloom.errors import FormatError, LimitExceeded, count_of_elements
from byteloom.limits import DEFAULT_LIMITS
from byteloom.wire.field_writer import FieldWriter
from byteloom.wire.misfits import misfit
from byteloom.wire.passes import OpenStream, Pass
from byteloom.wire.unequal import Unequal, found_in

if TYPE_CHECKING:
    import builtins
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from byteloom.wire.record import Stream

__all__ = ["Writable", "Writer"]

_T = TypeVar("_T")

_MISFITS: Final = (TypeError, AttributeError, ValueError, IndexError)
"""What Python raises where a value is of a type that its field cannot have."""


class Writable(Protocol):
    """A record, or anything else that can put itself into a writer."""

    def write(self, w: Writer, /) -> None:
        """Put this one into *w*."""


class Writer(FieldWriter):
    """A growing run of bytes, in a stream that may get bytes at other places too.

    Made by hand it only grows.  `byteloom.wire.passes` makes those that know their stream: its
    size, and what is placed in it.
    """

    __slots__ = ("_open",)

    def __init__(self, stream: OpenStream | None = None, base: int = 0) -> None:
        """Begin with nothing, at the position *base* of *stream*."""
        self._open = OpenStream(Pass()) if stream is None else stream
        super().__init__(self._open.layout, base)

    @property
    def size(self) -> int:
        """The size of the whole stream, as the layout goes on with."""
        return self._open.size

    @property
    def eof(self) -> bool:
        """Whether the stream is at its end: while it is being written, always."""
        return True

    # Records

    def record(self, name: str, value: Writable) -> None:
        """Put one record; an error inside it begins with *name*."""
        try:
            value.write(self)
        except FormatError as error:
            found_in(error, value)
            raise error.inside(name) from error.__cause__
        except _MISFITS as error:
            raise misfit(name, value, error) from error

    def records(self, name: str, values: Iterable[Writable]) -> None:
        """Put records one after another."""
        done, value = 0, None  # None: there are no records to say more about
        try:
            for value in values:
                value.write(self)
                done += 1
        except FormatError as error:
            found_in(error, value)
            raise error.inside(f"{name}[{done}]") from error.__cause__
        except _MISFITS as error:
            if value is None:
                raise
            raise misfit(f"{name}[{done}]", value, error) from error

    @staticmethod
    def element(name: str, values: Sequence[_T], number: int) -> _T:
        """Return the element *number* of *values*, which has to be there."""
        if number >= len(values):
            raise FormatError(name, None, count_of_elements(len(values)), "more")
        return values[number]

    @staticmethod
    def repeatedly(name: str) -> Iterator[int]:
        """Yield 0, 1, ..., for a loop that ends itself."""
        most = DEFAULT_LIMITS.empty_elements
        yield from range(most)
        raise LimitExceeded(name, None, f"{most} elements without an end", "fewer")

    def window(self, name: str, value: Writable, size: int | None = None, by: str = "") -> None:
        """Put one record in a stream of its own, *size* bytes where a size is given."""
        try:
            data = self.inner(name, value, size)
        except Unequal as error:
            if error.record is None:
                error.field, error.value = name, value
            raise
        if size is not None and len(data) != size:
            raise self._unequal(name, data, size, by)
        self._sink += data

    def inner(self, name: str, value: Writable, size: int | None = None) -> builtins.bytes:
        """Return one record as the bytes of a stream of its own."""
        return self._open.inner(name, value, size)

    # Elsewhere

    def here(self, record: Any, *lazy: str) -> None:
        """Let *record* find this stream as its own while it is being written.

        lazy  what it reads from its stream when asked
        """
        self._open.begin(record, self, lazy)

    def moves(self, record: Any, name: str, hidden: str) -> None:
        """Let what *record* calls *name* move where it has to; *hidden* holds its position."""
        self._open.moves(record, name, hidden)

    def forgets(self, record: Any, hidden: str) -> None:
        """Let *record* recalculate what depends on where it is, while it is written and after."""
        self._open.holds(record, hidden, None)

    def asks(self, place: object) -> None:
        """Take a calculated *place* where a reader does: it is kept from the first time on."""

    def settled(self, name: str, number: int, known: int | None, follows: int, by: str) -> int:
        """Return what *number* has to be: what *follows* from the field *by*.

        known   the number as it was read; None for a record made by hand
        errors  FormatError: it was edited, and is something else
        """
        if known is not None and number not in {known, follows}:
            raise self.invalid(name, number, f"{follows}, as {by} says")
        return follows

    def of(self, record: Any) -> OpenStream:
        """Return the stream that *record* has as its own, begun or not."""
        stream = getattr(record, "_io", None)
        return stream._open if isinstance(stream, Writer) else self._open.parked(record)

    def into(self, stream: Stream) -> OpenStream:
        """Return the *stream*, which some record has as its own, begun or not."""
        return stream._open if isinstance(stream, Writer) else self._open.parked(stream)

    def after(self, size: int) -> Writer:
        """Return this writer's position after *size* more bytes."""
        return Writer(self._open, self.pos + size)

    def at(self, name: str, pos: Callable[[], int], record: object) -> Writer:
        """Return a writer at *pos* of this stream, for what *record* calls *name*.

        pos  calculated here, so that it is seen whether it counts from the end of the stream
        """
        return self._open.at(name, pos, record)
