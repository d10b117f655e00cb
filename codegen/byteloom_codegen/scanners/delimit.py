"""Where bytes end whose size the file decides, and what is cut from them: statements of a loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from byteloom_codegen.python.statements import Block
from byteloom_codegen.scanners.calculation import NotScannableError

if TYPE_CHECKING:
    from byteloom_codegen.model import Delimiting, Location
    from byteloom_codegen.scanners.calculation import Calculator
    from byteloom_codegen.scanners.frame import Frame

__all__ = ["Extent", "delimited"]


@dataclass(frozen=True, slots=True)
class Extent:
    """Sources of what was found.

    first  where the bytes begin
    size   how many of them count
    after  the statement that moves behind all of them
    """

    first: str
    size: str
    after: str


def delimited(
    frame: Frame, delimiting: Delimiting, name: str, calculator: Calculator, location: Location
) -> Extent:
    """Add the statements that find the end of bytes; return where they lie.

    name  what variables begin with
    """
    frame.flush()
    if delimiting.terminator is not None and len(delimiting.terminator) != 1:
        raise NotScannableError(location, "a terminator of more than one byte")
    if delimiting.size is None and not delimiting.size_eos:
        return _until(frame, delimiting, name)
    size = frame.name(f"{name}_size")
    if delimiting.size is None:
        frame.add(f"{size} = {frame.end} - at")
    else:
        value = calculator(delimiting.size)
        frame.add(f"{size} = {value.source}")
        below = f"{size} < 0 or " if value.low < 0 else ""
        frame.add(frame.refusing(f"{below}{size} > {frame.end} - at"))
    if delimiting.pad_right is None and delimiting.terminator is None:
        return Extent("at", size, f"at += {size}")
    return _cut(frame, delimiting, name, size)


def _cut(frame: Frame, delimiting: Delimiting, name: str, size: str) -> Extent:
    """Strip padding, then end at the terminator."""
    stop = frame.name(f"{name}_end")
    frame.add(f"{stop} = at + {size}")
    ends_as_padded = delimiting.terminator == bytes((delimiting.pad_right or 0,))
    if delimiting.pad_right is not None and not ends_as_padded:
        padded = f"while {stop} > at and data[{stop} - 1] == {delimiting.pad_right}:"
        frame.add(Block(padded, [f"{stop} -= 1"]))
    if delimiting.terminator is not None:
        found = frame.name(f"{name}_stop")
        frame.add(f"{found} = at", _search(found, stop, delimiting))
        if delimiting.include:
            frame.add(Block(f"if {found} < {stop}:", [f"{found} += 1"]))
        stop = found
    kept = frame.name(f"len_{name}")
    frame.add(f"{kept} = {stop} - at")
    return Extent("at", kept, f"at += {size}")


def _search(found: str, end: str, delimiting: Delimiting) -> Block:
    byte = (delimiting.terminator or b"\0")[0]
    return Block(f"while {found} < {end} and data[{found}] != {byte}:", [f"{found} += 1"])


def _until(frame: Frame, delimiting: Delimiting, name: str) -> Extent:
    found = frame.name(f"{name}_stop")
    frame.add(f"{found} = at", _search(found, frame.end, delimiting))
    if delimiting.eos_error:
        frame.add(frame.refusing(f"{found} == {frame.end}"))
    size = frame.name(f"{name}_size")
    frame.add(f"{size} = {found} - at")
    at_end = not delimiting.eos_error
    behind = f"min({found} + 1, {frame.end})" if at_end else f"{found} + 1"
    if delimiting.include:
        frame.add(f"{size} = {behind} - at")
    return Extent("at", size, f"at = {behind if delimiting.consume else found}")
