"""JSON objects: a generated record reads each, and a class written by hand represents it.

The rules:

- Keys, kinds and required fields come from the generated record; none is repeated here.
- The class keeps keys without an attribute in ``extra``: unknown keys, and those that only the
  spec's table has.
- Documents are read as the newest version; keys that older versions leave out may be missing.

Source: Iceberg table spec, "Appendix C".
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

from byteloom.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from byteloom.documents.json_record import JsonField, JsonRecord

__all__ = [
    "VERSION",
    "an_object",
    "extra_of",
    "optional",
    "read_record",
    "required",
    "shortly",
    "to_document",
]

_R = TypeVar("_R", bound="JsonRecord")
_T = TypeVar("_T")

VERSION: Final = 3
"""The version of the spec whose keys are read."""

_WANTED: Final = {
    str: "text",
    int: "an integer",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}
_LINE: Final = 60


def read_record(kind: type[_R], document: Any, name: str) -> _R:
    """Return the record that a JSON object describes; errors about other values say *name*."""
    return kind.from_json(an_object(document, name), version=VERSION)


def extra_of(record: JsonRecord, known: frozenset[str]) -> Mapping[str, Any]:
    """Return the JSON of all attributes of a record except *known*."""
    others = _others(type(record), known)  # type: ignore[arg-type]  # a class is hashable
    if not others:
        return record.extra
    values = {each.key: getattr(record, each.attribute) for each in others}
    fields = {each.key: each for each in others}
    return {
        key: fields[key].write(value, VERSION)
        for key, value in values.items()
        if key in record.given
    } | record.extra


def to_document(kind: type[JsonRecord], extra: Mapping[str, Any], **known: Any) -> dict[str, Any]:
    """Return the JSON of a record with these attributes, and with what `extra_of` returned."""
    others = _others(kind, frozenset(known))  # type: ignore[arg-type]  # a class is hashable
    known_others = {each.attribute: each.read(dict(extra), VERSION) for each in others}
    keys = {each.key for each in others}
    rest = {key: value for key, value in extra.items() if key not in keys}
    document = kind(**known, **known_others, extra=rest).to_json(version=VERSION)
    return document | {key: extra[key] for key in keys & extra.keys() if key not in document}


@lru_cache(maxsize=64)
def _others(kind: type[JsonRecord], known: frozenset[str]) -> tuple[JsonField, ...]:
    """Return the fields of a record for which a class has no attributes."""
    return tuple(each for each in kind.FIELDS if each.attribute not in known)


def an_object(document: Any, name: str) -> dict[str, Any]:
    """Return *document* if it is a JSON object; the error about any other value names it *name*."""
    if not isinstance(document, dict):
        raise FormatError(name, None, shortly(document), "an object")
    return document


def required(document: dict[str, Any], key: str, kind: type[_T]) -> _T:
    """Return the value under *key*, which must be of that kind of JSON."""
    value = optional(document, key, kind)
    if value is None:
        raise FormatError(key, None, "null" if key in document else "nothing", _WANTED[kind])
    return value


def optional(document: dict[str, Any], key: str, kind: type[_T]) -> _T | None:
    """Return the value under *key*, of that kind of JSON; None for null or no value."""
    value = document.get(key)
    if value is not None and type(value) is not kind:
        raise FormatError(key, None, shortly(value), _WANTED[kind])
    return value


def shortly(document: object) -> str:
    """Return a JSON value as text, cut to one line."""
    text = repr(document)
    return text if len(text) <= _LINE else f"{text[: _LINE - 3]}..."
