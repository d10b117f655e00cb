"""Find the attribute of a record whose value does not fit its type.

This runs only after writing has failed; values are not checked beforehand.
"""

from __future__ import annotations

import sys
from dataclasses import fields, is_dataclass
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from byteloom.errors import FormatError, with_article

__all__ = ["hints_of", "misfit"]


def misfit(name: str, record: object, error: Exception) -> FormatError:
    """Return the error for the *record* called *name*, which could not be written."""
    hints = hints_of(type(record)) if is_dataclass(record) else {}
    for each in fields(record) if hints and is_dataclass(record) else ():
        value = getattr(record, each.name, None)
        if each.compare and not _fits(value, hints[each.name]):
            return FormatError(
                f"{name}.{each.name}", None, _called(value), _wanted(hints[each.name])
            )
    return FormatError(name, None, f"{error}", "values of the types that the fields have")


def hints_of(kind: type) -> dict[str, Any]:
    """Return the types of the attributes of a record; none if a name in one is not known here.

    Names are those of the class's own module, whatever has that module's name now.
    """
    hints: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        if "__dataclass_fields__" in vars(base):
            own = {*base.__annotations__}
            texts = {each.name: each.type for each in fields(base) if each.name in own}
            known = getattr(vars(base).get("write"), "__globals__", None)
            known = vars(sys.modules[base.__module__]) if known is None else known
            try:
                hints |= get_type_hints(SimpleNamespace(__annotations__=texts), known, {})
            except NameError:  # an annotation with a class that only type checkers import
                return {}
    return hints


def _fits(value: Any, hint: Any) -> bool:
    """Whether *value* is of the type *hint*; True if that cannot be decided."""
    if get_origin(hint) in {Union, UnionType}:
        return any(_fits(value, each) for each in get_args(hint))
    if get_origin(hint) is list:
        (element,) = get_args(hint)
        return hasattr(value, "__iter__") and all(_fits(each, element) for each in value)
    if hint is float:
        return isinstance(value, int | float)
    if hint is bytes:
        return isinstance(value, bytes | bytearray | memoryview)
    return not isinstance(hint, type) or isinstance(value, hint)


def _called(value: object) -> str:
    if value is None:
        return "nothing"
    elements = (
        ", ".join(sorted({type(each).__name__ for each in value}))
        if (isinstance(value, list))
        else ""
    )
    return f"a list of {elements}" if elements else with_article(type(value).__name__)


def _wanted(hint: Any) -> str:
    """Return a type in words."""
    if get_origin(hint) in {Union, UnionType}:
        return " or ".join(_wanted(each) for each in get_args(hint) if each is not NoneType)
    if get_origin(hint) is list:
        return f"a list of {_wanted(get_args(hint)[0])}"
    return getattr(hint, "__name__", str(hint))
