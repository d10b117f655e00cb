"""Taking fields from bytes.

The rules all methods obey:

- A reader is a window ``[start, end)`` of a buffer and a position in it.  Nothing outside the
  window is ever read, whatever a length in the file says.
- A number from a file is checked before anything is allocated for it: a size against the bytes
  left, a count against the bytes left and the limits.
- Offsets in errors count from the start of the file, even inside a window.
- Bits continue where the last bit ended; `align` drops the rest of a byte.
"""

from __future__ import annotations

import builtins
import zlib
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self, TypeVar

from byteloom.errors import ByteloomError, FormatError, LimitExceeded, count_of_bytes, found_by
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.wire.loop_reader import LoopReader
from byteloom.wire.stored import EXACT, Stored, invalid_text, text_of, unknown_encoding
from byteloom.wire.temporary_changes import note_taken
from byteloom.wire.window import Buffer, inflate

if TYPE_CHECKING:
    import builtins
    from collections.abc import Callable, Hashable

__all__ = ["Buffer", "Reader"]

Taken = dict[tuple[int, str], tuple[object, int, "Reader"]]
"""Parts that were read out of order, by record and name: record, position, reader after it."""

_T = TypeVar("_T")


@lru_cache(maxsize=1024)
def _forgets(kind: Hashable) -> bool:
    """Whether records of *kind* are written the same wherever they were read, as most are."""
    return hasattr(kind, "LAZY") and not (hasattr(kind, "_io") or getattr(kind, "REREAD", False))


class Reader(LoopReader):
    """A reader of records, loops and nested windows, at a position in a window of a buffer.

    data    bytes or a memory map; other buffers are copied once
    limits  what reading may cost
    origin  where data[0] is in the file, for a buffer fetched from its middle
    """

    __slots__ = ("_taken",)

    def __init__(
        self,
        data: Buffer | bytearray | memoryview,
        *,
        limits: Limits = DEFAULT_LIMITS,
        origin: int = 0,
    ) -> None:
        """Begin at the first byte of *data*, with all of it as the window."""
        super().__init__(data, limits=limits, origin=origin)
        self._taken: Taken | None = None

    # Decoding of bytes that were taken

    def text(self, name: str, raw: builtins.bytes, encoding: str, after: int = 0) -> str:
        """Decode *raw* as text; it was just taken, with *after* bytes after it."""
        try:
            text = raw.decode(encoding)
            exact = encoding in EXACT and type(raw) is bytes
            return text if exact else text_of(raw, encoding)
        except LookupError as error:
            at = self.offset - after - len(raw)
            raise unknown_encoding(name, encoding, at) from error
        except UnicodeError as error:
            at, found = invalid_text(raw, error)
            at += self.offset - after - len(raw)
            raise self.invalid(name, at, found, f"text in {encoding}") from error

    def inflated(self, name: str, raw: builtins.bytes) -> builtins.bytes:
        """Decompress *raw*, just taken, with zlib, within the limits."""
        limit, room = self.limits.decompressed_size, self._spent.room
        try:
            data = inflate(raw, min(limit, room))
        except zlib.error as error:
            found = found_by("damaged data", error)
            raise self.invalid(name, self.offset - len(raw), found, "a zlib stream") from error
        except EOFError:
            raise self._short(name, len(raw) + 1) from None
        if data is None and limit < room:
            raise self.exceeds(name, "decompressed_size", limit + 1)
        return Stored(self._made(name, data), raw)

    def decoded(
        self, name: str, raw: builtins.bytes, decode: Callable[[builtins.bytes], builtins.bytes]
    ) -> builtins.bytes:
        """Decode *raw*, just taken, with a custom processor."""
        try:
            made = Stored(decode(raw), raw)
        except ByteloomError:
            raise
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
            raise self.invalid(
                name, self.offset - len(raw), found, "a processor that decodes"
            ) from error
        self._made(name, made)
        return made

    def _made(self, name: str, data: builtins.bytes | None) -> builtins.bytes:
        """Account for *data*, which was decoded from the file; None means more than allowed."""
        spent = self._spent
        if data is None or len(data) > spent.room:
            size = spent.room + 1 if data is None else len(data)
            wanted = f"at most {spent.room} bytes more from decompression (limits.expansion)"
            raise LimitExceeded(self._named(name), self.offset, size, wanted)
        spent.room -= len(data)
        return data

    # Records

    def record(self, name: str, read: Callable[..., _T], given: tuple[Any, ...] = ()) -> _T:
        """Take one record with its *read*; an error inside it begins with *name*.

        given  the arguments of *read* besides the reader
        """
        spent = self._spent
        depth = spent.depth
        spent.objects += 1
        if depth >= spent.deepest or spent.objects > spent.most:
            raise self._too_many(name)
        spent.depth = depth + 1
        try:
            value = read(self, *given) if given else read(self)
        except FormatError as error:
            spent.depth = depth
            raise error.inside(self._named(name)) from error.__cause__
        except (AttributeError, UnboundLocalError) as error:
            spent.depth = depth
            raise self._missing(name, error) from error
        except BaseException:
            spent.depth = depth
            raise
        spent.depth = depth
        return value

    def another(
        self, name: str, taken: list[_T], read: Callable[..., _T], given: tuple[Any, ...] = ()
    ) -> _T:
        """Take one more record after those *taken*, for a loop that ends by itself."""
        spent = self._spent
        depth = spent.depth
        spent.objects += 1
        if depth >= spent.deepest or spent.objects > spent.most:
            raise self._too_many(f"{name}[{len(taken)}]")
        spent.depth = depth + 1
        try:
            value = read(self, *given) if given else read(self)
        except FormatError as error:
            raise error.inside(f"{name}[{len(taken)}]") from error.__cause__
        except (AttributeError, UnboundLocalError) as error:
            raise self._missing(f"{name}[{len(taken)}]", error) from error
        finally:
            spent.depth = depth
        taken.append(value)
        return value

    def _missing(self, name: str, error: AttributeError | UnboundLocalError) -> FormatError:
        """Return the error for an expression of *name* that uses a field not read yet."""
        wanted = "fields that are read before they are used"
        return self.invalid(name, self.offset, found_by("a field that is missing", error), wanted)

    def whole(self, name: str, read: Callable[..., _T], given: tuple[Any, ...] = ()) -> _T:
        """Take the one record that this window was made for.

        The record keeps the window if bytes are left over, if parts are read on demand,
        and if what is written is compared with what was read.
        """
        value = self.record(name, read, given)
        left = self._at != self._end or self._bits_left
        kind: Any = type(value)
        remembers = not _forgets(kind) and (
            hasattr(value, "_io") or getattr(value, "REREAD", False)
        )
        if left or remembers or type(self._data) is Stored:
            with suppress(AttributeError):  # an opaque type may have no room for it
                value._stream = self  # type: ignore[attr-defined]
        return value

    def within(
        self, name: str, size: int, read: Callable[..., _T], given: tuple[Any, ...] = ()
    ) -> _T:
        """Take one record from the next *size* bytes, as from a window.

        For records that keep no stream: this reader is narrowed to those bytes meanwhile.
        """
        at, end = self._at, self._end
        last = at + size
        if size < 0 or last > end:
            raise self._short(name, size)
        spent, start = self._spent, self._start
        depth = spent.depth
        spent.objects += 1
        if depth >= spent.deepest or spent.objects > spent.most:
            raise self._too_many(name)
        self._start, self._end, spent.depth = at, last, depth + 1
        try:
            value = read(self, *given) if given else read(self)
            if self._at != last or self._bits_left or type(self._data) is Stored:
                self._keep_left(value, at, last)
        except FormatError as error:
            spent.depth = depth
            raise error.inside(self._named(name)) from error.__cause__
        except (AttributeError, UnboundLocalError) as error:
            spent.depth = depth
            raise self._missing(name, error) from error
        finally:
            self._start, self._end, spent.depth = start, end, depth
        self._at = last
        self._bits = self._bits_left = 0
        return value

    def _within(self, name: str, size: int, read: Callable[..., _T], given: tuple[Any, ...]) -> _T:
        """Do what `within` does by `record`, for readers that see each record there."""
        last = self._at + size
        if size < 0 or last > self._end:
            raise self._short(name, size)
        at, start, end = self._at, self._start, self._end
        self._start, self._end = at, last
        try:
            value = self.record(name, read, given)
            if self._at != last or self._bits_left or type(self._data) is Stored:
                self._keep_left(value, at, last)
        finally:
            self._start, self._end = start, end
        self._at = last
        self._bits = self._bits_left = 0
        return value

    def _keep_left(self, record: Any, start: int, end: int) -> None:
        """Let *record*, just taken, remember the window from *start* to *end*, and what is left."""
        window = self._view(start, self._at, end)
        window._bits, window._bits_left = self._bits, self._bits_left
        record._stream = window

    def done(self, name: str) -> None:
        """Refuse bytes that are left in this window after the record *name*."""
        if self.left:
            raise self.invalid(
                name, self.offset, f"{count_of_bytes(self.left)} left", "the end, and no more"
            )

    # Windows

    def window(self, name: str, size: int) -> Self:
        """Take *size* bytes as a new window; positions in it start at 0."""
        at = self._at
        if size < 0 or size > self.left:
            raise self._short(name, size)
        self._at = at + size
        view = self._view(at, at, at + size)
        view._element = self._element
        return view

    def stream(self, data: builtins.bytes) -> Self:
        """Return a window over *data*, which was decoded from bytes of this one."""
        view = self._view(0, 0, len(data), data)
        view._element = self._element
        return view

    def view(self, name: str, pos: int, record: object = None) -> Self:
        """Move to *pos* of this window for the block, to read the part *name* of *record*.

        The position is restored after the block; what was read is remembered for a writer.
        """
        if pos < 0:
            raise self._astray(name, pos)
        view = self._view(self._start, self._start + pos, self._end)
        if record is not None:
            if self._taken is None:
                self._taken = {}
            note_taken(self._taken, (id(record), name))
            self._taken[id(record), name] = record, pos, view
        view._taken = self._taken
        return view

    # For writers of records that were read

    def source(self) -> Buffer:
        """Return the buffer that this reads from."""
        return self._data

    def is_on(self, other: Reader | None) -> bool:
        """Whether both read the same stream: the same bytes, with positions from the same start."""
        return other is not None and (self._data is other._data and self._start == other._start)

    def views(self, other: Reader) -> bool:
        """Whether this is a `view` of *other*, which is at the position that this moves to."""
        return self._taken is not None and self._taken is other._taken

    def written(self) -> builtins.bytes:
        """Return all bytes of the window."""
        return self._data[self._start : self._end]

    def taken(self, record: object, member: str) -> tuple[int, int] | None:
        """Return where *member* of *record* begins and ends; None if it was not read here."""
        found = self._taken.get((id(record), member)) if self._taken else None
        return None if found is None else (found[1], found[2].pos)

    # What the methods above share

    def _view(self, start: int, at: int, end: int, data: Buffer | None = None) -> Self:
        view = object.__new__(type(self))
        view._data, view._origin = (self._data, self._origin) if data is None else (data, 0)
        view._start, view._at, view._end = start, at, end
        view._bits = view._bits_left = 0
        view._element = view._taken = None
        view._spent, view.limits = self._spent, self.limits
        return view
