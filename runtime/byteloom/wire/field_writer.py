"""Putting single fields into bytes: numbers, bits and bytes, and what ends them.

The rules of `byteloom.wire.writer`, which builds on this, hold here.
"""

from __future__ import annotations

import zlib
from contextlib import suppress
from struct import Struct, calcsize, pack
from struct import error as struct_error
from typing import TYPE_CHECKING

from byteloom.errors import FormatError
from byteloom.wire.floats import StoredFloat, as_stored
from byteloom.wire.stored import Stored, cut, deflated, encoded, laid, processed
from byteloom.wire.varints import FORMS, RANGES, StoredInt

if TYPE_CHECKING:
    import builtins
    from collections.abc import Callable, Iterable, Sequence, Sized

    from byteloom.wire.stored import Processor
    from byteloom.wire.streams import Stream

__all__ = ["FieldWriter"]


def _number(form: str) -> Callable[[FieldWriter, str, float], None]:
    """Make the method that puts one number stored as *form* (of `struct`)."""
    layout = Struct(form)
    size, pack = layout.size, layout.pack

    def put(self: FieldWriter, name: str, value: float) -> None:
        try:
            self._sink += pack(value)
        except (struct_error, OverflowError, TypeError) as error:
            raise FormatError(name, None, value, _range_of(form, size)) from error

    return put


def _single(form: str, bits: str) -> Callable[[FieldWriter, str, float], None]:
    """Make the method that puts one float of four bytes; *bits* is the integer stored like it."""
    put_number, put_bits = _number(form), _number(bits)

    def put(self: FieldWriter, name: str, value: float) -> None:
        if type(value) is StoredFloat:
            put_bits(self, name, value.bits)
        else:
            put_number(self, name, value)

    return put


def _range_of(form: str, size: int) -> str:
    letter = form[-1]
    if letter in "fd":
        return f"a number that fits {size} bytes"
    low, high = (
        (-(1 << 8 * size - 1), (1 << 8 * size - 1) - 1)
        if letter.islower()
        else (0, (1 << 8 * size) - 1)
    )
    return f"an integer from {low} to {high}"


def _varint(form: str) -> Callable[[FieldWriter, str, int], None]:
    """Make the method that puts one integer of variable length, of the form *form*."""
    _, write = FORMS[form]
    low, high = RANGES[form]

    def put(self: FieldWriter, name: str, value: int) -> None:
        if not low <= value <= high:
            raise FormatError(name, None, value, f"an integer from {low} to {high}")
        self._sink += write(value) if type(value) is int else _stored_as(value, form)

    return put


def _stored_as(value: int, form: str) -> bytes:
    """Return the bytes that *value* came from, if they mean it in this form too."""
    read, write = FORMS[form]
    raw = value.stored if isinstance(value, StoredInt) else b""
    with suppress(ValueError):
        if read(raw, 0, len(raw)) == (value, len(raw)):
            return raw
    return write(int(value))


class FieldWriter:
    """A growing run of bytes.

    layout  what its stream has to know of fields that others come behind
    base    where in the stream it begins
    """

    __slots__ = ("_base", "_bits", "_bits_held", "_layout", "_low", "_low_held", "_sink")

    def __init__(self, layout: Stream, base: int = 0) -> None:
        """Begin with nothing."""
        self._sink = bytearray()
        self._bits = 0
        self._bits_held = 0
        self._low = 0
        self._low_held = 0
        self._layout = layout
        self._base = base

    @property
    def start(self) -> int:
        """Where in the stream this writer began."""
        return self._base

    @property
    def pos(self) -> int:
        """Bytes from the start of the stream, a byte begun not counted."""
        return self._base + len(self._sink)

    def getvalue(self) -> bytes:
        """Return what was written; a byte begun is filled up with zero bits."""
        self.align()
        return bytes(self._sink)

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

    def run(self, names: tuple[str, ...], layout: Struct, *values: float) -> None:
        """Put a run of fixed numbers in one step; *layout* has one letter for each name."""
        try:
            self._sink += layout.pack(*values)
        except (struct_error, OverflowError, TypeError) as error:
            raise self._unfit(names, layout, values) from error

    def run_floats(self, names: tuple[str, ...], layout: Struct, *values: float) -> None:
        """Put a run of fixed numbers, some of them floats of four bytes."""
        at = len(self._sink)
        self.run(names, layout, *values)
        as_stored(self._sink, at, layout.format, values)

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
            self._sink += (self._bits >> held).to_bytes(whole, "big")
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
            self._sink += (self._low & (1 << 8 * whole) - 1).to_bytes(whole, "little")
            self._low >>= 8 * whole
        self._low_held = held

    def align(self, spare: int = 0) -> None:
        """Fill up a byte begun, with zero bits or as many bits of *spare*."""
        if self._bits_held or self._low_held:
            free = 8 - self._bits_held - self._low_held
            spare &= (1 << free) - 1
            high = self._bits << free | spare
            self._sink.append(high << self._low_held | self._low)
            self._bits = self._bits_held = self._low = self._low_held = 0

    def fill(self, stored: builtins.bytes) -> None:
        """Fill up a byte begun with the bits that this byte *stored* has there."""
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

    # Bytes

    def bytes(
        self, name: str, value: builtins.bytes, size: int | None = None, by: str = ""
    ) -> None:
        """Put *value*, which has to be *size* bytes long where a size is given.

        by  what gives the size, for what the error says
        """
        if size is not None and len(value) != size:
            raise self._unequal(name, value, size, by)
        self._sink += value

    def rest(self, name: str, value: builtins.bytes) -> None:
        """Put *value*, after which the stream ends."""
        self._sink += value
        self.ends(name)

    def sized(  # noqa: PLR0913  (as many as a spec has keys for the end of bytes)
        self,
        name: str,
        value: builtins.bytes,
        size: int | None,
        *,
        terminator: builtins.bytes = b"",
        include: bool = False,
        pad: int | None = None,
        by: str = "",
    ) -> None:
        """Put *value*, its terminator where there is room for one, and padding up to *size*.

        size     None: what *value* took when it was read, or takes at least
        include  the terminator is the end of *value* already
        by       what gives the size, for what the error says
        """
        kept = value.stored if isinstance(value, Stored) else b""
        fits = kept and size in {None, len(kept)}
        if fits and cut(kept, terminator, pad, include=include) == value:
            self._sink += kept
            return
        if size is not None and len(value) > size:
            raise self._unequal(name, value, size, by)
        raw = laid(value, size, terminator, pad, include=include)
        if cut(raw, terminator, pad, include=include) != value:
            ends = f" and {terminator!r}" if terminator else ""
            padding = f"padding of {pad}" if pad is not None else ""
            raise FormatError(
                name, None, repr(value[:40]), f"bytes that {padding}{ends} do not cut short"
            )
        self._sink += raw

    def until(  # noqa: PLR0913  (likewise)
        self,
        name: str,
        value: builtins.bytes,
        terminator: builtins.bytes,
        *,
        include: bool = False,
        consume: bool = True,
        eos_error: bool = True,
    ) -> None:
        """Put *value* and the *terminator* that ends it.

        include    the terminator is the end of *value* already
        consume    put the terminator too, and do not leave it to the next field
        eos_error  a terminator has to be there, even at the end of the stream
        """
        core = value.removesuffix(terminator) if include else value
        ended = len(core) != len(value)
        if len(cut(core, terminator, None, include=False)) != len(core):
            raise FormatError(
                name, None, repr(value[:40]), f"bytes without {terminator!r}, which ends them"
            )
        if not eos_error and isinstance(value, Stored) and value.stored == value and not ended:
            self.rest(name, value)
        elif include and not ended:
            raise FormatError(name, None, repr(value[-40:]), f"bytes that end in {terminator!r}")
        elif consume:
            self._sink += core + terminator
        else:
            self._sink += core
            self._layout.follows.append((self.pos, terminator, name))

    def ends(self, name: str) -> None:
        """Refuse whatever comes behind this place: the field *name* takes all there is."""
        self._layout.ends.append((self.pos, name))

    def array(self, name: str, values: Sequence[float], form: str) -> None:
        """Put numbers, each stored as *form* (of `struct`)."""
        at = len(self._sink)
        try:
            self._sink += pack(f"{form[0]}{len(values)}{form[1]}", *values)
        except (struct_error, OverflowError, TypeError) as error:
            raise FormatError(
                name, None, "a value out of range", _range_of(form, calcsize(form))
            ) from error
        if form[1] == "f":
            as_stored(self._sink, at, form[0] + len(values) * "f", values)

    def check_count(self, name: str, values: Sized, count: int, by: str = "") -> None:
        """Refuse *values* where there are not *count* of them, which *by* gives."""
        if len(values) != count:
            said = f", as {by} says" if by else ""
            raise FormatError(name, None, f"{len(values)} elements", f"{count}{said}")

    def crc32(self, start: int, end: int) -> int:
        """Return the CRC-32 (of zlib) over the bytes from *start* to *end* of what was written."""
        return zlib.crc32(memoryview(self._sink)[start - self._base : end - self._base])

    def magic(self, name: str, value: builtins.bytes) -> None:
        """Put the bytes *value* (the name is there for whoever traces)."""
        self.bytes(name, value)

    def encoded(self, name: str, value: str, encoding: str) -> builtins.bytes:
        """Return *value* as bytes."""
        try:
            return encoded(value, encoding)
        except (UnicodeError, LookupError) as error:
            raise FormatError(
                name, None, repr(value[:40]), f"text that {encoding} can hold"
            ) from error

    def deflated(self, name: str, value: builtins.bytes) -> builtins.bytes:  # noqa: ARG002
        """Return *value* compressed by zlib: as it was read, where it is what was read."""
        return deflated(value)

    def processed(self, name: str, value: builtins.bytes, by: Processor) -> builtins.bytes:
        """Return *value* as a custom processor stores it, or as it was read by it."""
        try:
            return processed(value, by)
        except FormatError as error:
            raise error.inside(name) from error.__cause__

    # Errors

    def unexpected(self, name: str, value: object) -> FormatError:
        """Return the error that *name* has a *value* though its condition says it is not there."""
        return FormatError(name, None, repr(value)[:80], "nothing, as its condition says")

    def invalid(self, name: str, found: object, wanted: str) -> FormatError:
        """Return the error that the value *found* is not what is *wanted*."""
        return FormatError(name, None, found, wanted)

    @staticmethod
    def _unequal(name: str, value: builtins.bytes, size: int, by: str) -> FormatError:
        said = f", as {by} says" if by else ""
        return FormatError(name, None, f"{len(value)} bytes", f"{size} bytes{said}")

    @staticmethod
    def _unfit(names: tuple[str, ...], layout: Struct, values: tuple[float, ...]) -> FormatError:
        order, letters = layout.format[0], layout.format[1:]
        for name, letter, value in zip(names, letters, values, strict=True):
            try:
                pack(order + letter, value)
            except (struct_error, OverflowError, TypeError):
                return FormatError(
                    name, None, value, _range_of(order + letter, calcsize(order + letter))
                )
        return FormatError(names[0], None, values, f"numbers stored as {layout.format}")

    @staticmethod
    def _check_bits(name: str, value: int, width: int) -> None:
        if not 0 <= value < 1 << width:
            raise FormatError(name, None, value, f"an integer from 0 to {(1 << width) - 1}")
