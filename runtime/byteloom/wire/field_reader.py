"""Taking single fields from bytes: numbers, bits, and runs of bytes.

The rules of `byteloom.wire.reader`, which builds on this, hold here.
"""

from __future__ import annotations

import zlib
from math import isnan
from struct import Struct, calcsize, unpack
from typing import TYPE_CHECKING, Any

from byteloom.errors import FormatError, Truncated
from byteloom.late import crc32c
from byteloom.wire.layouts import WIDTHS, FieldRun, forms
from byteloom.wire.stored import Stored, cut_or_stored, exact, nan_of
from byteloom.wire.varints import ONE_BYTE, taken
from byteloom.wire.window import Buffer, Window

if TYPE_CHECKING:
    import builtins
    from collections.abc import Callable

    from byteloom.wire.layouts import Bits

__all__ = ["Buffer", "FieldReader"]


def _varint(form: str) -> Callable[[FieldReader, str], int]:
    """Make the method that takes one integer of variable length, of the form *form*."""
    one = ONE_BYTE[form]

    def take(self: FieldReader, name: str) -> int:
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


def _integer(form: str) -> Callable[[FieldReader, str], int]:
    """Make the method that takes one integer stored as *form* (of `struct`)."""
    layout = Struct(form)
    size, unpack_from = layout.size, layout.unpack_from

    def take(self: FieldReader, name: str) -> int:
        at = self._at
        end = at + size
        if end > self._end:
            raise self._short(name, size)
        self._at = end
        value: int = unpack_from(self._data, at)[0]
        return value

    return take


def _double(form: str) -> Callable[[FieldReader, str], float]:
    """Make the method that takes one IEEE 754 number of eight bytes stored as *form*."""
    return _integer(form)


def _single(form: str, bits: str) -> Callable[[FieldReader, str], float]:
    """Make the method that takes a four-byte float; *bits* is the integer form of that width."""
    take_number, take_bits = _integer(form), _integer(bits)

    def take(self: FieldReader, name: str) -> float:
        value = take_number(self, name)
        if not isnan(value):
            return value
        self._at -= 4
        return nan_of(value, take_bits(self, name))

    return take


class FieldReader(Window):
    """A reader of single fields, at a position in a window of a buffer.

    data    bytes or a memory map; other buffers are copied once
    limits  what reading may cost
    origin  where data[0] is in the file, for a buffer fetched from its middle
    """

    __slots__ = ()

    # Numbers

    u1 = _integer("B")
    u2le, u2be = _integer("<H"), _integer(">H")
    u4le, u4be = _integer("<I"), _integer(">I")
    u8le, u8be = _integer("<Q"), _integer(">Q")
    s1 = _integer("b")
    s2le, s2be = _integer("<h"), _integer(">h")
    s4le, s4be = _integer("<i"), _integer(">i")
    s8le, s8be = _integer("<q"), _integer(">q")
    f4le, f4be = _single("<f", "<I"), _single(">f", ">I")
    f8le, f8be = _double("<d"), _double(">d")

    def run(self, layout: FieldRun) -> tuple[int, ...]:
        """Take a run of fixed numbers in one step."""
        at = self._at
        end = at + layout.size
        if end > self._end:
            raise self._short_run(layout)
        self._at = end
        return layout.unpack_from(self._data, at)

    def run_floats(self, layout: FieldRun) -> tuple[Any, ...]:
        """Take a run of fixed numbers, some of them floats of four bytes."""
        at = self._at
        end = at + layout.size
        if end > self._end:
            raise self._short_run(layout)
        self._at = end
        values = layout.unpack_from(self._data, at)
        return exact(values, layout.format, self._data, at) if isnan(sum(values)) else values

    def run_mixed(self, layout: FieldRun) -> tuple[Any, ...]:
        """Take a run of numbers and bytes of fixed sizes."""
        at = self._at
        end = at + layout.size
        if end > self._end:
            raise self._short_run(layout)
        self._at = end
        return layout.unpack_from(self._data, at)

    def bit_run(self, names: tuple[str, ...], layout: Bits) -> int:
        """Take a run of bits that fills whole bytes, as one number."""
        at = self._at
        end = at + layout.size
        if end > self._end:
            take = self.bits_le if layout.order == "little" else self.bits_be
            for name, width in zip(names, layout.widths, strict=True):
                take(name, width)
        self._at = end
        if layout.size == 1:
            return self._data[at]
        return int.from_bytes(self._data[at:end], layout.order)

    def bits_be(self, name: str, width: int) -> int:
        """Take *width* bits, the highest of a byte first."""
        bits, left = self._bits, self._bits_left - width
        if left < 0:
            count = (7 - left) // 8
            bits = bits << 8 * count | int.from_bytes(self.bytes(name, count), "big")
            left += 8 * count
        self._bits_left = left
        self._bits = bits & (1 << left) - 1
        return bits >> left

    def bits_le(self, name: str, width: int) -> int:
        """Take *width* bits, the lowest of a byte first."""
        bits, left = self._bits, self._bits_left
        if left < width:
            count = (width - left + 7) // 8
            bits |= int.from_bytes(self.bytes(name, count), "little") << left
            left += 8 * count
        self._bits_left = left - width
        self._bits = bits >> width
        return bits & (1 << width) - 1

    def align(self) -> int:
        """Skip the rest of a partly read byte; return these bits, which belong to no field."""
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

    def rest(self, name: str) -> builtins.bytes:  # noqa: ARG002  (whoever traces asks for it)
        """Take all bytes to the end of the window."""
        at, end = self._at, self._end
        if at > end:  # a position from the file led outside the window: there is nothing
            return b""
        self._at = end
        return self._data[at:end]

    def until(
        self,
        name: str,
        terminator: builtins.bytes,
        include: bool = False,  # noqa: FBT001, FBT002  (arguments by name only take longer)
        consume: bool = True,  # noqa: FBT001, FBT002  (likewise)
        eos_error: bool = True,  # noqa: FBT001, FBT002  (likewise)
    ) -> builtins.bytes:
        """Take bytes up to *terminator*, which is found at multiples of its own width only.

        include    return the terminator with the bytes
        consume    move past the terminator, and not only up to it
        eos_error  a missing terminator is an error; otherwise all bytes left are taken
        """
        at, width = self._at, len(terminator)
        found = self._data.find(terminator, at, self._end) if width == 1 else self._find(terminator)
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
        include  return the terminator with the bytes
        """
        raw = self.bytes(name, self.left if size is None else size)
        return cut_or_stored(raw, size, terminator, pad, include=include)

    def magic(self, name: str, wanted: builtins.bytes) -> None:
        """Take the bytes *wanted*; any others are an error."""
        at = self._at
        end = at + len(wanted)
        if end <= self._end and self._data[at:end] == wanted:
            self._at = end
            return
        found = self.bytes(name, len(wanted))
        if found != wanted:
            raise FormatError(name, at + self._origin, found, repr(wanted))

    def crc32(self, start: int, end: int) -> int:
        """Return the CRC-32 (of zlib) over the window's bytes from *start* to *end*."""
        return zlib.crc32(self._data[self._start + start : self._start + end])

    def crc32c(self, start: int, end: int) -> int:
        """Return the CRC-32C of the bytes from *start* to *end*, positions in the window."""
        return crc32c.crc32c(self._data[self._start + start : self._start + end])

    def array(self, name: str, count: int, form: str) -> list[Any]:
        """Take *count* numbers, each stored as *form* (of `struct`)."""
        each = WIDTHS[form]
        self.check_count(name, count, each)
        at = self._at
        self._at = end = at + count * each
        if each == 1 and form[1] == "B":
            return list(self._data[at:end])
        values = unpack(f"{form[0]}{count}{form[1]}", self._data[at:end])
        if form[1] == "f":
            return list(exact(values, form[0] + count * "f", self._data, at))
        return list(values)

    # What the methods above share

    def _find(self, terminator: builtins.bytes) -> int:
        at = found = self._at
        while (found := self._data.find(terminator, found, self._end)) >= 0:
            if (found - at) % len(terminator) == 0:
                return found
            found += 1
        return -1

    def _no_varint(self, name: str, form: str) -> FormatError:
        found = self._data[self._at : min(self._end, self._at + 10)]
        wanted = f"an integer of variable length ({form})"
        ended = self.left < 10  # noqa: PLR2004  (no integer is longer)
        kind = Truncated if ended else FormatError
        return kind(self._named(name), self.offset, repr(found), wanted)

    def _short_run(self, layout: FieldRun) -> FormatError:
        for name, form in zip(layout.names, forms(layout), strict=True):
            size = calcsize(form)
            if size > self.left:
                return self._short(name, size)
            self._at += size
        raise AssertionError(layout)  # pragma: no cover  (called only for a run that is too long)
