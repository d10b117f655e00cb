"""Putting fields into bytes: the mirror image of `byteloom.wire.reader`.

A value that its field cannot hold is refused with the field's path before anything leaves the
writer: the sink is memory, and whoever asked for the bytes gets all of them or an error.
"""

from __future__ import annotations

import builtins
import zlib
from struct import Struct, calcsize, pack
from struct import error as struct_error
from typing import TYPE_CHECKING, Protocol

from byteloom.errors import ByteloomError, FormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence, Sized

__all__ = ["Writable", "Writer"]


class Writable(Protocol):
    """A record, or anything else that can put itself into a writer."""

    def write(self, w: Writer, /) -> None:
        """Put this one into *w*."""


def _number(form: str) -> Callable[[Writer, str, float], None]:
    """Make the method that puts one number stored as *form* (of `struct`)."""
    layout = Struct(form)
    size, pack = layout.size, layout.pack

    def put(self: Writer, name: str, value: float) -> None:
        try:
            self._sink += pack(value)
        except (struct_error, OverflowError, TypeError) as error:
            raise FormatError(name, None, value, _range_of(form, size)) from error

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


class Writer:
    """A growing run of bytes."""

    __slots__ = ("_bits", "_bits_held", "_bits_le", "_sink")

    def __init__(self) -> None:
        """Begin with nothing."""
        self._sink = bytearray()
        self._bits = 0
        self._bits_held = 0
        self._bits_le = False

    @property
    def pos(self) -> int:
        """Bytes written so far, a byte begun not counted."""
        return len(self._sink)

    @property
    def size(self) -> int:
        """The size of the whole stream, which no one knows while it is being written."""
        raise FormatError(
            "_io.size", None, "a stream being written", "a value that does not need its size"
        )

    @property
    def eof(self) -> bool:
        """Whether the stream is at its end: while it is being written, always."""
        return True

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
    f4le, f4be = _number("<f"), _number(">f")
    f8le, f8be = _number("<d"), _number(">d")

    def run(self, names: tuple[str, ...], layout: Struct, *values: float) -> None:
        """Put a run of fixed numbers in one step; *layout* has one letter for each name."""
        try:
            self._sink += layout.pack(*values)
        except (struct_error, OverflowError, TypeError) as error:
            raise self._unfit(names, layout, values) from error

    def bits_be(self, name: str, value: int, width: int) -> None:
        """Put *width* bits, the highest of a byte first."""
        self._check_bits(name, value, width)
        self._bits = self._bits << width | value
        self._bits_held += width
        self._bits_le = False
        whole, self._bits_held = divmod(self._bits_held, 8)
        self._sink += (self._bits >> self._bits_held).to_bytes(whole, "big")
        self._bits &= (1 << self._bits_held) - 1

    def bits_le(self, name: str, value: int, width: int) -> None:
        """Put *width* bits, the lowest of a byte first."""
        self._check_bits(name, value, width)
        self._bits |= value << self._bits_held
        self._bits_held += width
        self._bits_le = True
        whole, self._bits_held = divmod(self._bits_held, 8)
        self._sink += (self._bits & (1 << 8 * whole) - 1).to_bytes(whole, "little")
        self._bits >>= 8 * whole

    def align(self) -> None:
        """Fill up a byte begun with zero bits."""
        if self._bits_held:
            self._sink.append(self._bits if self._bits_le else self._bits << 8 - self._bits_held)
            self._bits = self._bits_held = 0

    # Bytes

    def bytes(self, name: str, value: builtins.bytes, size: int | None = None) -> None:
        """Put *value*, which has to be *size* bytes long where a size is given."""
        if size is not None and len(value) != size:
            raise FormatError(name, None, f"{len(value)} bytes", f"{size} bytes")
        self._sink += value

    def delimited(  # noqa: PLR0913  (as many as a spec has keys for the end of bytes)
        self,
        name: str,
        value: builtins.bytes,
        *,
        size: int | None = None,
        terminator: builtins.bytes = b"",
        included: bool = False,
        pad: int | None = None,
    ) -> None:
        """Put *value* and what ends it: a terminator, padding up to *size*, or both.

        included  the terminator is the end of *value* already
        """
        bare = value.removesuffix(terminator) if included and terminator else value
        if terminator and any(
            bare[at : at + len(terminator)] == terminator
            for at in range(0, len(bare), len(terminator))
        ):
            raise FormatError(
                name, None, repr(value[:40]), f"bytes without {terminator!r}, which ends them"
            )
        if size is None:
            self.bytes(name, bare + terminator)
            return
        if len(value) > size:
            raise FormatError(name, None, f"{len(value)} bytes", f"at most {size} bytes")
        ended = bare + terminator if len(bare) + len(terminator) <= size else bare
        self.bytes(name, ended + builtins.bytes((pad or 0,)) * (size - len(ended)), size)

    def array(self, name: str, values: Sequence[float], form: str) -> None:
        """Put numbers, each stored as *form* (of `struct`)."""
        try:
            self._sink += pack(f"{form[0]}{len(values)}{form[1]}", *values)
        except (struct_error, OverflowError, TypeError) as error:
            raise FormatError(
                name, None, "a value out of range", _range_of(form, calcsize(form))
            ) from error

    def check_count(self, name: str, values: Sized, count: int) -> None:
        """Refuse *values* where there are not *count* of them."""
        if len(values) != count:
            raise FormatError(
                name, None, f"{len(values)} elements", f"{count}, as another field says"
            )

    def crc32(self, start: int, end: int) -> int:
        """Return the CRC-32 (of zlib) over the bytes from *start* to *end* of what was written."""
        return zlib.crc32(memoryview(self._sink)[start:end])

    def magic(self, name: str, value: builtins.bytes) -> None:
        """Put the bytes *value* (the name is there for whoever traces)."""
        self.bytes(name, value)

    def encoded(self, name: str, value: str, encoding: str) -> builtins.bytes:
        """Return *value* as bytes."""
        try:
            return value.encode(encoding)
        except (UnicodeError, LookupError) as error:
            raise FormatError(
                name, None, repr(value[:40]), f"text that {encoding} can hold"
            ) from error

    def deflated(self, name: str, value: builtins.bytes) -> builtins.bytes:  # noqa: ARG002
        """Return *value* compressed by zlib."""
        return zlib.compress(value)

    def processed(
        self, name: str, value: builtins.bytes, encode: Callable[[builtins.bytes], builtins.bytes]
    ) -> builtins.bytes:
        """Return *value* as a custom processor stores it."""
        try:
            return builtins.bytes(encode(value))
        except ByteloomError:
            raise
        except Exception as error:
            raise FormatError(
                name, None, f"{type(error).__name__}: {error}", "a processor that encodes"
            ) from error

    def window(self, name: str, value: Writable) -> builtins.bytes:
        """Return one record as bytes, in a stream of its own."""
        inner = Writer()
        inner.record(name, value)
        return inner.getvalue()

    # Records

    def record(self, name: str, value: Writable) -> None:
        """Put one record; an error inside it begins with *name*."""
        try:
            value.write(self)
        except FormatError as error:
            raise error.inside(name) from error.__cause__

    def records(self, name: str, values: Iterable[Writable]) -> None:
        """Put records one after another."""
        done = 0
        try:
            for value in values:
                value.write(self)
                done += 1
        except FormatError as error:
            raise error.inside(f"{name}[{done}]") from error.__cause__

    def invalid(self, name: str, found: object, wanted: str) -> FormatError:
        """Return the error that the value *found* is not what is *wanted*."""
        return FormatError(name, None, found, wanted)

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
