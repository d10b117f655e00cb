"""The window of a buffer that a reader never leaves, its account, and errors for what does not fit.

- The rules of `byteloom.wire.reader`, which builds on this, hold here.
- All windows, views and streams of a read share one account: a file cannot use up a limit
  separately in each of its parts.  Elements of no bytes count against an allowance for the whole
  file.
"""

from __future__ import annotations

import zlib
from mmap import mmap
from typing import Final, Protocol

from byteloom.errors import (
    ArgumentError,
    ChecksumMismatch,
    FormatError,
    LimitExceeded,
    Truncated,
    count_of_bytes,
    count_of_elements,
)
from byteloom.limits import DEFAULT_LIMITS, FREE_EXPANSION, Limits

__all__ = [
    "Account",
    "Buffer",
    "Stream",
    "Window",
    "inflate",
]

_FED: Final = 1 << 16
"""Bytes that are decompressed at a time; the remaining input is copied each time."""

_STEP: Final = 1 << 20
"""Bytes that are produced at a time, which need as much memory again for a moment."""


class Account:
    """The account of one read.

    depth    the present nesting of records, and the deepest that is allowed
    objects  the number of records, and the most that are allowed
    elements  the most elements that a repeated field may have
    empty    how many more elements of no bytes are allowed
    room     how many more bytes decompression may produce
    """

    __slots__ = ("deepest", "depth", "elements", "empty", "most", "objects", "room")

    def __init__(self, size: int, limits: Limits) -> None:
        """Open the account for a read of *size* bytes."""
        self.depth, self.deepest = 0, limits.nesting
        self.objects, self.most = 0, limits.objects
        self.elements = limits.elements
        self.empty = limits.empty_elements + size
        self.room = FREE_EXPANSION + limits.expansion * size


def inflate(raw: bytes, most: int) -> bytes | None:
    """Decompress *raw* with zlib; return None if the result has more than *most* bytes.

    errors  zlib.error: not a zlib stream; EOFError: it ends too early
    """
    stream, source = zlib.decompressobj(), memoryview(raw)
    parts, size, at, rest = list[bytes](), 0, 0, b""
    while not stream.eof:
        if not rest:
            rest = bytes(source[at : at + _FED])
            at += len(rest)
        part = stream.decompress(rest, min(_STEP, most + 1 - size))
        parts.append(part)
        size += len(part)
        if size > most:
            return None
        rest = stream.unconsumed_tail
        if not part and not rest and at == len(source) and not stream.eof:
            raise EOFError
    return parts[0] if len(parts) == 1 else b"".join(parts)


Buffer = bytes | mmap
"""The input of a reader: slicing either type returns bytes, and copies only the slice."""


class Stream(Protocol):
    """The stream that a record was read from, or is being written to; Kaitai's ``_io``."""

    @property
    def pos(self) -> int:
        """Bytes from the start."""

    @property
    def size(self) -> int:
        """Bytes in all."""

    @property
    def eof(self) -> bool:
        """Whether nothing is left."""


class Window:
    """A window of a buffer, and a position in it.

    data    bytes or a memory map; other buffers are copied once
    limits  what reading may cost
    origin  where data[0] is in the file, for a buffer fetched from its middle
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
        "limits",
    )

    def __init__(
        self,
        data: Buffer | bytearray | memoryview,
        *,
        limits: Limits = DEFAULT_LIMITS,
        origin: int = 0,
    ) -> None:
        """Begin at the first byte of *data*, with all of it as the window."""
        self._data: Buffer = data if isinstance(data, bytes | mmap) else _copied(data)
        self._start = 0
        self._at = 0
        self._end = len(self._data)
        self._bits = 0
        self._bits_left = 0
        self._origin = origin
        self._element: tuple[str, int, int] | None = None
        self._spent = Account(len(self._data), limits)
        self.limits = limits

    # Its position

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
        """Bytes from here to the end of the window; 0 past the end."""
        left = self._end - self._at
        return max(0, left)

    @property
    def eof(self) -> bool:
        """Whether nothing is left, not even bits of the last byte."""
        return self._at >= self._end and self._bits_left == 0

    @property
    def offset(self) -> int:
        """Bytes from the start of the file."""
        return self._at + self._origin

    # Checks of counts

    def check_count(self, name: str, count: int, each: int) -> None:
        """Refuse a *count* of elements, of at least *each* bytes, that do not fit."""
        left = self._end - self._at
        if each and 0 <= count * each <= left and count <= self._spent.elements:
            return
        if count < 0:
            raise FormatError(name, self.offset, count, "a count of 0 or more")
        if count > self.limits.elements:
            raise self.exceeds(name, "elements", count)
        if each == 0 and count > 8 * self.left + self._bits_left + self._spent.empty:
            raise self._unpaid(name, f"{count} elements, most of 0 bytes")
        if count * each > self.left:
            raise Truncated(
                name,
                self.offset,
                f"{count_of_bytes(self.left)} left",
                count_of_elements(count, each),
            )

    # Errors

    def invalid(self, name: str, at: int, found: object, wanted: str) -> FormatError:
        """Return the error for *found*, read at file offset *at*, where *wanted* is expected."""
        return FormatError(self._named(name), at, found, wanted)

    def damaged(self, name: str, at: int, found: int, wanted: int) -> ChecksumMismatch:
        """Return the error for the wrong checksum *found* at offset *at*."""
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

    def _too_many(self, name: str) -> LimitExceeded:
        """Return the error that the record *name* is nested too deeply, or is one too many."""
        spent = self._spent
        if spent.depth >= spent.deepest:
            return self.exceeds(name, "nesting", spent.depth + 1)
        return self.exceeds(name, "objects", spent.objects)

    def _named(self, name: str) -> str:
        """Return *name*, with its index if it is an element of a loop."""
        element = self._element
        if element is not None and element[0] == name and element[2] == self._spent.depth:
            return f"{name}[{element[1]}]"
        return name

    def _unpaid(self, name: str, found: str) -> LimitExceeded:
        most = self.limits.empty_elements
        wanted = f"at most one for each byte, and {most} (limits.empty_elements)"
        return LimitExceeded(self._named(name), self.offset, found, wanted)

    def _astray(self, name: str, pos: int) -> FormatError:
        return FormatError(
            name, None, f"position {pos}", f"0 to {self.size}, the size of its stream"
        )

    def _short(self, name: str, size: int) -> FormatError:
        if self._at > self._end:  # a position from the file led outside the window
            return self._astray(self._named(name), self.pos)
        if size < 0:
            return FormatError(
                self._named(name), self.offset, f"a size of {size}", "0 or more bytes"
            )
        return Truncated(
            self._named(name),
            self.offset,
            f"{count_of_bytes(self.left)} left",
            count_of_bytes(size),
        )


def _copied(data: bytearray | memoryview) -> bytes:
    """Copy a buffer to bytes; `FormatError` for a path, an open file or another object."""
    try:
        return bytes(memoryview(data))
    except TypeError:
        wanted = "bytes or another buffer; a record's `from_file` takes a path"
        raise ArgumentError(
            "data", None, f"a value of type {type(data).__name__}", wanted
        ) from None
