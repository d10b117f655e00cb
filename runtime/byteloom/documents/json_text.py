"""The text of a JSON document: how many values it has, and where one is, for errors about it.

A list takes two bytes of JSON and 64 of memory, so the size of a document alone does not bound
its memory.  Counting brackets and commas before it is parsed does, at the speed of memory; those
inside strings count too, which the limit allows for.

A parser gives values without their places.  Other functions go through the text once more, after
something was found to be wrong.
"""

from __future__ import annotations

import re
from json import JSONDecoder
from json.decoder import scanstring  # type: ignore[attr-defined]  # which typeshed lacks
from typing import TYPE_CHECKING, Final

from byteloom.errors import LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.limits import Limits

__all__ = ["check_json_values", "line_and_column", "offset_of", "offset_of_word"]

_CONTAINER: Final = 4
"""The values that an object or a list counts for: its memory, compared with that of a number."""

_PAID: Final = 6
"""Bytes of JSON for each value allowed.  An entry of a log has at least 35, and counts for six."""


def check_json_values(path: str, data: bytes, limits: Limits) -> None:
    """Refuse a document with more values than its size and ``limits.json_values`` allow.

    path  the name of the document in the error
    """
    most = limits.json_values + len(data) // _PAID
    if len(data) < most:
        return
    values = data.count(b",") + _CONTAINER * (data.count(b"[") + data.count(b"{"))
    if values > most:
        wanted = f"at most {most} in {len(data)} bytes (limits.json_values)"
        raise LimitExceeded(path, None, f"about {values} JSON values", wanted)


_DECODER: Final = JSONDecoder()
_MOST: Final = 64 << 20
"""Bytes that a search may go through; each part of a path searches all that the one before has."""

_WHITE: Final = re.compile(r"[ \t\n\r]*")
_ELEMENT: Final = re.compile(r"\[(\d+)\]")
_IDS: Final = ("snapshot-id", "schema-id", "spec-id", "order-id")
"""Keys of Iceberg's metadata whose values are in a path in place of an index."""

_STRING_OR_WORD: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[-+.\w]+', re.ASCII)


def offset_of(text: bytes, path: str) -> int | None:
    """Return the byte at which the value of a path like ``blobs[3].fields`` begins.

    A path may name a column of a schema, ``schemas[0].id``, for the element of ``fields`` that has
    that name.

    returns  where the innermost list or object of the path begins that is there, if the value is
             not; None if nothing of the path is, if *text* is not JSON, or if it is so large that
             the search would take more than about a second
    """
    if len(text) * (1 + path.count(".") + path.count("[")) > _MOST:
        return None
    try:
        decoded = text.decode("utf-8")
        start = _after_white(decoded, 0)
        at = _innermost(decoded, start, path)
    except (ValueError, IndexError, RecursionError):
        return None
    return None if at == start else len(decoded[:at].encode())


def offset_of_word(text: str, word: str) -> int | None:
    """Return the byte at which a number or a constant begins, the first outside of strings."""
    for found in _STRING_OR_WORD.finditer(text):
        if found.group() == word:
            return len(text[: found.start()].encode())
    return None


def line_and_column(text: bytes, offset: int) -> str:
    """Return where a byte is, as editors count: ``line 3, column 14``."""
    before = text[:offset].decode("utf-8", "replace")
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return f"line {line}, column {column}"


def _innermost(text: str, at: int, path: str) -> int:
    """The place of a value in the one at *at*; that of the last list or object on the way to it."""
    while path:
        step = _step(text, at, path)
        if step is None:
            break
        at, path = step
    return at


def _step(text: str, at: int, path: str) -> tuple[int, str] | None:
    """The place of the first part of a path, and the rest of it; None if it is not there."""
    path = path.removeprefix(".")
    if text[at] == "[":
        element = _ELEMENT.match(path)
        if element is None:
            return None
        found = _element(text, at, int(element[1]))
        return None if found is None else (found, path[element.end() :])
    if text[at] != "{":
        return None
    items = dict(_items(text, at))
    keys = [each for each in items if _begins(path, each)]
    if keys:
        key = max(keys, key=len)
        return items[key], path[len(key) :]
    return _column(text, items["fields"], path) if "fields" in items else None


def _element(text: str, at: int, number: int) -> int | None:
    """The place of the element with that index or that id; None if these are two elements."""
    places = set()
    for index, (_, place) in enumerate(_items(text, at)):
        value, _ = _DECODER.raw_decode(text, place)
        is_named = isinstance(value, dict) and any(value.get(key) == number for key in _IDS)
        if index == number or is_named:
            places.add(place)
    return places.pop() if len(places) == 1 else None


def _column(text: str, at: int, path: str) -> tuple[int, str] | None:
    """The same for an element of a list that is known by its name."""
    for _, place in _items(text, at) if text[at] == "[" else ():
        value, _ = _DECODER.raw_decode(text, place)
        name = value.get("name") if isinstance(value, dict) else None
        if isinstance(name, str) and _begins(path, name):
            return place, path[len(name) :]
    return None


def _begins(path: str, name: str) -> bool:
    """Whether a path begins with a name that ends there."""
    return path.startswith(name) and path[len(name) : len(name) + 1] in {"", ".", "["}


def _items(text: str, at: int) -> Iterator[tuple[str, int]]:
    """Yield the key of each value of the list or object at *at*, empty in a list, and its place."""
    is_list, key = text[at] == "[", ""
    at = _after_white(text, at + 1)
    while text[at] != ("]" if is_list else "}"):
        if not is_list:
            key, end = scanstring(text, at + 1)
            at = _after_white(text, _after_white(text, end) + 1)
        yield key, at
        _, end = _DECODER.raw_decode(text, at)
        at = _after_white(text, end)
        if text[at] == ",":
            at = _after_white(text, at + 1)


def _after_white(text: str, at: int) -> int:
    found = _WHITE.match(text, at)
    return at if found is None else found.end()
