"""Putting single fields into bytes: runs of bytes, their terminators and padding.

The rules of `byteloom.wire.writer`, which builds on this, hold here.
"""

from __future__ import annotations

import zlib
from struct import calcsize, pack
from struct import error as struct_error
from typing import TYPE_CHECKING

from byteloom.errors import FormatError, count_of_elements
from byteloom.late import crc32c
from byteloom.wire.contradictions import Unended, Unequal
from byteloom.wire.number_writer import NOWHERE, NumberWriter
from byteloom.wire.stored import (
    EXACT,
    Stored,
    as_stored,
    cut,
    deflated,
    encoded_field,
    laid,
    processed,
)
from byteloom.wire.value_types import range_of

if TYPE_CHECKING:
    import builtins
    from collections.abc import Sequence, Sized

    from byteloom.wire.stored import Processor

__all__ = ["FieldWriter"]


class FieldWriter(NumberWriter):
    """A growing buffer, into which fields are put.

    out   the bytes so far
    base  its offset in the stream
    """

    __slots__ = ()

    # Bytes

    def bytes(
        self, name: str, value: builtins.bytes, size: int | None = None, by: str = ""
    ) -> None:
        """Put *value*, which has to be *size* bytes long where a size is given.

        by  the field that gives the size, for the error
        """
        if size is not None and len(value) != size:
            self._contradicts(self._unequal(name, value, size, by))
        self.out += value

    def padding(self, name: str, value: builtins.bytes, size: int, by: str) -> None:
        """Put *value*, which must have *size* bytes; a value of only zeros may have any length."""
        if len(value) != size and value.strip(b"\0"):
            self._contradicts(self._unequal(name, value, size, by))
            size = len(value)
        self.out += value if len(value) == size else b"\0" * size

    def rest(self, name: str, value: builtins.bytes) -> None:
        """Put *value*, which ends the stream."""
        self.out += value
        if self._end == NOWHERE:
            self._end, self._end_name = len(self.out), name

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
        """Put *value*, its terminator if there is room for one, and padding up to *size*.

        size     None: the size that *value* was read with, or else the least that it needs
        include  *value* already ends in the terminator
        by       the field that gives the size, for the error
        """
        if type(value) is bytes and size is not None and pad is None and not include:
            room = size - len(value)
            if room >= 0 and len(terminator) == 1 and terminator not in value:
                self.out += value
                self.out += (terminator + bytes(room))[:room]
                return
        kept = value.stored if isinstance(value, Stored) else b""
        fits = kept and size in {None, len(kept)}
        if fits and cut(kept, terminator, pad, include=include) == value:
            self.out += kept
            return
        if size is not None and len(value) > size:
            self._contradicts(self._unequal(name, value, size, by))
            size = None
        raw = laid(value, size, terminator, pad, include=include)
        if cut(raw, terminator, pad, include=include) != value:
            ends = f" and {terminator!r}" if terminator else ""
            padding = f"padding of {pad}" if pad is not None else ""
            raise FormatError(
                name, None, repr(value[:40]), f"bytes that {padding}{ends} do not cut short"
            )
        self.out += raw

    def until(  # noqa: PLR0913, PLR0917  (likewise)
        self,
        name: str,
        value: builtins.bytes,
        terminator: builtins.bytes,
        include: bool = False,  # noqa: FBT001, FBT002  (arguments by name only take longer)
        consume: bool = True,  # noqa: FBT001, FBT002  (likewise)
        eos_error: bool = True,  # noqa: FBT001, FBT002  (likewise)
    ) -> None:
        """Put *value* and the *terminator* that ends it.

        include    *value* already ends in the terminator
        consume    put the terminator, instead of leaving it to the next field
        eos_error  the terminator is required, even at the end of the stream
        """
        if (
            len(terminator) == 1
            and terminator not in value
            and consume
            and not include
            and eos_error
        ):
            self.out += value
            self.out += terminator
            return
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
            self.out += core + terminator
        else:
            self.out += core
            self._follows = [*(self._follows or ()), (self.pos, terminator, name)]

    def ends(self, name: str) -> None:
        """Refuse bytes after this position: the field *name* extends to the end of the stream."""
        if self._end == NOWHERE:
            self._end, self._end_name = len(self.out), name

    def array(self, name: str, values: Sequence[float], form: str) -> None:
        """Put numbers, each stored as *form* (of `struct`)."""
        at = len(self.out)
        try:
            self.out += pack(f"{form[0]}{len(values)}{form[1]}", *values)
        except (struct_error, OverflowError, TypeError) as error:
            raise FormatError(
                name, None, "a value out of range", range_of(form, calcsize(form))
            ) from error
        if form[1] == "f":
            as_stored(self.out, at, form[0] + len(values) * "f", values)

    def check_count(self, name: str, values: Sized, count: int, by: str = "") -> None:
        """Refuse *values* if there are not *count* of them, as *by* says."""
        if len(values) != count:
            said = f", as {by} says" if by else ""
            error = Unequal(name, None, count_of_elements(len(values)), f"{count}{said}")
            error.count = len(values)
            self._contradicts(error)

    def crc32(self, start: int, end: int) -> int:
        """Return zlib's CRC-32 of the written bytes from *start* to *end*."""
        return zlib.crc32(memoryview(self.out)[start - self._base : end - self._base])

    def crc32c(self, start: int, end: int) -> int:
        """Return the CRC-32C of the written bytes from *start* to *end*."""
        return crc32c.crc32c(self.out[start - self._base : end - self._base])

    def put_back(self, start: int, size: int) -> None:
        """Move the last *size* bytes to the position *start*, over those that are there."""
        at = start - self._base
        self.out[at : at + size] = self.out[-size:]
        del self.out[-size:]

    def encoded(self, name: str, value: str, encoding: str) -> builtins.bytes:
        """Return *value* as bytes."""
        if type(value) is str and encoding in EXACT:
            try:
                return value.encode(encoding)
            except UnicodeError:
                pass  # the error is that of any other encoding
        return encoded_field(name, value, encoding)

    def deflated(self, name: str, value: builtins.bytes) -> builtins.bytes:  # noqa: ARG002
        """Return *value* compressed by zlib; an unchanged value keeps its original stream."""
        return deflated(value)

    def processed(self, name: str, value: builtins.bytes, by: Processor) -> builtins.bytes:
        """Return *value* encoded by a custom processor; an unchanged value keeps its bytes."""
        try:
            return processed(value, by)
        except FormatError as error:
            raise error.inside(name) from error.__cause__

    # Errors

    def _contradicts(self, error: Unequal) -> None:
        """Raise *error*: a size or a count differs from what another field says."""
        raise error

    def unexpected(self, name: str, value: object) -> FormatError:
        """Return the error for a field *name* with a *value* although its condition is false."""
        return FormatError(name, None, repr(value)[:80], "nothing, as its condition says")

    def invalid(self, name: str, found: object, wanted: str) -> FormatError:
        """Return the error for the value *found* where *wanted* is expected."""
        return FormatError(name, None, found, wanted)

    def unended(self, name: str, element: object, wanted: str) -> Unended:
        """Return the error for an *element* that says something else about the end of its list."""
        error = Unended(name, None, element, wanted)
        error.element = element
        return error

    @staticmethod
    def _unequal(name: str, value: builtins.bytes, size: int, by: str) -> Unequal:
        said = f", as {by} says" if by else ""
        error = Unequal(name, None, f"{len(value)} bytes", f"{size} bytes{said}")
        error.size = len(value)
        return error
