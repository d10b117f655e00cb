"""Values as JSON: every document and every line that a command prints.

- JSON has no sign for the floats that are not finite: they are the texts ``NaN``, ``Infinity`` and
  ``-Infinity``, as in protobuf's JSON.
- Text stays readable; only names of files that are not UTF-8 have escapes.
"""

from __future__ import annotations

from functools import cache
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from json import JSONEncoder

__all__ = ["json_text"]


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
    from json import JSONEncoder

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
