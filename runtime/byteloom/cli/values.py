"""Values as a person reads them."""

from __future__ import annotations

import re
from enum import IntEnum
from string import ascii_letters, digits, punctuation
from typing import Final

__all__ = ["bytes_of", "counted", "label", "printable", "shown"]

_SHORT: Final = 48
_FEW: Final = 16
_ASCII: Final = digits + ascii_letters + punctuation + " "
_ESCAPED: Final = re.compile(r"[\"\\]")
_PRINTABLE: Final = bytes(byte if chr(byte) in _ASCII else ord(".") for byte in range(256))


def shown(value: object) -> str:
    """Return *value* on one line: text and bytes abridged, numbers as they are."""
    if isinstance(value, bytes):
        return _bytes(value)
    if isinstance(value, IntEnum):
        return f"{label(value)} ({value.value})"
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value[:_FEW]))}{', …' if len(value) > _FEW else ''}]"
    if isinstance(value, str):
        return repr(value) if len(value) <= _SHORT else f"{value[:_SHORT]!r}…"
    if isinstance(value, float):
        return f"{value:,.6g}"
    return str(value)


def label(value: IntEnum) -> str:
    """Return the name of an enum's member as its spec has it."""
    return "mro" if value.name == "MRO_" else value.name.lower()


def printable(data: bytes) -> str:
    """Return *data* as ASCII, a dot for what has no picture."""
    return data.translate(_PRINTABLE).decode("ascii")


def bytes_of(count: int) -> str:
    """Return a number of bytes with its unit."""
    return counted(count, "byte")


def counted(count: int, what: str) -> str:
    """Return so many of *what*, as ``1 block`` and ``2 blocks``."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _bytes(value: bytes) -> str:
    head, more = value[:_SHORT], "…" if len(value) > _SHORT else ""
    if head and printable(head).encode() == head:
        text = _ESCAPED.sub(r"\\\g<0>", head.decode())
        return f'"{text}{more}"'
    return head[: _SHORT // 3].hex(" ") + ("…" if len(value) > _SHORT // 3 else "")
