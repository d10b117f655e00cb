"""Values that keep their original bytes, if a writer would store them differently.

Reading drops details that are not part of a value: padding after a terminator, a terminator that
the end of the stream made unnecessary, the level of a compression, the bits of a signaling NaN of
four bytes, which widening to Python's eight makes quiet.  Such a value keeps the bytes or bits it
was read from.  Otherwise it is an ordinary value.  A writer uses these again if they still
represent the value.

    Stored       bytes
    StoredText   text
    StoredFloat  NaNs of four bytes
    cut          removes padding and terminators from sized bytes
    laid         adds the terminator and padding that a writer stores
"""

from __future__ import annotations

import zlib
from math import isnan
from struct import Struct, calcsize, pack, pack_into
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

from byteloom.errors import ByteloomError, FormatError, Unsupported

if TYPE_CHECKING:
    from collections.abc import Sequence
    from mmap import mmap

__all__ = [
    "EXACT",
    "Processor",
    "Stored",
    "StoredFloat",
    "StoredText",
    "as_stored",
    "cut",
    "cut_or_stored",
    "deflated",
    "encoded",
    "encoded_field",
    "exact",
    "laid",
    "nan_of",
    "processed",
    "text_of",
    "unknown_encoding",
]


class StoredFloat(float):
    """A NaN that keeps the 32 bits it was stored in as `bits`."""

    __slots__ = ("bits",)

    bits: int

    def __new__(cls, value: float, bits: int = 0) -> Self:
        """Make a NaN from *value*, which keeps *bits*."""
        self = super().__new__(cls, value)
        self.bits = bits
        return self


def nan_of(value: float, bits: int) -> float:
    """Return the NaN *value*, which keeps its 32 *bits* if storing it would change them."""
    return value if pack("<f", value) == pack("<I", bits) else StoredFloat(value, bits)


def exact(values: tuple[Any, ...], form: str, data: bytes | mmap, at: int) -> tuple[Any, ...]:
    """Return *values*, read as *form* (of `struct`) at *at*, with NaNs that keep their bits."""
    if not isnan(sum(values)):
        return values
    bits = Struct(form.replace("f", "I")).unpack_from(data, at)
    return tuple(
        nan_of(value, stored) if letter == "f" and isnan(value) else value
        for letter, value, stored in zip(form[1:], values, bits, strict=True)
    )


def as_stored(sink: bytearray, at: int, form: str, values: Sequence[float]) -> None:
    """Restore the bits of NaNs among *values*, which were put into *sink* at *at* as *form*."""
    if StoredFloat not in set(map(type, values)):
        return
    for letter, value in zip(form[1:], values, strict=True):
        if letter == "f" and isinstance(value, StoredFloat):
            pack_into(f"{form[0]}I", sink, at, value.bits)
        at += calcsize(form[0] + letter)


_INVALID: Final = 8
"""Bytes of invalid text that an error shows."""

EXACT: Final = frozenset(
    form(name)
    for name in ("ascii", "utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be", "iso-8859-1")
    for form in (str, str.upper, str.title)
)
"""Encodings, as named in specs, in which different bytes are always different text."""


class Stored(bytes):
    """Bytes that keep the bytes they were decoded from as `stored`."""

    stored: bytes

    def __new__(cls, value: bytes, stored: bytes = b"") -> Self:
        """Make a value that keeps *stored*."""
        self = super().__new__(cls, value)
        self.stored = stored
        return self


class StoredText(str):
    """Text that keeps the bytes it was decoded from as `stored`."""

    __slots__ = ("stored",)

    stored: bytes

    def __new__(cls, value: str, stored: bytes = b"") -> Self:
        """Make a value that keeps *stored*."""
        self = super().__new__(cls, value)
        self.stored = stored
        return self


def cut(raw: bytes, terminator: bytes, pad: int | None, *, include: bool) -> bytes:
    """Return *raw* without padding, and up to the first terminator.

    A terminator is found at multiples of its own width.  One that equals the padding ends the bytes
    where it first occurs, since everything after it is padding.
    """
    if pad is not None and not (terminator and set(terminator) == {pad}):
        raw = raw.rstrip(bytes((pad,)))
    width = len(terminator)
    found = raw.find(terminator) if width else -1
    while found >= 0 and found % width:
        found = raw.find(terminator, found + 1)
    if found < 0:
        return raw
    return raw[: found + width if include else found]


def laid(
    value: bytes, size: int | None, terminator: bytes, pad: int | None, *, include: bool
) -> bytes:
    """Return *value* with its terminator, if there is room for one, and padding up to *size*.

    size  None: as short as possible
    """
    end = b"" if include else terminator
    if size is None:
        alone = cut(value, terminator, pad, include=include) == value
        return value if alone else value + end
    ended = value + end if len(value) + len(end) <= size else value
    return ended + bytes((pad or 0,)) * (size - len(ended))


def cut_or_stored(
    raw: bytes, size: int | None, terminator: bytes, pad: int | None, *, include: bool
) -> bytes:
    """Return *raw* without padding and terminator; it remembers *raw* if that is laid otherwise.

    size  the bytes that it has to take; None: no more than it needs
    """
    if len(terminator) == 1 and pad is None and not include and size is not None:
        value, found, rest = raw.partition(terminator)  # as below, for what is usual
        return Stored(value, raw) if found and rest.strip(b"\0") else value
    value = cut(raw, terminator, pad, include=include)
    usual = laid(value, size, terminator, pad, include=include) == raw
    return value if usual else Stored(value, raw)


def text_of(raw: bytes, encoding: str) -> str:
    """Decode *raw* as text, which keeps *raw* if encoding it would give other bytes."""
    text = raw.decode(encoding)
    if type(raw) is bytes and (encoding in EXACT or text.encode(encoding) == raw):
        return text
    return StoredText(text, raw)


def invalid_text(raw: bytes, error: Exception) -> tuple[int, bytes]:
    """Return the offset of the first byte of *raw* that is not text, and some bytes from it on.

    Where a codec does not say which byte that is, it is the first.
    """
    at = error.start if isinstance(error, UnicodeDecodeError) else 0
    return at, raw[at : at + _INVALID]


def unknown_encoding(name: str, encoding: str, offset: int | None = None) -> Unsupported:
    """Return the error about a field whose spec names an encoding that Python does not know."""
    wanted = "an encoding that Python knows, in the spec"
    return Unsupported(name, offset, f"the encoding {encoding!r}", wanted)


def encoded(text: str, encoding: str) -> bytes:
    """Return the bytes that *text* was decoded from, or else its encoding."""
    if isinstance(text, StoredText):
        stored = text.stored
        try:
            if stored.decode(encoding) == text:
                return stored
        except (UnicodeError, LookupError):
            pass
    return text.encode(encoding)


def encoded_field(name: str, text: str, encoding: str) -> bytes:
    """Return the bytes of *text*, the value of the field *name*.

    raises  `Unsupported` for an encoding that Python does not know, `FormatError` for text that the
            encoding cannot hold
    """
    try:
        return encoded(text, encoding)
    except LookupError as error:
        raise unknown_encoding(name, encoding) from error
    except UnicodeError as error:
        raise FormatError(name, None, repr(text[:40]), f"text that {encoding} can hold") from error


class Processor(Protocol):
    """A custom process, with the interface of the official runtime."""

    def decode(self, data: bytes, /) -> bytes:
        """Return the value stored as *data*."""

    def encode(self, data: bytes, /) -> bytes:
        """Return the stored form of *data*."""


def processed(value: bytes, by: Processor) -> bytes:
    """Return *value* encoded by a custom processor; an unchanged value keeps its bytes."""
    try:
        if isinstance(value, Stored) and by.decode(value.stored) == value:
            return value.stored
        return bytes(by.encode(value))
    except ByteloomError:
        raise
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
        raise FormatError("", None, found, "a processor that encodes") from error


def deflated(value: bytes) -> bytes:
    """Return the zlib stream that *value* was read from, or else a new one."""
    if isinstance(value, Stored):
        inflate = zlib.decompressobj()
        try:
            if inflate.decompress(value.stored, len(value) + 1) == value and inflate.eof:
                return value.stored
        except zlib.error:
            pass
    return zlib.compress(value)
