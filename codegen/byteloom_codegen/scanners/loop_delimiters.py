"""Statements that find the end of bytes whose size the file decides, and what to cut from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from byteloom_codegen.python.templates import LOOP
from byteloom_codegen.scanners.refusals import NotScannableError

if TYPE_CHECKING:
    from byteloom_codegen.model import Delimiting, Location
    from byteloom_codegen.python.statements import Statement
    from byteloom_codegen.scanners.calculation import Calculator
    from byteloom_codegen.scanners.loop_frame import Frame

__all__ = ["Extent", "delimited"]


@dataclass(frozen=True, slots=True)
class Extent:
    """The bytes of a delimited value.

    first  the source of the place of the first byte
    size   the source of the number of bytes in the value
    after  the statements that move past the value, its terminator and its padding
    """

    first: str
    size: str
    after: list[Statement]


def delimited(
    frame: Frame, delimiting: Delimiting, name: str, calculator: Calculator, location: Location
) -> Extent:
    """Add the statements that find the end of bytes; return where they are.

    name  what variables begin with
    """
    frame.flush()
    if delimiting.terminator is not None and len(delimiting.terminator) != 1:
        raise NotScannableError(location, "a terminator of more than one byte")
    if delimiting.size is None and not delimiting.size_eos:
        return _until(frame, delimiting, name)
    size = frame.name(f"{name}_size")
    if delimiting.size is None:
        frame.add(*LOOP.lines("size_to_end", size=size, end=frame.end))
    else:
        value = calculator(delimiting.size)
        frame.add(
            *LOOP.lines(
                "size_given",
                size=size,
                value=value.source,
                may_be_negative=value.low < 0,
                end=frame.end,
                refuse=frame.refuse,
            )
        )
    if delimiting.is_filled_up:
        return _cut(frame, delimiting, name, size)
    return Extent("at", size, LOOP.lines("passed", size=size))


def _cut(frame: Frame, delimiting: Delimiting, name: str, size: str) -> Extent:
    """Strip padding, then end at the terminator."""
    stop = frame.name(f"{name}_end")
    ends_as_padded = delimiting.terminator == bytes((delimiting.pad_right or 0,))
    padding = None if ends_as_padded else delimiting.pad_right
    frame.add(*LOOP.lines("stripped", stop=stop, size=size, padding=padding))
    if delimiting.terminator is not None:
        padded, stop = stop, frame.name(f"{name}_stop")
        frame.add(*_found(delimiting, stop, padded, kept=delimiting.include))
    kept = frame.name(f"len_{name}")
    frame.add(*LOOP.lines("size_between", size=kept, stop=stop))
    return Extent("at", kept, LOOP.lines("passed", size=size))


def _found(delimiting: Delimiting, stop: str, end: str, *, kept: bool = False) -> list[Statement]:
    """Return what finds the terminator before *end*, which comes after it if it is *kept*."""
    byte = (delimiting.terminator or b"\0")[0]
    macro = "found_and_kept" if kept else "found"
    return LOOP.lines(macro, stop=stop, end=end, terminator=byte)


def _until(frame: Frame, delimiting: Delimiting, name: str) -> Extent:
    """Find the terminator in what is left."""
    stop = frame.name(f"{name}_stop")
    frame.add(*_found(delimiting, stop, frame.end))
    if delimiting.eos_error:
        frame.add(*frame.refusing(f"{stop} == {frame.end}"))
    size = frame.name(f"{name}_size")
    after = f"{stop} + 1" if delimiting.eos_error else f"min({stop} + 1, {frame.end})"
    frame.add(*LOOP.lines("size_between", size=size, stop=after if delimiting.include else stop))
    return Extent("at", size, LOOP.lines("moved", place=after if delimiting.consume else stop))
