"""Putting numbers into bytes: of a fixed width, bit fields, of variable length.

The rules of `byteloom.wire.writer`, which builds on this, hold here.
"""

from __future__ import annotations

from contextlib import suppress
from operator import index
from struct import Struct
from struct import error as struct_error
from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError
from byteloom.wire.stored import StoredFloat, as_stored
from byteloom.wire.value_types import range_of, shown
from byteloom.wire.varints import FORMS, RANGES, StoredInt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from byteloom.wire.layouts import Bits, FieldRun

__all__ = ["NOWHERE", "NumberWriter"]

NOWHERE: Final = -1
"""The end of a stream that has no field which extends to its end."""


def _number(form: str) -> Callable[[NumberWriter, str, float], None]:
    """Make the method that puts one number stored as *form* (of `struct`)."""
    layout = Struct(form)
    size, pack = layout.size, layout.pack

    def put(self: NumberWriter, name: str, value: float) -> None:
        try:
            self.out += pack(value)
        except (struct_error, OverflowError, TypeError) as error:
            raise FormatError(name, None, shown(value), range_of(form, size)) from error

    return put


def _single(form: str, bits: str) -> Callable[[NumberWriter, str, float], None]:
    """Make the method that puts one float of four bytes; *bits* is the integer stored like it."""
    put_number, put_bits = _number(form), _number(bits)

    def put(self: NumberWriter, name: str, value: float) -> None:
        if type(value) is StoredFloat:
            put_bits(self, name, value.bits)
        else:
            put_number(self, name, value)

    return put


def _varint(form: str) -> Callable[[NumberWriter, str, int], None]:
    """Make the method that puts one integer of variable length, of the form *form*."""
    _, write = FORMS[form]
    low, high = RANGES[form]

    def put(self: NumberWriter, name: str, value: int) -> None:
        if not low <= value <= high:
            raise FormatError(name, None, value, f"an integer from {low} to {high}")
        self.out += write(value) if type(value) is int else _stored_as(value, form)

    return put


def _stored_as(value: int, form: str) -> bytes:
    """Return the bytes that *value* was read from, if they represent it in this form too."""
    read, write = FORMS[form]
    raw = value.stored if isinstance(value, StoredInt) else b""
    with suppress(ValueError):
        if read(raw, 0, len(raw)) == (value, len(raw)):
            return raw
    return write(index(value))


class NumberWriter:
    """A growing buffer, into which numbers are put.

    out   the bytes so far; generated code adds runs of numbers, and bytes, itself
    base  its offset in the stream
    """

    __slots__ = (
        "_base",
        "_bits",
        "_bits_held",
        "_end",
        "_end_name",
        "_follows",
        "_low",
        "_low_held",
        "out",
    )

    def __init__(self, base: int = 0) -> None:
        """Begin with an empty buffer."""
        self.out = bytearray()
        self._bits = 0
        self._bits_held = 0
        self._low = 0
        self._low_held = 0
        self._base = base
        self._end, self._end_name = NOWHERE, ""
        self._follows: list[tuple[int, bytes, str]] | None = None

    @property
    def start(self) -> int:
        """The offset in the stream where this writer began."""
        return self._base

    @property
    def pos(self) -> int:
        """Bytes from the start of the stream, without a partly written byte."""
        return self._base + len(self.out)

    def getvalue(self) -> bytes:
        """Return the written bytes; a partly written byte is filled up with zero bits."""
        self.align()
        return bytes(self.out)

    def ended(self) -> list[tuple[int, str]]:
        """Return the field that extends to the end of the stream, if there is one."""
        return [] if self._end == NOWHERE else [(self._base + self._end, self._end_name)]

    def followed(self) -> list[tuple[int, bytes, str]]:
        """Return the fields whose terminator the next field must begin with."""
        return self._follows or []

    # Numbers

    u1 = _number("B")
    u2le, u2be = _number("<H"), _number(">H")
    u4le, u4be = _number("<I"), _number(">I")
    u8le, u8be = _number("<Q"), _number(">Q")
    s1 = _number("b")
    s2le, s2be = _number("<h"), _number(">h")
    s4le, s4be = _number("<i"), _number(">i")
    s8le, s8be = _number("<q"), _number(">q")
    f4le, f4be = _single("<f", "<I"), _single(">f", ">I")
    f8le, f8be = _number("<d"), _number(">d")

    def keep_nans(self, layout: FieldRun, *values: float) -> None:
        """Give NaNs of four bytes in the run just put, *values*, the bits they were read from."""
        as_stored(self.out, len(self.out) - layout.size, layout.format, values)

    def too_wide(self, names: tuple[str, ...], layout: Bits, *values: int) -> FormatError:
        """Return the error for a run of bits with a value that has more bits than its field."""
        for name, value, width in zip(names, values, layout.widths, strict=True):
            if not 0 <= value < 1 << width:
                return self._no_bits(name, value, width)
        raise TypeError(values)

    def bits_be(self, name: str, value: int, width: int) -> None:
        """Put *width* bits, the highest of a byte first."""
        self._check_bits(name, value, width)
        if self._low_held:
            free = 8 - self._low_held - self._bits_held
            if width >= free:  # bits of the other order began this byte; these fill it up
                self.align(value >> width - free)
                width -= free
                value &= (1 << width) - 1
        held = self._bits_held + width
        self._bits = self._bits << width | value
        if not self._low_held:
            whole, held = divmod(held, 8)
            self.out += (self._bits >> held).to_bytes(whole, "big")
            self._bits &= (1 << held) - 1
        self._bits_held = held

    def bits_le(self, name: str, value: int, width: int) -> None:
        """Put *width* bits, the lowest of a byte first."""
        self._check_bits(name, value, width)
        if self._bits_held:
            free = 8 - self._low_held - self._bits_held
            if width >= free:  # likewise
                self.align(value & (1 << free) - 1)
                width -= free
                value >>= free
        held = self._low_held + width
        self._low |= value << self._low_held
        if not self._bits_held:
            whole, held = divmod(held, 8)
            self.out += (self._low & (1 << 8 * whole) - 1).to_bytes(whole, "little")
            self._low >>= 8 * whole
        self._low_held = held

    def align(self, spare: int = 0) -> None:
        """Fill up a partly written byte, with zero bits or with bits of *spare*."""
        if self._bits_held or self._low_held:
            free = 8 - self._bits_held - self._low_held
            spare &= (1 << free) - 1
            high = self._bits << free | spare
            self.out.append(high << self._low_held | self._low)
            self._bits = self._bits_held = self._low = self._low_held = 0

    def fill(self, stored: bytes) -> None:
        """Fill up a partly written byte with the corresponding bits of the byte *stored*."""
        if stored:
            self.align(stored[0] >> self._low_held)

    # Integers of variable length

    uleb128, protobuf = _varint("uleb128"), _varint("protobuf")
    zigzag, hadoop = _varint("zigzag"), _varint("hadoop")

    def varints(self, name: str, values: Iterable[int], form: str) -> None:
        """Put integers of variable length, each stored as *form*."""
        put: Callable[[str, int], None] = getattr(self, form)
        for value in values:
            put(name, value)

    # What the methods above share

    def _check_bits(self, name: str, value: int, width: int) -> None:
        if not 0 <= value < 1 << width:
            raise self._no_bits(name, value, width)

    @staticmethod
    def _no_bits(name: str, value: int, width: int) -> FormatError:
        return FormatError(name, None, value, f"an integer from 0 to {(1 << width) - 1}")
