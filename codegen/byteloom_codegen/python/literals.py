"""Values as literals of Python, written as ruff would write them."""

from __future__ import annotations

from math import inf
from typing import Final

__all__ = ["bytes_literal", "int_literal", "number_literal", "slice_of", "str_literal"]

_PLAIN: Final = 1 << 32
"""Numbers below this one are printed in decimal."""


def str_literal(text: str) -> str:
    """Return *text* as ruff would quote it: double quotes unless single ones save escapes."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    inner = f"\\{quote}".join(repr(part)[1:-1] for part in text.split(quote))
    return f"{quote}{inner}{quote}"


def int_literal(value: int) -> str:
    """Return *value* in decimal; in hex from 2^32 on, where people would not write decimals."""
    return str(value) if value < _PLAIN else f"0x{value:X}"


def slice_of(start: str, end: str) -> str:
    """Return the inside of the brackets of a slice, as ruff would space it."""
    names = all(each.lstrip("-+~").isidentifier() or each.isdecimal() for each in (start, end))
    return f"{start}:{end}" if names else f"{start} : {end}"


def number_literal(value: float) -> str:
    """Return *value* as ruff would write it; a value that no float has is infinite."""
    return "1e999" if value == inf else repr(value).replace("e+", "e")


def bytes_literal(data: bytes) -> str:
    """Return *data* as ruff would quote it."""
    quote = "'" if data.count(b'"') > data.count(b"'") else '"'
    inner = f"\\{quote}".join(repr(part)[2:-1] for part in data.split(quote.encode()))
    return f"b{quote}{inner}{quote}"
