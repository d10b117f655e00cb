"""Reading JSON objects key by key, so that each error names its key.

Source: Iceberg table spec, "Appendix C".
"""

from __future__ import annotations

from typing import Any, Final, TypeVar

from byteloom.errors import FormatError

__all__ = ["an_object", "optional", "required", "shortly"]

_T = TypeVar("_T")

_WANTED: Final = {
    str: "text",
    int: "an integer",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}
_LINE: Final = 60


def an_object(document: Any, name: str) -> dict[str, Any]:
    """Return *document* if it is a JSON object; the error calls it *name*."""
    if not isinstance(document, dict):
        raise FormatError(name, None, shortly(document), "an object")
    return document


def required(document: dict[str, Any], key: str, kind: type[_T]) -> _T:
    """Return the value under *key*, of that kind of JSON."""
    value = optional(document, key, kind)
    if value is None:
        raise FormatError(key, None, "null" if key in document else "nothing", _WANTED[kind])
    return value


def optional(document: dict[str, Any], key: str, kind: type[_T]) -> _T | None:
    """Return the value under *key*, of that kind of JSON, or None for null and for nothing."""
    value = document.get(key)
    if value is not None and type(value) is not kind:
        raise FormatError(key, None, shortly(value), _WANTED[kind])
    return value


def shortly(document: object) -> str:
    """Return what stands there, cut to a line."""
    text = repr(document)
    return text if len(text) <= _LINE else f"{text[: _LINE - 3]}..."
