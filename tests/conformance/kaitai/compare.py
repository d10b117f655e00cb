"""Whether a value is what an assertion expects: in kind and in value.

Python takes 1 for True and a member of an enum for its number; the language does not.  Floats are
compared to six decimals, as the official tests do.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Final

from tests.conformance.kaitai.evaluate import EnumValue

__all__ = ["expect_equal"]

_DECIMALS: Final = 6


class Differs(AssertionError):
    """An assertion does not hold."""


def expect_equal(
    actual: Any, expected: Any, members: dict[tuple[tuple[str, ...], str], Any]
) -> None:
    """Raise unless *actual* is *expected*; *members* are the enum members that labels stand for."""
    wanted = (
        members[expected.names, expected.label] if isinstance(expected, EnumValue) else expected
    )
    if isinstance(wanted, list) and isinstance(actual, bytes):
        wanted = bytes(wanted)
    if not _is_equal(actual, wanted):
        raise Differs(f"found {actual!r}, wanted {wanted!r}")


def _is_equal(actual: Any, wanted: Any) -> bool:
    if isinstance(actual, list) and isinstance(wanted, list):
        return len(actual) == len(wanted) and all(map(_is_equal, actual, wanted))
    if isinstance(actual, float) or isinstance(wanted, float):
        numbers = isinstance(actual, int | float) and isinstance(wanted, int | float)
        return numbers and (actual == wanted or round(actual - wanted, _DECIMALS) == 0)
    return _kind(actual) is _kind(wanted) and bool(actual == wanted)


def _kind(value: Any) -> type:
    """Return the kind of a plain value; a type of its own only for members of an enum."""
    if isinstance(value, IntEnum):
        return type(value)
    for kind in (bool, int, str, bytes, list):
        if isinstance(value, kind):
            return kind
    return type(value)
