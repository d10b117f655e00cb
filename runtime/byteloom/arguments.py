"""Check arguments as soon as they are given: whole numbers, distinct names, known names."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import ArgumentError
from byteloom.late import difflib

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["check_distinct", "listed", "suggestion", "wanted_name", "whole_number"]

_SHOWN: Final = 10
"""Names that an error lists."""


def check_distinct(name: str, values: Iterable[str], what: str) -> None:
    """Refuse two equal names.

    name           the error's path: what the names are called together
    what           what each is the name of, in the plural: ``columns``
    ArgumentError  the first name that another one is equal to
    """
    seen: set[str] = set()
    for each in values:
        if each in seen:
            raise ArgumentError(name, None, f"two {what} named {each!r}", "distinct names")
        seen.add(each)


def wanted_name(name: str, names: Sequence[str], what: str) -> str:
    """Return what an error wants instead of a *name* that is not among *names*.

    what  what one of the names is: ``a column of the schema``
    """
    meant = suggestion(name, names)
    return what + (meant or (f": {listed(names)}" if names else ""))


def suggestion(name: str, names: Sequence[str]) -> str:
    """Return ``; did you mean this?`` for a name that is not among *names*.

    It is "" if none of them is like *name*.
    A field inside of a column is suggested for its own name: ``body.time`` for ``time``.
    """
    plain = name.casefold()
    same = [each for each in names if each.casefold() == plain]
    inner = [each for each in names if each.casefold().endswith(f".{plain}")]
    near = same or inner[:_SHOWN] or difflib.get_close_matches(name, names, n=3)
    if not near:
        return ""
    *others, last = near
    meant = f"{', '.join(others)} or {last}" if others else last
    return f"; did you mean {meant}?{' Case counts' if same else ''}"


def listed(names: Sequence[str], most: int = _SHOWN) -> str:
    """Return the first names in a line, *most* at most."""
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def whole_number(name: str, value: Any, wanted: str, *, least: int | None = None) -> int:
    """Return *value*, an integer of Python's or NumPy's.

    name         the error's path
    wanted       how the error describes what is wanted
    least        the smallest number that is accepted; None for any
    ArgumentError  anything but an integer (True and False included), or a smaller one
    """
    try:
        found = None if isinstance(value, bool) else index(value)
    except TypeError:
        found = None
    if found is None or (least is not None and found < least):
        raise ArgumentError(name, None, repr(value), wanted)
    return found
