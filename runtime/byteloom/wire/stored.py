"""Values that remember how they were stored, where that is not how a writer would store them.

Reading drops what is in the bytes but not in the value: padding after a terminator, a terminator
that the end of the stream made needless, the level of a compression.  A value that lost something
carries the bytes it came from.  It is a value like any other, and a writer takes these bytes again
as long as they still mean that value; where they do not, they are forgotten.

    Stored      bytes
    StoredText  text
    cut         what padding and terminators leave of sized bytes
    laid        the sized bytes that a writer makes of a value
"""

from __future__ import annotations

import zlib
from typing import Final, Protocol, Self

from byteloom.errors import ByteloomError, FormatError

__all__ = [
    "Processor", "Stored", "StoredText", "cut", "cut_or_stored", "deflated", "encoded",
    "exactly_decoded", "laid", "processed", "text_of",
]  # fmt: skip

_EXACT: Final = frozenset(
    form(name)
    for name in ("ascii", "utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be", "iso-8859-1")
    for form in (str, str.upper, str.title)
)
"""Encodings, as specs write them, in which no two runs of bytes are the same text."""


class Stored(bytes):
    """Bytes, and in `stored` the bytes they were made from."""

    stored: bytes

    def __new__(cls, value: bytes, stored: bytes = b"") -> Self:
        """Make *value* remember *stored*."""
        self = super().__new__(cls, value)
        self.stored = stored
        return self


class StoredText(str):
    """Text, and in `stored` the bytes it was decoded from."""

    __slots__ = ("stored",)

    stored: bytes

    def __new__(cls, value: str, stored: bytes = b"") -> Self:
        """Make *value* remember *stored*."""
        self = super().__new__(cls, value)
        self.stored = stored
        return self


def cut(raw: bytes, terminator: bytes, pad: int | None, *, include: bool) -> bytes:
    """Return what is left of *raw* without padding, and then up to the first terminator.

    A terminator counts at multiples of its own width.  One made of the padding ends the bytes
    where it first occurs: what comes after it is padding anyway.
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
    """Return *value* with its terminator, where there is room for one, and padding up to *size*.

    size  None: no longer than it has to be
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
    value = cut(raw, terminator, pad, include=include)
    usual = laid(value, size, terminator, pad, include=include) == raw
    return value if usual else Stored(value, raw)


def exactly_decoded(encoding: str) -> bool:
    """Whether no two runs of bytes are the same text in *encoding*."""
    return encoding in _EXACT


def text_of(raw: bytes, encoding: str) -> str:
    """Return *raw* as text that remembers it, where encoding the text would give other bytes."""
    text = raw.decode(encoding)
    if type(raw) is bytes and (encoding in _EXACT or text.encode(encoding) == raw):
        return text
    return StoredText(text, raw)


def encoded(text: str, encoding: str) -> bytes:
    """Return the bytes that *text* was decoded from, or else what it encodes to."""
    if isinstance(text, StoredText):
        stored = text.stored
        try:
            if stored.decode(encoding) == text:
                return stored
        except (UnicodeError, LookupError):
            pass
    return text.encode(encoding)


class Processor(Protocol):
    """A custom process, as the official runtime knows them."""

    def decode(self, data: bytes, /) -> bytes:
        """Return what was stored as *data*."""

    def encode(self, data: bytes, /) -> bytes:
        """Return *data* as it is stored."""


def processed(value: bytes, by: Processor) -> bytes:
    """Return *value* as a custom processor stores it, or as it was read by it."""
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
    """Return the zlib stream that *value* came from, or else a new one."""
    if isinstance(value, Stored):
        inflate = zlib.decompressobj()
        try:
            if inflate.decompress(value.stored, len(value) + 1) == value and inflate.eof:
                return value.stored
        except zlib.error:
            pass
    return zlib.compress(value)
