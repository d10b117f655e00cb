"""The error for a value whose size or count differs from what describes it."""

from __future__ import annotations

from typing import Any

from byteloom.errors import FormatError

__all__ = ["Unequal", "found_in"]


class Unequal(FormatError):
    """A value has another size, or another number of elements, than its description says.

    field   the field that has the value; "" until the record that has it is known
    record  the record that has the field; None until it is known
    count   elements there are; None where the size is wrong
    size    bytes there are; None where only `value`, written without a limit, shows that
    value   the record that was to fit a stream of a given size; None for anything else
    """

    field: str = ""
    record: Any = None
    count: int | None = None
    size: int | None = None
    value: Any = None


def found_in(error: FormatError, record: object) -> None:
    """Note that *error* was raised by a field of *record*, if it is not about a record inside."""
    if isinstance(error, Unequal) and error.record is None:
        error.field, error.record = error.field or error.path, record
