"""Values of a record whose type is not that of the field that holds them, or that do not fit it.

A number that is too large, or a value of another type than a number, text or bytes, makes writing
fail: then the field is found.  A record of another type may be written without an error, as other
bytes than a reader expects, so that its class is compared as it is written.
"""

from __future__ import annotations

import sys
from dataclasses import fields, is_dataclass
from struct import calcsize, pack
from struct import error as StructError  # noqa: N812  (the name that it should have)
from types import NoneType, SimpleNamespace, UnionType
from typing import TYPE_CHECKING, Any, Final, Union, get_args, get_origin, get_type_hints

from byteloom.errors import FormatError, with_article
from byteloom.wire.layouts import FieldRun, forms
from byteloom.wire.members import is_record

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "MISFITS", "hints_of", "misfit", "range_of", "records_in", "refuse_stranger", "shown",
]  # fmt: skip

MISFITS: Final = (TypeError, AttributeError, ValueError, IndexError, OverflowError, StructError)
"""The exceptions of Python for a value of the wrong type, or out of the range of its field."""


def refuse_stranger(name: str, value: object, kind: type) -> None:
    """Refuse *value*, which is not of the *kind* that the field *name* has, if it is a record.

    Nothing is done about an object of a handwritten class that can write itself.
    """
    if value is None or not hasattr(value, "write") or is_record(value):
        raise FormatError(name, None, _called(value), with_article(kind.__name__))


def range_of(form: str, size: int) -> str:
    """Return in words which numbers fit *form*, of *size* bytes."""
    letter = form[-1]
    if letter in "fd":
        return f"a number that fits {size} bytes"
    low, high = (
        (-(1 << 8 * size - 1), (1 << 8 * size - 1) - 1)
        if letter.islower()
        else (0, (1 << 8 * size) - 1)
    )
    return f"an integer from {low} to {high}"


def shown(value: object) -> object:
    """Return what an error shows in place of *value*: text in quotes."""
    return repr(value) if isinstance(value, str) else value


def misfit(name: str, record: object, error: Exception) -> FormatError:
    """Return the error for the *record* called *name*, which could not be written."""
    if isinstance(error, StructError | OverflowError):
        for layout in _runs_of(type(record)):
            for field, form in zip(layout.names, forms(layout), strict=True):
                value = getattr(record, field, getattr(record, f"{field}_", None))
                try:
                    pack(form, value)
                except MISFITS:
                    wanted = range_of(form, calcsize(form))
                    return FormatError(f"{name}.{field}", None, shown(value), wanted)
    hints = hints_of(type(record)) if is_dataclass(record) else {}
    for each in fields(record) if hints and is_dataclass(record) else ():
        value = getattr(record, each.name, None)
        if each.compare and not _fits(value, hints[each.name]):
            return FormatError(
                f"{name}.{each.name}", None, _called(value), _wanted(hints[each.name])
            )
    return FormatError(name, None, f"{error}", "values of the types that the fields have")


def _runs_of(kind: type) -> list[FieldRun]:
    """Return the runs of numbers that records of this *kind* are written with, in their order."""
    write = getattr(kind, "write", None)
    names = getattr(getattr(write, "__code__", None), "co_names", ())
    known = getattr(write, "__globals__", {})
    return [known[each] for each in names if isinstance(known.get(each), FieldRun)]


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


def records_in(hint: Any) -> Iterator[type]:
    """Yield the types of records that an annotation names."""
    if isinstance(hint, type) and is_record(hint):
        yield hint
    for each in get_args(hint):
        yield from records_in(each)
