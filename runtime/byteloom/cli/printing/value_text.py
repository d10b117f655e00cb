"""Values as text: for people, and as JSON in every document and every line that a command prints.

- JSON has no sign for the floats that are not finite: they are the texts ``NaN``, ``Infinity`` and
  ``-Infinity``, as in protobuf's JSON.
- Text stays readable; only names of files that are not UTF-8 have escapes.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import cache
from json import JSONEncoder
from math import isfinite, isnan
from string import ascii_letters, digits, punctuation
from typing import Any, Final

from byteloom.errors import beginning
from byteloom.verification.damage import counted

__all__ = ["bytes_of", "cell", "counted", "json_text", "label", "printable", "shown", "terms_of"]

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


def json_text(value: Any, indent: int | None = None) -> str:
    """Return a value of JSON's types, or one with any float in it, as JSON.

    indent  blanks per level, each member on a line of its own; None for a single line
    """
    encoder = _encoder(indent)
    try:
        text = encoder.encode(value)
    except ValueError:  # a float that is not finite
        text = encoder.encode(_finite(value))
    return text if _is_unicode(text) else _encoder(indent, is_ascii=True).encode(_finite(value))


@cache
def _encoder(indent: int | None, *, is_ascii: bool = False) -> JSONEncoder:
    return JSONEncoder(indent=indent, ensure_ascii=is_ascii, allow_nan=False)


def _finite(value: Any) -> Any:
    """Return the value with text for each float that is not finite, even of a subclass."""
    if isinstance(value, dict):
        return {_finite(key): _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    if not isinstance(value, float) or isfinite(value):
        return value
    return "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _is_unicode(text: str) -> bool:
    """Whether text can be written as UTF-8: bytes of a name that are not UTF-8 are surrogates."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
