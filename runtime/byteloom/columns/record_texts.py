"""Records as text, as JSON has them: objects, with bytes in hex and labels in small letters.

The text is what `json.dumps` makes of a record turned into dicts and lists.  Many small records are
written, so that each class has an expression of its own, made when its first record is met.
"""

from __future__ import annotations

import json
import math
from dataclasses import fields, is_dataclass
from enum import IntEnum
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["text_of_record"]


def text_of_record(record: Any) -> str:
    """Return *record* as an object of JSON, in ASCII."""
    return _WRITERS[type(record)](record)


class _Writers(dict[type, "Callable[[Any], str]"]):
    """What writes a value, by its type; a type is looked at when its first value is met."""

    def __missing__(self, kind: type) -> Callable[[Any], str]:
        self[kind] = writer = _writer(kind)
        return writer


def _writer(kind: type) -> Callable[[Any], str]:
    """Return what writes values of *kind*."""
    if issubclass(kind, IntEnum):
        texts = {int(each): json.dumps(each.name.lower()) for each in kind}
        return lambda value: texts[int(value)]
    if issubclass(kind, bytes):
        return lambda value: f'"{value.hex()}"'
    if is_dataclass(kind):
        return _object_writer([each.name for each in fields(kind) if each.init])
    if issubclass(kind, int | str):
        return json.dumps
    return lambda value: json.dumps(str(value))


def _object_writer(names: list[str]) -> Callable[[Any], str]:
    """Return what writes a record with these attributes: one expression, since records are many."""
    parts = (
        f'"{name.rstrip("_")}": {{null if (it := r.{name}) is None else writers[type(it)](it)}}'
        for name in names
    )
    source = f"lambda r: f'{{{{{', '.join(parts)}}}}}'"
    world = {"null": "null", "type": type, "writers": _WRITERS}
    write: Callable[[Any], str] = eval(source, world)  # noqa: S307  (names of a class of ours)
    return write


def _write_list(values: list[Any]) -> str:
    writers = _WRITERS
    return f"[{', '.join([writers[type(each)](each) for each in values])}]"


def _write_float(value: float) -> str:
    return repr(value) if math.isfinite(value) else f'"{value}"'


_WRITERS: Final = _Writers()
_WRITERS.update(
    {
        type(None): lambda _: "null",
        bool: lambda value: "true" if value else "false",
        int: repr,
        float: _write_float,
        str: encode_basestring_ascii,
        list: _write_list,
    }
)
