"""Partition fields, sort keys and types by their texts.

    day(ts)                     a partition field, or a sort key, by transform and column
    bucket(16, id)              one with a parameter
    country                     the column itself
    ts desc nulls last          a sort key; ascending with nulls first if nothing is said
    decimal(9, 2)               a type; list<int>, map<string, double>, struct<x: int, y: int>

Source: Iceberg table spec, "Appendix C"; Spark's ``PARTITIONED BY`` and ``ORDERED BY``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import ArgumentError, LimitExceeded
from byteloom.iceberg.evolution.ordering import SortKey
from byteloom.iceberg.types import ListType, MapType, NestedField, StructType, parse_primitive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.iceberg.types import Type

__all__ = ["sort_key_of", "term_of", "type_of_text"]

_CALL: Final = re.compile(r"\s*(\w+)\s*\(\s*(?:(\d+)\s*,\s*)?([^()]+?)\s*\)\s*")
_NAME: Final = re.compile(r"\s*([^()]+?)\s*")
_DIRECTION: Final = re.compile(
    r"(?P<term>.+?)(?:\s+(?P<way>asc|desc))?(?:\s+nulls\s+(?P<nulls>first|last))?\s*", re.IGNORECASE
)
_PLURALS: Final = {"years": "year", "months": "month", "days": "day", "hours": "hour"}
_NESTED: Final = re.compile(r"\s*(list|map|struct)\s*<(.*)>\s*", re.DOTALL)
_FIELD: Final = re.compile(r"\s*([^:]+?)\s*:(.+)", re.DOTALL)
_NO_ID: Final = 0
"""The id of a field before it is given one."""

_DEEPEST: Final = 100


def term_of(text: Any, argument: str) -> tuple[str, str]:
    """Return the column and the transform of ``day(ts)`` or ``id``.

    Args:
        text: The text.
        argument: What it was given as, for the error.

    Raises:
        ArgumentError: A text of another form.
    """
    wanted = "a column, or a transform of one: day(ts)"
    if not isinstance(text, str):
        raise ArgumentError(argument, None, repr(text), wanted)
    if found := _CALL.fullmatch(text):
        name = found[1].lower()
        name = _PLURALS.get(name, name)
        return found[3], f"{name}[{found[2]}]" if found[2] else name
    if found := _NAME.fullmatch(text):
        return found[1], "identity"
    raise ArgumentError(argument, None, repr(text), wanted)


def sort_key_of(text: Any) -> SortKey:
    """Return the key of ``ts desc nulls last``; `ArgumentError` for a text of another form."""
    found = _DIRECTION.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise ArgumentError("sort_by", None, repr(text), "a column, such as ts desc nulls last")
    column, transform = term_of(found["term"], "sort_by")
    nulls = found["nulls"]
    return SortKey(
        column,
        transform,
        descending=(found["way"] or "").lower() == "desc",
        nulls_first=None if nulls is None else nulls.lower() == "first",
    )


def type_of_text(text: str, *, depth: int = 0) -> Type:
    """Return the type that a text names; fields inside are optional, and have no ids.

    Raises:
        ArgumentError: A text of another form.
        Unsupported: A name that no version up to 3 has.
        LimitExceeded: More than 100 levels of types inside types.
    """
    if depth > _DEEPEST:
        raise LimitExceeded("type", None, f"{depth} levels", f"at most {_DEEPEST}")
    found = _NESTED.fullmatch(text)
    if found is None:
        return parse_primitive(text)
    parts = list(_parts(found[2]))
    if found[1] == "struct":
        return StructType(tuple(_field(each, depth + 1) for each in parts))
    types = [type_of_text(each, depth=depth + 1) for each in parts]
    match found[1], types:
        case "list", [element]:
            return ListType(_NO_ID, element)
        case "map", [key, value]:
            return MapType(_NO_ID, key, _NO_ID, value)
    raise ArgumentError("type", None, repr(text), "list<T>, map<K, V> or struct<name: T, ...>")


def _field(text: str, depth: int) -> NestedField:
    """Return the field of ``x: int``."""
    found = _FIELD.fullmatch(text)
    if found is None:
        raise ArgumentError("type", None, repr(text), "a field, such as x: int")
    return NestedField(_NO_ID, found[1], type_of_text(found[2], depth=depth))


def _parts(text: str) -> Iterator[str]:
    """Yield what commas outside of brackets separate."""
    depth = start = 0
    for at, each in enumerate(text):
        depth += (each in "<(") - (each in ">)")
        if each == "," and not depth:
            yield text[start:at]
            start = at + 1
    yield text[start:]
