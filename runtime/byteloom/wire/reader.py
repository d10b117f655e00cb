"""Taking fields from bytes.

The rules all methods obey:

- A reader is a window ``[start, end)`` of a buffer and a place in it.  Nothing outside the window
  is ever touched, whatever a length in the file says.
- Nothing is allocated on the word of a file: a size is compared with the bytes left first, a count
  with the bytes left and with the limits.
- Offsets in errors count from the start of the file, also inside a window.
- Bits continue where the last bit ended; `align` drops what is left of a byte.
"""

from __future__ import annotations

import gc
import zlib
from contextlib import contextmanager
from itertools import count as count_from
from mmap import mmap
from struct import Struct, calcsize, unpack
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, Self, TypeVar

from byteloom.errors import ByteloomError, ChecksumMismatch, FormatError, LimitExceeded, Truncated
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.wire.stored import Stored, cut, laid, text_of
from byteloom.wire.varints import ONE_BYTE, taken

if TYPE_CHECKING:
    import builtins
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["Buffer", "Reader"]

Buffer = bytes | mmap
"""What a reader reads from: slicing either gives bytes, and copies only the slice."""

Taken = dict[tuple[int, str], tuple[object, int, "Reader"]]
"""What was read out of order: by record and name, that record, where, and the reader behind it."""

_T = TypeVar("_T")
_P = ParamSpec("_P")

_MANY: Final = 1_000
"""From here on a repeated field pauses the cyclic collector: new records hold no cycles, and
walking them again and again costs up to three times what reading them does."""

_PART: Final = 16 << 20
"""Bytes that are decompressed before it is looked at how much they grew."""

_MUCH: Final = 16 * _MANY
"""Bytes that may hold so many."""


def _varint(form: str) -> Callable[[Reader, str], int]:
    """Make the method that takes one integer of variable length, of the form *form*."""
    one = ONE_BYTE[form]

    def take(self: Reader, name: str) -> int:
        at = self._at
        if at < self._end and (byte := self._data[at]) < one:
            self._at = at + 1
            return byte
        try:
            value, self._at = taken(form, self._data, at, self._end)
        except ValueError:
            raise self._no_varint(name, form) from None
        return value

    return take


class _Spent:
    """What all windows of one read share: how deep and how much it has gone."""

    __slots__ = ("depth", "objects")

    def __init__(self) -> None:
        self.depth = 0
        self.objects = 0


def _integer(form: str) -> Callable[[Reader, str], int]:
    """Make the method that takes one integer stored as *form* (of `struct`)."""
    layout = Struct(form)
    size, unpack_from = layout.size, layout.unpack_from

    def take(self: Reader, name: str) -> int:
        at = self._at
        end = at + size
        if end > self._end:
            raise self._short(name, size)
        self._at = end
        value: int = unpack_from(self._data, at)[0]
        return value

    return take


def _float(form: str) -> Callable[[Reader, str], float]:
    """Make the method that takes one IEEE 754 number stored as *form*."""
    return _integer(form)


class Reader:
    """A place in a window of a buffer.

    data    bytes or a memory map; other buffers are copied once
    limits  what reading may cost
    origin  where data[0] lies in the file, for a buffer fetched from its middle
    """

    __slots__ = (
        "_at",
        "_bits",
        "_bits_left",
        "_data",
        "_element",
        "_end",
        "_origin",
        "_spent",
        "_start",
        "_taken",
        "limits",
    )

    def __init__(
        self,
        data: Buffer | bytearray | memoryview,
        *,
        limits: Limits = DEFAULT_LIMITS,
        origin: int = 0,
    ) -> None:
        """Stand at the first byte of *data*, its whole length the window."""
        self._data: Buffer = data if isinstance(data, bytes | mmap) else bytes(data)
        self._start = 0
        self._at = 0
        self._end = len(self._data)
        self._bits = 0
        self._bits_left = 0
        self._origin = origin
        self._element: tuple[str, int] | None = None
        self._spent = _Spent()
        self._taken: Taken | None = None
        self.limits = limits

    # Where it stands

    @property
    def pos(self) -> int:
        """Bytes from the start of the window (Kaitai's ``_io.pos``)."""
        return self._at - self._start

    @property
    def size(self) -> int:
        """Bytes in the window (Kaitai's ``_io.size``)."""
        return self._end - self._start

    @property
    def left(self) -> int:
        """Bytes from here to the end of the window; none behind it."""
        return max(self._end - self._at, 0)

    @property
    def eof(self) -> bool:
        """Whether nothing is left, not even bits of the last byte."""
        return self._at >= self._end and self._bits_left == 0

    @property
    def offset(self) -> int:
        """Bytes from the start of the file."""
        return self._at + self._origin

    # Numbers

    u1 = _integer("B")
    u2le, u2be = _integer("<H"), _integer(">H")
    u4le, u4be = _integer("<I"), _integer(">I")
    u8le, u8be = _integer("<Q"), _integer(">Q")
    s1 = _integer("b")
    s2le, s2be = _integer("<h"), _integer(">h")
    s4le, s4be = _integer("<i"), _integer(">i")
    s8le, s8be = _integer("<q"), _integer(">q")
    f4le, f4be = _float("<f"), _float(">f")
    f8le, f8be = _float("<d"), _float(">d")

    def run(self, names: tuple[str, ...], layout: Struct) -> tuple[int, ...]:
        """Take a run of fixed numbers in one step; *layout* has one letter for each name."""
        at = self._at
        end = at + layout.size
        if end > self._end:
            raise self._short_run(names, layout)
        self._at = end
        return layout.unpack_from(self._data, at)

    def bits_be(self, name: str, width: int) -> int:
        """Take *width* bits, the highest of a byte first."""
        missing = width - self._bits_left
        if missing > 0:
            count = (missing + 7) // 8
            self._bits = self._bits << 8 * count | int.from_bytes(self._fetch(name, count), "big")
            self._bits_left += 8 * count
        self._bits_left -= width
        value = self._bits >> self._bits_left
        self._bits &= (1 << self._bits_left) - 1
        return value

    def bits_le(self, name: str, width: int) -> int:
        """Take *width* bits, the lowest of a byte first."""
        missing = width - self._bits_left
        if missing > 0:
            count = (missing + 7) // 8
            self._bits |= int.from_bytes(self._fetch(name, count), "little") << self._bits_left
            self._bits_left += 8 * count
        value = self._bits & (1 << width) - 1
        self._bits >>= width
        self._bits_left -= width
        return value

    def align(self) -> int:
        """Leave the byte begun; return the bits that were left of it, which no field holds."""
        spare = self._bits
        self._bits = self._bits_left = 0
        return spare

    # Integers of variable length

    uleb128, protobuf = _varint("uleb128"), _varint("protobuf")
    zigzag, hadoop = _varint("zigzag"), _varint("hadoop")

    def varints(self, name: str, count: int, form: str) -> list[int]:
        """Take *count* integers of variable length, each stored as *form*."""
        self.check_count(name, count, 1)
        data, at, end, one = self._data, self._at, self._end, ONE_BYTE[form]
        values: list[int] = []
        try:
            for _ in range(count):
                if at < end and (value := data[at]) < one:
                    at += 1
                else:
                    value, at = taken(form, data, at, end)
                values.append(value)
        except ValueError:
            self._at = at
            raise self._no_varint(f"{name}[{len(values)}]", form) from None
        self._at = at
        return values

    # Bytes

    def bytes(self, name: str, size: int) -> builtins.bytes:
        """Take *size* bytes."""
        at = self._at
        end = at + size
        if size < 0 or (end > self._end and size > 0):
            raise self._short(name, size)
        self._at = end
        return self._data[at:end]

    def rest(self, name: str) -> builtins.bytes:
        """Take all bytes to the end of the window."""
        return self.bytes(name, self.left)

    def until(
        self,
        name: str,
        terminator: builtins.bytes,
        *,
        include: bool = False,
        consume: bool = True,
        eos_error: bool = True,
    ) -> builtins.bytes:
        """Take bytes up to *terminator*, which stands at a multiple of its own width.

        include    hand the terminator on with the bytes
        consume    move behind the terminator, and not only up to it
        eos_error  a missing terminator is an error; otherwise all bytes left are taken
        """
        at, width = self._at, len(terminator)
        found = self._find(terminator)
        if found < 0:
            if eos_error:
                raise Truncated(
                    name, self.offset, f"{self.left} bytes without it", f"terminator {terminator!r}"
                )
            rest = self.rest(name)
            return Stored(rest, rest)
        self._at = found + width if consume else found
        return self._data[at : found + width if include else found]

    def cut(
        self,
        name: str,
        size: int | None,
        *,
        terminator: builtins.bytes = b"",
        include: bool = False,
        pad: int | None = None,
    ) -> builtins.bytes:
        """Take *size* bytes, and return them without their padding and their terminator.

        size     None: all to the end of the window
        include  hand the terminator on with the bytes
        """
        raw = self.bytes(name, self.left if size is None else size)
        value = cut(raw, terminator, pad, include=include)
        usual = laid(value, size, terminator, pad, include=include) == raw
        return value if usual else Stored(value, raw)

    def magic(self, name: str, wanted: builtins.bytes) -> None:
        """Take the bytes *wanted*, and no others."""
        at = self.offset
        found = self.bytes(name, len(wanted))
        if found != wanted:
            raise FormatError(name, at, found, repr(wanted))

    def text(self, name: str, raw: builtins.bytes, encoding: str) -> str:
        """Return *raw*, just taken, as text."""
        try:
            return text_of(raw, encoding)
        except (UnicodeError, LookupError) as error:
            raise self.invalid(
                name, self.offset - len(raw), raw[:40], f"text in {encoding}"
            ) from error

    def inflated(self, name: str, raw: builtins.bytes) -> builtins.bytes:
        """Return *raw*, just taken, decompressed by zlib, within the limits."""
        limit, inflate = self.limits.decompressed_size, zlib.decompressobj()
        data, left = bytearray(), raw
        try:
            while left and not inflate.eof:
                if len(data) > limit:
                    raise self.exceeds(name, "decompressed_size", len(data))
                if len(data) > (len(raw) - len(left)) * self.limits.expansion:
                    raise self.exceeds(name, "expansion", len(data) // (len(raw) - len(left)))
                data += inflate.decompress(left, min(_PART, limit + 1 - len(data)))
                left = inflate.unconsumed_tail
        except zlib.error as error:
            raise self.invalid(name, self.offset - len(raw), str(error), "a zlib stream") from error
        if len(data) > limit:
            raise self.exceeds(name, "decompressed_size", len(data))
        if not inflate.eof:
            raise self._short(name, len(raw) + 1)
        return Stored(bytes(data), raw)

    def decoded(
        self, name: str, raw: builtins.bytes, decode: Callable[[builtins.bytes], builtins.bytes]
    ) -> builtins.bytes:
        """Return *raw*, just taken, as a custom processor reads it."""
        try:
            return Stored(decode(raw), raw)
        except ByteloomError:
            raise
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
            raise self.invalid(
                name, self.offset - len(raw), found, "a processor that decodes"
            ) from error

    def crc32(self, start: int, end: int) -> int:
        """Return the CRC-32 (of zlib) over the window's bytes from *start* to *end*."""
        return zlib.crc32(self._data[self._start + start : self._start + end])

    def array(self, name: str, count: int, form: str) -> list[Any]:
        """Take *count* numbers, each stored as *form* (of `struct`)."""
        each = calcsize(form)
        self.check_count(name, count, each)
        return list(unpack(f"{form[0]}{count}{form[1]}", self.bytes(name, count * each)))

    # Records

    def record(
        self,
        name: str,
        read: Callable[Concatenate[Self, _P], _T],
        /,
        *args: _P.args,
        **kwargs: _P.kwargs,
    ) -> _T:
        """Take one record with its *read*; an error inside it begins with *name*."""
        spent = self._spent
        spent.depth += 1
        spent.objects += 1
        if spent.depth > self.limits.nesting:
            raise self.exceeds(name, "nesting", spent.depth)
        element, self._element = self._element, None
        try:
            return read(self, *args, **kwargs)
        except FormatError as error:
            self._element = element
            raise error.inside(self._named(name)) from error.__cause__
        finally:
            self._element = element
            spent.depth -= 1

    def whole(
        self,
        name: str,
        read: Callable[Concatenate[Self, _P], _T],
        /,
        *args: _P.args,
        **kwargs: _P.kwargs,
    ) -> _T:
        """Take the one record that this window is there for.

        It remembers the window where bytes are left over, or may be read when they are asked for.
        """
        value = self.record(name, read, *args, **kwargs)
        left = self._at != self._end or type(self._data) is Stored
        if (left or hasattr(value, "_io")) and hasattr(type(value), "_stream"):
            value._stream = self  # type: ignore[attr-defined]
        return value

    def records_to_end(self, name: str, read: Callable[[Self], _T]) -> list[_T]:
        """Take records with *read* until the window ends."""
        taken: list[_T] = []
        with self._deeper(name, 0, many=self.left >= _MUCH):
            try:
                before = -1, 0
                while not self.eof and before != (self._at, self._bits_left):
                    before = self._at, self._bits_left
                    taken.append(read(self))
            except FormatError as error:
                raise error.inside(f"{name}[{len(taken)}]") from error.__cause__
        self._spent.objects += len(taken)
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
            try:
                for _ in range(count):
                    keep(read(self))
            except FormatError as error:
                raise error.inside(f"{name}[{len(taken)}]") from error.__cause__
        return taken

    def times(self, name: str, count: int, *, each: int) -> Iterator[int]:
        """Yield 0 to *count* - 1, for a loop that takes one element each time."""
        self.check_count(name, count, each)
        with self._deeper(name, count):
            yield from self._numbered(name, range(count))

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
            empty = 0
            for index in self._numbered(name, count_from()):
                before = self._at
                yield index
                empty += before == self._at
                if empty > self.limits.empty_elements:
                    raise self.exceeds(name, "empty_elements", empty)

    def _numbered(self, name: str, numbers: Iterable[int]) -> Iterator[int]:
        outer = self._element
        try:
            for index in numbers:
                self._element = name, index
                yield index
        finally:
            self._element = outer

    def check_count(self, name: str, count: int, each: int) -> None:
        """Refuse a *count* of elements, of at least *each* bytes, that cannot be there."""
        if count < 0:
            raise FormatError(name, self.offset, count, "a count of 0 or more")
        if count > self.limits.elements:
            raise self.exceeds(name, "elements", count)
        if each == 0 and count > self.limits.empty_elements:
            raise self.exceeds(name, "empty_elements", count)
        if count * each > self.left:
            raise Truncated(
                name,
                self.offset,
                f"{self.left} bytes left",
                f"{count} elements of at least {each} bytes",
            )

    def window(self, name: str, size: int) -> Self:
        """Take *size* bytes as a window of their own; positions in it start at 0."""
        at = self._at
        if size < 0 or size > self.left:
            raise self._short(name, size)
        self._at = at + size
        return self._view(at, at, at + size)

    def stream(self, data: builtins.bytes) -> Self:
        """Return a window over *data*, which was made from bytes of this one."""
        return self._view(0, 0, len(data), data)

    def view(self, name: str, pos: int, record: object = None) -> Self:
        """Stand at *pos* of this same window, to read what *record* calls *name*.

        The place held here stays where it is; what is read there is remembered for a writer.
        """
        if pos < 0:
            raise self._astray(name, pos)
        view = self._view(self._start, self._start + pos, self._end)
        if record is not None:
            if self._taken is None:
                self._taken = {}
            self._taken[id(record), name] = record, pos, view
        view._taken = self._taken
        return view

    # For a writer of what was read

    def source(self) -> Buffer:
        """Return the buffer that this reads from."""
        return self._data

    def is_on(self, other: Reader | None) -> bool:
        """Whether both stand on one stream: the same bytes, counted from the same start."""
        return other is not None and (self._data is other._data and self._start == other._start)

    def written(self) -> builtins.bytes:
        """Return all bytes of the window."""
        return self._data[self._start : self._end]

    def taken(self, record: object, member: str) -> tuple[int, int] | None:
        """Return where *member* of *record* was read, and one past its end; None if not here."""
        found = self._taken.get((id(record), member)) if self._taken else None
        return None if found is None else (found[1], found[2].pos)

    # Errors

    def invalid(self, name: str, at: int, found: object, wanted: str) -> FormatError:
        """Return the error that *found*, taken from file offset *at*, is not what is *wanted*."""
        return FormatError(self._named(name), at, found, wanted)

    def damaged(self, name: str, at: int, found: int, wanted: int) -> ChecksumMismatch:
        """Return the error that the checksum *found* at offset *at* is not that of the bytes."""
        return ChecksumMismatch(
            self._named(name), at, f"0x{found:08x}", f"0x{wanted:08x}, the checksum of the bytes"
        )

    def exceeds(self, name: str, limit: str, found: int) -> LimitExceeded:
        """Return the error that *found* is over the limit of this name."""
        return LimitExceeded(
            self._named(name),
            self.offset,
            found,
            f"at most {getattr(self.limits, limit)} (limits.{limit})",
        )

    # What the methods above share

    def _named(self, name: str) -> str:
        """Return *name*, with the index where it is the element of a loop."""
        if self._element is not None and self._element[0] == name:
            return f"{name}[{self._element[1]}]"
        return name

    def _view(self, start: int, at: int, end: int, data: Buffer | None = None) -> Self:
        view = object.__new__(type(self))
        view._data, view._origin = (self._data, self._origin) if data is None else (data, 0)
        view._start, view._at, view._end = start, at, end
        view._bits = view._bits_left = 0
        view._element = view._taken = None
        view._spent, view.limits = self._spent, self.limits
        return view

    def _fetch(self, name: str, count: int) -> builtins.bytes:
        return self.bytes(name, count)

    def _find(self, terminator: builtins.bytes) -> int:
        at = found = self._at
        while (found := self._data.find(terminator, found, self._end)) >= 0:
            if (found - at) % len(terminator) == 0:
                return found
            found += 1
        return -1

    @contextmanager
    def _deeper(self, name: str, count: int, *, many: bool = False) -> Iterator[None]:
        """Account for *count* records one level down; *many* of them pause the collector."""
        spent = self._spent
        spent.depth += 1
        spent.objects += count
        if spent.depth > self.limits.nesting:
            raise self.exceeds(name, "nesting", spent.depth)
        if spent.objects > self.limits.objects:
            raise self.exceeds(name, "objects", spent.objects)
        pause = (many or count >= _MANY) and gc.isenabled()
        if pause:
            gc.disable()
        try:
            yield
        finally:
            spent.depth -= 1
            if pause:
                gc.enable()

    def _astray(self, name: str, pos: int) -> FormatError:
        return FormatError(
            name, None, f"position {pos}", f"0 to {self.size}, the size of its stream"
        )

    def _short(self, name: str, size: int) -> FormatError:
        if self._at > self._end:  # a position from the file led there, and now bytes are wanted
            return self._astray(self._named(name), self.pos)
        if size < 0:
            return FormatError(
                self._named(name), self.offset, f"a size of {size}", "0 or more bytes"
            )
        return Truncated(self._named(name), self.offset, f"{self.left} bytes left", f"{size} bytes")

    def _no_varint(self, name: str, form: str) -> FormatError:
        found = self._data[self._at : min(self._end, self._at + 10)]
        wanted = f"an integer of variable length ({form})"
        ended = self.left < 10  # noqa: PLR2004  (no integer is longer)
        kind = Truncated if ended else FormatError
        return kind(self._named(name), self.offset, repr(found), wanted)

    def _short_run(self, names: tuple[str, ...], layout: Struct) -> FormatError:
        order, letters = layout.format[0], layout.format[1:]
        for name, letter in zip(names, letters, strict=True):
            size = calcsize(order + letter)
            if size > self.left:
                return self._short(name, size)
            self._at += size
        raise AssertionError(layout)  # pragma: no cover  (called only for a run that is too long)
