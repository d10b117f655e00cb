"""The errors for values that contradict others, which may follow from an edit.

A size, a count or an end differs from what other fields say, or a part has no room before what
follows it in its stream.  Each says enough to change what was not edited.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from byteloom.errors import FormatError

__all__ = ["Crowded", "Growth", "Unended", "Unequal", "found_in"]


class Unequal(FormatError):
    """The size or the number of elements of a value differs from what another field says.

    field   the field that has the value; "" until the record that has it is known
    record  the record that has the field; None until it is known
    count   the number of elements; None if the size is wrong
    size    the number of bytes; None if only writing `value` without a limit can show it
    value   the record that should fit a stream of a given size; None for anything else
    """

    field: str = ""
    record: Any = None
    count: int | None = None
    size: int | None = None
    value: Any = None


class Unended(Unequal):
    """An element of a list says that the list ends there, and it does not, or the other way round.

    element  that element
    """

    element: Any = None


def found_in(error: FormatError, record: object) -> None:
    """Store *record* in *error*, raised by one of its fields, unless a nested record is there."""
    if isinstance(error, Unequal) and error.record is None:
        error.field, error.record = error.field or error.path, record


class Growth(NamedTuple):
    """Bytes *at* a place of a stream, where what grew had its end, lack *by* bytes.

    of  the id of the record that has the part, and its name; None for the fields in sequence
    """

    at: int
    by: int
    of: tuple[int, str] | None


class Crowded(FormatError):
    """Two parts of a stream would have the same bytes, and at least one of them grew.

    owner  the record that has the stream
    grown  what grew
    """

    owner: Any = None
    grown: tuple[Growth, ...] = ()
