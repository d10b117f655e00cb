"""Checks that bytes can be read back, and the statements that write them.

The terms are those of `Delimiting`: a size that is filled up, a terminator, padding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from byteloom_codegen.kaitaistruct.macros import DROP_IN
from byteloom_codegen.kaitaistruct.values import is_padding
from byteloom_codegen.python.literals import bytes_literal, slice_of

if TYPE_CHECKING:
    from byteloom_codegen.kaitaistruct.values import Values
    from byteloom_codegen.model import Delimiting
    from byteloom_codegen.python.statements import Statement

__all__ = ["Delimited"]


@dataclass(frozen=True, slots=True)
class Delimited:
    """Bytes *data*, which errors call *name*.

    size    the source of the size; "" where a terminator alone ends the bytes
    stream  the source of the stream that they are written to
    """

    how: Delimiting
    data: str
    name: str
    size: str
    values: Values
    stream: str

    # Checks

    def checks(self) -> list[Statement]:
        """Return the statements that refuse bytes whose end a reader would find elsewhere."""
        how = self.how
        length = f"len({self.data})"
        if not how.is_filled_up:
            return self._unless(f"{length} != {self.size}", self.size, length) if self.size else []
        lines = self._unless(f"{length} > {self.size}", self.size, length) if self.size else []
        if how.terminator:
            lines += self._included() if how.include else self._excluded(how.terminator)
        if how.pad_right is not None and not is_padding(how.terminator, how.pad_right):
            lines += self._unpadded(how.pad_right)
        return lines

    def _excluded(self, terminator: bytes) -> list[Statement]:
        lines = self._unless(f"{self._found} != {self._absent}", self._absent, self._found)
        if len(terminator) == 1:
            return lines
        length, unit = f"len({self.data})", len(terminator)
        if not self.size:
            return [*lines, *self._unless(f"{length} % {unit}", "0", f"{length} % {unit}")]
        room = f"{length} % {unit} == 0 and {length} + {unit} <= {self.size}"
        fault = f"{length} != {self.size} and not ({room})"
        return [*lines, *self._unless(fault, self.size, length)]

    def _included(self) -> list[Statement]:
        """The check that the first terminator is the last byte; full bytes need none."""
        how, length = self.how, f"len({self.data})"
        last = f"{length} - {len(how.terminator or b'')}"
        needed = self._unless(f"not {self.data}", "0", length)
        needed += self._unless(f"{self._found} != {last}", last, self._found)
        allowed = self._unless(f"{self._found} not in ({self._absent}, {last})", last, self._found)
        if how.pad_right is not None and not is_padding(how.terminator, how.pad_right):
            return allowed  # where padding was stripped there may be none at all
        if self.size:
            return DROP_IN.lines(
                "if_short", length=length, size=self.size, short=needed, full=allowed
            )
        return needed if how.eos_error else allowed

    def _unpadded(self, pad: int) -> list[Statement]:
        fault = f"{self.data}[-1:] == {bytes_literal(bytes([pad]))}"
        if self.how.terminator and not self.how.include:
            fault = f"len({self.data}) == {self.size} and {fault}"
        return self._unless(fault, str(pad), str(pad))

    @property
    def _found(self) -> str:
        """The source of where the first terminator is."""
        terminator = self.how.terminator or b""
        if len(terminator) == 1:
            return f"{self.data}.find({bytes_literal(terminator)})"
        cut = f"{self.values.runtime}.bytes_terminate_multi"
        return f"len({cut}({self.data}, {bytes_literal(terminator)}, False))"

    @property
    def _absent(self) -> str:
        """The value of `_found` if there is no terminator."""
        return "-1" if len(self.how.terminator or b"") == 1 else f"len({self.data})"

    def _unless(self, fault: str, wanted: str, found: str) -> list[Statement]:
        return DROP_IN.lines(
            "inconsistent", fault=fault, name=self.name, wanted=wanted, found=found
        )

    # Writing

    def puts(self) -> list[Statement]:
        """Return the statements that write the bytes, their terminator and their padding."""
        how, stream, data = self.how, self.stream, self.data
        if how.size is None and not how.size_eos:
            return self._terminated(how.terminator or b"\0")
        if not how.is_filled_up:
            return DROP_IN.lines("bytes_put", stream=stream, data=data)
        pad = how.pad_right or 0
        mark = bytes([pad]) if how.include or not how.terminator else how.terminator
        return DROP_IN.lines(
            "filled_up",
            stream=stream,
            data=data,
            size=self.size,
            cut=slice_of("0", self.size).removeprefix("0").lstrip(),
            mark=mark[0] if len(mark) == 1 else None,
            marks=bytes_literal(mark),
            pad=pad,
            pads=bytes_literal(bytes([pad])),
        )

    def _terminated(self, terminator: bytes) -> list[Statement]:
        how, stream = self.how, self.stream
        put = DROP_IN.lines("bytes_put", stream=stream, data=self.data)
        if how.include:
            if how.eos_error:
                return put
            rest = f"{stream}.size() - {stream}.pos()"
            fault = f"{self._found} == {self._absent} and not {stream}.is_eof()"
            return [*put, *self._unless(fault, "0", rest)]
        mark = DROP_IN.lines(
            "bytes_put" if how.consume else "bytes_shown",
            stream=stream,
            data=bytes_literal(terminator),
        )
        return [
            *put,
            *(
                mark
                if how.eos_error
                else DROP_IN.lines("if_there", test=f"not {stream}.is_eof()", body=mark)
            ),
        ]
