"""Keys about bytes: where they end, what they must be, how they are decoded after they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom_codegen.frontend.keys import IDENTIFIER
from byteloom_codegen.frontend.parser import parse_expression, parse_process
from byteloom_codegen.model import ContentsType, Delimiting, Process

if TYPE_CHECKING:
    from byteloom_codegen.frontend.place import Place

__all__ = ["finds_end", "read_contents", "read_delimited", "read_delimiting", "read_process"]

MAX_BYTE: Final = 255
LEAST_BYTE: Final = -128
_ARGUMENTS: Final = {"zlib": 0, "xor": 1, "rol": 1, "ror": 1}


def read_delimiting(place: Place, terminator: bytes | None = None) -> Delimiting:
    """Return how the end of the attribute *place* is found, if any key says so.

    terminator  ends the attribute if it lacks the key ``terminator``
    """
    size, end, pad = place.get("size"), place.get("terminator"), place.get("pad-right")
    found = Delimiting(
        size=parse_expression(size) if size else None,
        size_eos=_flag(place, "size-eos", default=False),
        terminator=bytes([_byte(end)]) if end else terminator,
        include=_flag(place, "include", default=False),
        consume=_flag(place, "consume", default=True),
        eos_error=_flag(place, "eos-error", default=True),
        pad_right=_byte(pad) if pad else None,
    )
    if found.size is not None and found.size_eos:
        raise place.error("only one of 'size' or 'size-eos' must be specified")
    return found


def read_delimited(place: Place, at: Place, terminator: bytes | None = None) -> Delimiting:
    """Return how the end is found; an error at *at* if no key says so."""
    found = read_delimiting(place, terminator)
    if not finds_end(found):
        raise at.error("'size', 'size-eos' or 'terminator' must be specified")
    return found


def finds_end(delimiting: Delimiting) -> bool:
    """Whether any of the keys says where the end is."""
    return delimiting.size is not None or delimiting.size_eos or delimiting.terminator is not None


def read_process(place: Place) -> Process | None:
    """Return how the bytes are decoded after they are read; None if they are not."""
    process = place.get("process")
    if process is None:
        return None
    name, args = parse_process(process)
    if not all(IDENTIFIER.fullmatch(part) for part in name.split(".")):
        raise process.error(f"incorrect process expression `{name}`", "names are in lower case")
    wanted = _ARGUMENTS.get(name, len(args))
    if wanted != len(args):
        raise process.error(f"process {name}: {wanted} arguments expected, {len(args)} given")
    return Process(name, tuple(args))


def read_contents(place: Place) -> ContentsType | None:
    """Return the bytes that have to be at *place*; None where any may be."""
    contents = place.get("contents")
    if contents is None:
        return None
    parts = list(contents.items()) if contents.is_list else [contents]
    found = b"".join(_fixed(each, alone=not contents.is_list) for each in parts)
    if not found:
        raise contents.error("unable to parse fixed content: it is empty")
    return ContentsType(found)


def _fixed(place: Place, *, alone: bool) -> bytes:
    value = place.plain_value()
    if isinstance(value, str):
        return value.encode("utf-8")
    if alone or isinstance(value, bool) or not isinstance(value, int):
        hint = "write a string, or a list of strings and bytes"
        raise place.error(f"unable to parse fixed content: {place.found}", hint)
    return bytes([_byte(place, least=LEAST_BYTE) & MAX_BYTE])


def _flag(place: Place, key: str, *, default: bool) -> bool:
    value = place.get(key)
    return default if value is None else value.boolean()


def _byte(place: Place, least: int = 0) -> int:
    value = place.integer()
    if not least <= value <= MAX_BYTE:
        raise place.error(f"expected an integer from {least} to {MAX_BYTE}, got {value}")
    return value
