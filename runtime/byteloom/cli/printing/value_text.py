"""Values as text for people."""

from __future__ import annotations

import re
from enum import IntEnum
from string import ascii_letters, digits, punctuation
from typing import Any, Final

from byteloom.errors import beginning
from byteloom.verification.wording import counted

__all__ = ["bytes_of", "cell", "counted", "label", "printable", "shown", "terms_of"]

_SHORT: Final = 48
_FEW: Final = 16
_LARGE: Final = 1_000
"""From here on, numbers are shown with one decimal and with thousands separators."""

_ASCII: Final = digits + ascii_letters + punctuation + " "
_ESCAPED: Final = re.compile(r"[\"\\]")
_PRINTABLE: Final = bytes(byte if chr(byte) in _ASCII else ord(".") for byte in range(256))


def shown(value: object) -> str:
    """Return *value* on one line: text and bytes abridged, numbers whole, as `scan` prints them."""
    if isinstance(value, bytes):
        return _bytes(value)
    if isinstance(value, IntEnum):
        return cell(value)
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value[:_FEW]))}{', …' if len(value) > _FEW else ''}]"
    if isinstance(value, str):
        return beginning(value, _SHORT)
    return str(value)


def label(value: IntEnum) -> str:
    """Return the name of an enum's member as its spec spells it."""
    return "mro" if value.name == "MRO_" else value.name.lower()


def printable(data: bytes) -> str:
    """Return *data* as ASCII, with a dot for each byte that is not printable."""
    return data.translate(_PRINTABLE).decode("ascii")


def bytes_of(count: int) -> str:
    """Return a number of bytes with its unit."""
    return counted(count, "byte")


def _bytes(value: bytes) -> str:
    head, more = value[:_SHORT], "…" if len(value) > _SHORT else ""
    if head and printable(head).encode() == head:
        text = _ESCAPED.sub(r"\\\g<0>", head.decode())
        return f'"{text}{more}"'
    return head[: _SHORT // 3].hex(" ") + ("…" if len(value) > _SHORT // 3 else "")


def cell(value: Any) -> str:
    """Return a JSON value as the text of a cell: pairs for a dict, an empty text for None."""
    if isinstance(value, dict):
        return ", ".join(terms_of(value))
    if isinstance(value, list):
        return f"[{', '.join(map(_part, value))}]"
    if isinstance(value, IntEnum):
        return f"{label(value)} ({value.value})"
    if isinstance(value, float):
        return f"{value:,.1f}".removesuffix(".0") if abs(value) >= _LARGE else f"{value:.6g}"
    return "" if value is None else str(value)


def terms_of(value: dict[str, Any]) -> list[str]:
    """Return each key of *value* with its value, as text."""
    return [f"{key} {_part(inner)}" for key, inner in value.items()]


def _part(value: Any) -> str:
    return f"({cell(value)})" if isinstance(value, dict) else cell(value)
