"""Values of a record whose type is not that of the field that holds them.

A value of another type than a number, text or bytes makes writing fail: then the field is found.
A record of another type may be written without an error, as other bytes than a reader expects:
nothing in `write` of the record around it asks for the type.  Types that are read back after they
are written do not need this.
"""

from __future__ import annotations

import sys
from dataclasses import fields, is_dataclass
from functools import lru_cache
from types import NoneType, SimpleNamespace, UnionType
from typing import TYPE_CHECKING, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from byteloom.errors import FormatError, with_article
from byteloom.wire.members import is_record, parameter_names

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["hints_of", "misfit", "records_in", "refuse_strangers"]


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


class _Holder(NamedTuple):
    """A field that holds a record or a list of them.

    kinds  the types that its records may have
    deep   whether such a record may hold records itself
    """

    name: str
    kinds: tuple[type, ...]
    deep: bool


def refuse_strangers(record: Any) -> None:
    """Refuse *record* if a record in it is of a type that its field does not have.

    errors  FormatError: where, and what types are possible there
    """
    try:
        _look(record)
    except FormatError as error:
        raise error.inside(record.NAME) from None


def _look(record: Any) -> None:
    kind: Any = type(record)
    for holder in _holders(kind):
        held = getattr(record, holder.name)
        if not isinstance(held, list):
            _refuse(holder.name, held, holder)
        elif holder.deep or not set(map(type, held)).issubset(holder.kinds):
            for number, each in enumerate(held):
                _refuse(f"{holder.name}[{number}]", each, holder)


def _refuse(name: str, held: Any, holder: _Holder) -> None:
    if isinstance(held, holder.kinds):
        if holder.deep:
            try:
                _look(held)
            except FormatError as error:
                raise error.inside(name) from None
    elif is_record(held):
        wanted = " or ".join(each.__name__ for each in holder.kinds)
        raise FormatError(name, None, with_article(type(held).__name__), wanted)


@lru_cache(maxsize=1024)
def _holders(kind: Any) -> tuple[_Holder, ...]:
    """Return the fields of a record of *kind* that hold records of known types."""
    hints = hints_of(kind) if is_record(kind) else {}
    if not hints:
        return ()
    given, parts = parameter_names(kind), {hidden.lstrip("_") for hidden in kind.LAZY.values()}
    held = [
        each.name
        for each in fields(kind)
        if (each.compare and each.name not in given) or each.name.lstrip("_") in parts
    ]
    kinds = {name: tuple(records_in(hints[name])) for name in held}
    return tuple(
        _Holder(name, found, deep=any(map(_holds_records, found)))
        for name, found in kinds.items()
        if found
    )


def _holds_records(kind: Any) -> bool:
    """Whether a record of *kind* may hold records; one that may hold itself does."""
    return any(any(records_in(hint)) for hint in hints_of(kind).values())


def records_in(hint: Any) -> Iterator[type]:
    """Yield the types of records that an annotation names."""
    if isinstance(hint, type) and is_record(hint):
        yield hint
    for each in get_args(hint):
        yield from records_in(each)
